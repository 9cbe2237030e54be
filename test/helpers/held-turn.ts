import { setImmediate as tick } from "node:timers/promises";
import type { Backend } from "../../src/backends/backend.ts";
import { createScriptedBackend, type ScriptedReply } from "../../src/backends/scripted.ts";
import type { HarnessEvent } from "../../src/events.ts";
import { createHarness, newConversation, type HarnessOptions } from "../../src/harness.ts";
import type { JournalRecord } from "../../src/journal/record.ts";
import { memoryJournal } from "./journal.ts";
import { notesProject } from "./notes.ts";

/** A record in short: "outcome of answer", "abort". */
export const inShort = (record: JournalRecord): string =>
  "of" in record ? `${record.type} of ${record.of}` : record.type;

/** A pause that is ended by hand, and says when it begins. It does not heed its signal. */
export function createGate() {
  let letGo: (() => void) | null = null;
  let arrived: (() => void) | null = null;
  return {
    signals: [] as AbortSignal[],
    pause(signal: AbortSignal): Promise<void> {
      this.signals.push(signal);
      return new Promise((resolve) => {
        letGo = resolve;
        arrived?.();
      });
    },
    /** Resolves once the turn is held. */
    holds: () =>
      new Promise<void>((resolve) => {
        if (letGo) resolve();
        else arrived = resolve;
      }),
    step(): void {
      const go = letGo;
      letGo = null;
      go?.();
    },
  };
}

/** A turn on the notes skill that is held again and again, at work already. */
export function heldTurn(
  replies: readonly ScriptedReply[] | Backend,
  more: Partial<HarnessOptions> = {},
) {
  const project = notesProject();
  const journal = memoryJournal();
  const events: HarnessEvent[] = [];
  const stop = new AbortController();
  const gate = createGate();
  const harness = createHarness({
    skills: { skills: [project.skill], diagnostics: [], python: null },
    backend: "stream" in replies ? replies : createScriptedBackend(replies),
    projectDir: project.projectDir,
    nonce: () => "n0nce",
    pause: (signal) => gate.pause(signal),
    onEvent: (event) => void events.push(event),
    ...more,
  });
  const question = "What is in the plan note?";
  const turn = harness.run({ ...newConversation(), question }, { journal, signal: stop.signal });
  return {
    project,
    journal,
    stop,
    gate,
    turn,
    /** What was told so far, in short: a state's name, or "ask answer" for a request. */
    told: () => events.flatMap(toldOf),
    records: () => journal.records.slice(1).map(inShort),
    /** Lets it go on `times` times, and waits each time until it is held again. */
    steps: async (times: number) => {
      for (let step = 0; step < times; step++) {
        await gate.holds();
        gate.step();
      }
      await gate.holds();
    },
  };
}

function toldOf(event: HarnessEvent): string[] {
  if (event.type === "init" || event.type === "reply") return [];
  if (event.type === "state") return [event.state];
  return [event.type === "request" ? `ask ${event.task}` : event.type];
}

/** Time for what was wrongly begun to show. */
export async function ticks(): Promise<void> {
  for (let count = 0; count < 50; count++) await tick();
}
