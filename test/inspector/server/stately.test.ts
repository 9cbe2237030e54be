import { runInNewContext } from "node:vm";
import { createWebSocketReceiver, type StatelyInspectionEvent } from "@statelyai/inspect";
import { afterEach, expect, test } from "vitest";
import { fold } from "../../../src/journal/fold.ts";
import type { JournalRecord } from "../../../src/journal/record.ts";
import { readLines } from "../../../src/journal/line.ts";
import { startServer, type InspectorServer } from "../../../src/inspector/server/server.ts";
import { statelyPage } from "../../../src/inspector/server/stately-page.ts";
import {
  statelyStep,
  statelyTurn,
  type StatelyEvent,
} from "../../../src/inspector/server/stately.ts";
import { machineHash } from "../../../src/machine/machine-hash.ts";
import { turnMachine } from "../../../src/machine/turn.machine.ts";
import { journalText, session } from "../../helpers/journal.ts";
import { promiseWithResolve } from "../../helpers/milestones.ts";
import { input, refused, says, wants } from "../../helpers/turn.ts";

// Checked by the compiler: what is sent is what the package says its receivers are given.
const sent = (event: StatelyEvent) => event satisfies StatelyInspectionEvent;

const { question, nonce, skills, limits } = input();
const turnRecord: JournalRecord = {
  type: "turn",
  machine: machineHash(),
  models: { skill_call: "m", tool_call: "m", answer: "m" },
  contract: "codeblock",
  skills: [],
  input: { question, nonce, skills, limits },
  settings: {},
};
const outcome = (event: { actorId?: string; output?: unknown }) =>
  ({ type: "outcome", of: event.actorId, output: event.output }) as JournalRecord;

/** A turn in which nothing is wanted: refused once, then answered. */
function answeredTurn() {
  const records = [
    session,
    turnRecord,
    outcome(refused("skill_call", { code: "empty" }) as never),
    outcome({ actorId: "fail_recovery" }),
    outcome(wants("skill_call") as never),
    outcome(says("It is a note.") as never),
  ];
  const folded = fold(readLines(journalText(records)));
  expect(folded.fault).toBeNull();
  const turn = folded.turns[0];
  if (!turn) throw new Error("no turn");
  return turn;
}

const eventsOf = (turn = answeredTurn()) => [
  ...statelyTurn(turn, 1),
  ...turn.steps.flatMap((step) => statelyStep(step, 1)),
];

test("a turn is an actor, and what reaches it are events and snapshots", () => {
  const told = eventsOf().map(sent);
  const brief = told.map((event) => [
    event.type,
    event.createdAt,
    event.type === "@xstate.actor" ? event.name : event.event.type,
    event.type === "@xstate.event" ? event.sourceId : (event.snapshot as { value?: unknown }).value,
  ]);
  expect(brief).toStrictEqual([
    ["@xstate.actor", "2000", "turn", "skill_call"],
    ["@xstate.snapshot", "2000", "xstate.init", "skill_call"],
    ["@xstate.event", "3000", "xstate.done.actor.skill_call", "turn:1/skill_call"],
    ["@xstate.snapshot", "3000", "xstate.done.actor.skill_call", "fail_recovery"],
    ["@xstate.event", "4000", "xstate.done.actor.fail_recovery", "turn:1/fail_recovery"],
    ["@xstate.snapshot", "4000", "xstate.done.actor.fail_recovery", "skill_call"],
    ["@xstate.event", "5000", "xstate.done.actor.skill_call", "turn:1/skill_call"],
    ["@xstate.snapshot", "5000", "xstate.done.actor.skill_call", "answer"],
    ["@xstate.event", "6000", "xstate.done.actor.answer", "turn:1/answer"],
    ["@xstate.snapshot", "6000", "xstate.done.actor.answer", "answered"],
  ]);
  expect(told.every(({ _version }) => _version === "0.7.2")).toBe(true);
  expect(told.every((event) => event.sessionId === "turn:1" && event.rootId === "turn:1")).toBe(
    true,
  );
  expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
  const last = told.at(-1);
  expect(last).toMatchObject({
    snapshot: { status: "done", output: { kind: "answered", text: "It is a note." } },
  });
});

test("the definition is the chart, its states in document order", () => {
  const [actor] = eventsOf();
  const { definition } = actor as Extract<StatelyEvent, { type: "@xstate.actor" }>;
  const chart = JSON.parse(definition) as { id: string; states: object };
  expect(chart.id).toBe("turn");
  expect(Object.keys(chart.states)).toStrictEqual(Object.keys(turnMachine.config.states ?? {}));
  expect(Object.keys(chart.states)[0]).toBe("skill_call");
});

test("a stop comes from no actor; the second turn has its own name", () => {
  const records = [session, turnRecord, { type: "abort", by: "user" } as JournalRecord];
  const [turn] = fold(readLines(journalText(records))).turns;
  const told = turn?.steps.flatMap((step) => statelyStep(step, 2)).map(sent) ?? [];
  expect(told[0]).toMatchObject({
    type: "@xstate.event",
    sessionId: "turn:2",
    event: { type: "abort", by: "user" },
  });
  expect(told[0]).toHaveProperty("sourceId", undefined);
  expect(told[1]).toMatchObject({ snapshot: { status: "done", value: "stopped" } });
});

const opened: InspectorServer[] = [];
afterEach(() => Promise.all(opened.splice(0).map((server) => server.close())));

test("the package's own receiver reads the events from the socket", async () => {
  const events = eventsOf();
  const left = promiseWithResolve<void>();
  const server = await startServer({
    title: "",
    svg: "",
    hub: {
      connectPage: () => {
        throw new Error("nobody opens the page here");
      },
      connectReceiver(send) {
        events.forEach(send);
        return { leave: () => left.resolve() };
      },
    },
  });
  opened.push(server);
  const heard: StatelyInspectionEvent[] = [];
  const all = promiseWithResolve<void>();
  createWebSocketReceiver({ server: server.receiverAddress }).subscribe((event) => {
    heard.push(event);
    if (heard.length === events.length) all.resolve();
  });
  await all.promise;
  expect(heard).toStrictEqual(JSON.parse(JSON.stringify(events)));
  expect(JSON.parse((heard[0] as { definition?: string }).definition ?? "")).toHaveProperty(
    "id",
    "turn",
  );
  await server.close();
  await left.promise;
});

/** Runs the script of Stately's page with stand-ins for all that it touches. */
function statelyPageAtWork() {
  const frameWindow = {
    posted: [] as unknown[][],
    postMessage: (...args: unknown[]) => frameWindow.posted.push(args),
  };
  const elements = {
    stately: { src: "", contentWindow: frameWindow },
    state: { textContent: "" },
  };
  const sockets: FakeSocket[] = [];
  class FakeSocket {
    onmessage: ((event: { data: string }) => void) | null = null;
    onclose: (() => void) | null = null;
    isClosed = false;
    readonly address: URL;
    constructor(address: URL) {
      this.address = address;
      sockets.push(this);
    }
    close() {
      this.isClosed = true;
    }
  }
  let hear: (event: object) => void = () => {};
  const [, script = ""] = /<script>([\s\S]*)<\/script>/.exec(statelyPage.html) ?? [];
  runInNewContext(script, {
    URL,
    JSON,
    WebSocket: FakeSocket,
    document: { getElementById: (id: keyof typeof elements) => elements[id] },
    location: { href: "http://127.0.0.1:1234/t0ken/stately" },
    addEventListener: (_: string, listener: typeof hear) => {
      hear = listener;
    },
  });
  const connected = {
    source: frameWindow,
    origin: "https://stately.ai",
    data: { type: "@statelyai.connected" },
  };
  return { ...elements, frameWindow, sockets, connected, hear };
}

test("Stately's page tells nobody but Stately's frame, and only once that listens", () => {
  const { stately, state, frameWindow, sockets, connected, hear } = statelyPageAtWork();
  expect(stately.src).toBe("https://stately.ai/inspect");
  expect(statelyPage.html).toContain(
    `sandbox="allow-scripts allow-same-origin allow-popups allow-forms"`,
  );
  hear({ ...connected, source: {} });
  hear({ ...connected, origin: "https://evil.example" });
  hear({ ...connected, origin: "https://stately.ai.evil.example" });
  hear({ ...connected, origin: "null" });
  hear({ ...connected, data: null });
  hear({ ...connected, data: { type: "@statelyai.disconnected" } });
  expect(sockets).toHaveLength(0);
  hear(connected);
  expect(sockets.map(({ address }) => address.href)).toStrictEqual([
    "ws://127.0.0.1:1234/t0ken/xstate",
  ]);
  sockets[0]?.onmessage?.({ data: `{"type":"@xstate.actor"}` });
  expect(frameWindow.posted).toStrictEqual([[{ type: "@xstate.actor" }, "https://stately.ai"]]);
  expect(state.textContent).toContain("is sent to https://stately.ai");
  sockets[0]?.onclose?.();
  expect(state.textContent).toContain("The process is gone.");
});

test("a frame that was loaded again is told everything again, by one socket only", () => {
  const { sockets, connected, hear } = statelyPageAtWork();
  hear(connected);
  hear(connected);
  expect(sockets.map(({ isClosed }) => isClosed)).toStrictEqual([true, false]);
  expect(sockets.map(({ onmessage }) => onmessage === null)).toStrictEqual([true, false]);
});
