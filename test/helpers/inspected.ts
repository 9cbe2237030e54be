import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nobody, type Asker } from "../../src/actors/ask-user.ts";
import { createScriptedBackend, type ScriptedReply } from "../../src/backends/scripted.ts";
import { createHarness, newConversation, type HarnessOptions } from "../../src/harness.ts";
import { chartOf } from "../../src/inspector/chart/chart-of.ts";
import type { Hub } from "../../src/inspector/hub.ts";
import type { FromPage, PromptView, Run, Status, ToPage } from "../../src/inspector/protocol.ts";
import { TurnHub, type TurnHubOptions } from "../../src/inspector/turns/turn-hub.ts";
import { loadJournal } from "../../src/journal/load-journal.ts";
import { sessionPath } from "../../src/journal/load-sessions.ts";
import { createRedactor } from "../../src/journal/redact.ts";
import { createJournal } from "../../src/journal/save-journal.ts";
import { turnMachine } from "../../src/machine/turn.machine.ts";
import type { Turn } from "../../src/machine/turn.types.ts";
import { session as sessionRecord } from "./journal.ts";
import { notesProject } from "./notes.ts";

/** A page as the browser keeps it, without one. */
export function openPage(hub: Hub) {
  const heard: ToPage[] = [];
  const runs: Run[] = [];
  const status = new Map<number, Status>();
  const refusals: string[] = [];
  let wake = () => {};
  const link = hub.connectPage((message) => {
    // What a page gets has been through JSON.
    const told = JSON.parse(JSON.stringify(message)) as ToPage;
    heard.push(told);
    if (told.type === "hello") {
      runs.push(...told.recording.runs);
      for (const one of told.status) status.set(one.run, one);
    } else if (told.type === "run") runs.push(told.run);
    else if (told.type === "steps")
      runs[told.run]?.steps.splice(told.from, Infinity, ...told.steps);
    else if (told.type === "status") status.set(told.status.run, told.status);
    else if (told.type === "refused") refusals.push(told.message);
    wake();
  });
  const until = async (isThere: () => boolean) => {
    while (!isThere())
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  };
  const phase = (run: number, ...phases: Status["phase"][]) =>
    until(() => phases.includes(status.get(run)?.phase ?? "gone"));
  return {
    heard,
    runs,
    refusals,
    until,
    send: (message: FromPage) => link.receive(message),
    leave: () => link.leave(),
    status: (run = 0) => status.get(run),
    /** Waits until a run is held before a transition, and gives its title; or until it has ended. */
    held: async (run = 0) => {
      await phase(run, "held", "ended");
      return status.get(run)?.phase === "held"
        ? (status.get(run)?.next?.title ?? "start")
        : "ended";
    },
    /** Does one step and waits for what comes of it. */
    step: async (run = 0) => {
      status.delete(run);
      link.receive({ type: "step", run });
      await phase(run, "held", "ended", "asking");
    },
    phase,
    titles: (run = 0) => runs[run]?.steps.map(({ title }) => title) ?? [],
    states: (run = 0) =>
      runs[run]?.steps.flatMap(({ to }) => to).map((id) => id.replace("turn.", "")) ?? [],
    prompt: async (step: number, run = 0): Promise<PromptView | null> => {
      const { length } = heard;
      link.receive({ type: "prompt", run, step });
      const isAnswer = (message: ToPage) => message.type === "prompt";
      await until(() => heard.slice(length).some(isAnswer));
      const answer = heard.slice(length).find(isAnswer);
      return answer?.type === "prompt" ? answer.prompt : null;
    },
  };
}

export type TestPage = ReturnType<typeof openPage>;

interface InspectedOptions {
  breakpoints?: string[];
  isPageComing?: boolean;
  asker?: Asker;
  signal?: AbortSignal;
  secrets?: string[];
  /** What the model says in what-ifs that go on live. */
  forkReplies?: ScriptedReply[];
  onHold?: (isHeld: boolean) => void;
  hub?: Partial<TurnHubOptions>;
  /** False for a turn that is kept nowhere. */
  isKept?: boolean;
}

/** A turn on the notes skill with scripted replies, watched by a hub; what-ifs go into a folder of sessions. */
export function inspected(replies: readonly ScriptedReply[], options: InspectedOptions = {}) {
  const { breakpoints = [], asker = nobody, secrets = [], isKept = true } = options;
  const project = notesProject();
  const folder = mkdtempSync(join(tmpdir(), "broharness-sessions-"));
  const harnessOptions = (script: readonly ScriptedReply[]): HarnessOptions => ({
    skills: { skills: [project.skill], diagnostics: [], python: null },
    backend: createScriptedBackend(script),
    projectDir: project.projectDir,
    nonce: () => "n0nce",
  });
  const newRedactor = () => createRedactor(secrets);
  const now = () => Date.now();
  let forks = 0;
  const ports = {
    chart: chartOf(turnMachine),
    optionsOf: () => Promise.resolve(harnessOptions(options.forkReplies ?? [])),
    promptOptionsOf: () => Promise.resolve(harnessOptions([])),
    folder: isKept ? folder : null,
    newId: () => `fork-${++forks}`,
    newRedactor,
    now,
    ...options.hub,
  };
  const hub = new TurnHub({
    ...ports,
    source: "live",
    title: "What is in the plan note?",
    records: [],
    session: isKept ? sessionRecord.id : null,
  });
  const stopped = new AbortController();
  const path = sessionPath(folder, sessionRecord.id);
  const file = isKept ? createJournal({ path, redactor: newRedactor(), now }) : null;
  file?.write(sessionRecord);
  const { live, journal } = hub.watch({
    journal: file,
    session: sessionRecord,
    breakpoints,
    isPageComing: options.isPageComing ?? true,
    stop: () => stopped.abort("user"),
    ...(options.onHold ? { onHold: options.onHold } : {}),
  });
  const harness = createHarness({
    ...harnessOptions(replies),
    asker: live.asker(asker),
    pause: live.pause,
  });
  const run = async (question = "What is in the plan note?"): Promise<Turn> => {
    const signal = options.signal
      ? AbortSignal.any([options.signal, stopped.signal])
      : stopped.signal;
    try {
      return await harness.run({ ...newConversation(), question }, { journal, signal });
    } finally {
      journal.close();
      live.ended();
    }
  };
  /** What was kept, opened again. */
  const recorded = (more: Partial<TurnHubOptions> = {}) =>
    new TurnHub({
      ...ports,
      source: "recorded",
      title: "session.jsonl",
      records: loadJournal(path).records,
      session: sessionRecord.id,
      ...more,
    });
  return {
    hub,
    run,
    project,
    folder,
    recorded,
    text: () => readFileSync(path, "utf8"),
    sessions: () =>
      readdirSync(folder)
        .filter((name) => name.endsWith(".jsonl"))
        .toSorted(),
    load: (id: string) => loadJournal(sessionPath(folder, id)),
  };
}
