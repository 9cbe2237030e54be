import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assign, createActor, fromPromise, setup } from "xstate";
import type { ActorName } from "../src/journal/record.ts";
import { createRedactor } from "../src/journal/redact.ts";
import { createJournal } from "../src/journal/save-journal.ts";
import { turnMachine } from "../src/machine/turn.machine.ts";
import type {
  AskForCallsOutput,
  AskForTextOutput,
  AskModelInput,
  TurnInput,
  UseToolInput,
  UseToolOutput,
} from "../src/machine/turn.types.ts";
import { Recorder } from "../src/recorder.ts";
import { median } from "./median.ts";

const TURNS = 300;
const ROUNDS = 7;
const usage = { input_tokens: 1, output_tokens: 1, estimated: false };
const load = { name: "load_skill", input: { skill_name: "notes" } };
const read = { name: "read", input: {} };

const input: TurnInput = {
  messages: [],
  loaded_skills: [],
  question: "?",
  nonce: "0",
  skills: [{ name: "notes", is_default: false, has_tools: true }],
  limits: { max_retries: 3, max_steps: 12, max_asks: 3 },
};

/** Our chart with actors that answer at once: route, load, call, run, look, answer. */
const ours = turnMachine.provide({
  actors: {
    askForCalls: fromPromise<AskForCallsOutput, AskModelInput>(({ input: { task, turn } }) => {
      const calls = task === "skill_call" ? [load] : turn.ran.length < 2 ? [read] : [];
      return Promise.resolve({ kind: "calls", calls, reply: "", usage });
    }),
    useTool: fromPromise<UseToolOutput, UseToolInput>(({ input: { call } }) =>
      Promise.resolve(
        call.name === "load_skill"
          ? { kind: "skill_loaded", name: "notes", has_tools: true }
          : {
              kind: "result",
              effect: "read",
              observation: { output: "x", exit_code: 0, signal: null, duration_ms: 0 },
            },
      ),
    ),
    askForText: fromPromise<AskForTextOutput, AskModelInput>(() =>
      Promise.resolve({ kind: "text", text: "x", reply: "x", usage }),
    ),
  },
});

/** Bare XState: as many states and actors as that turn takes, and nothing in them. */
const step = fromPromise(() => Promise.resolve(undefined));
const bare = setup({ actors: { step }, types: { context: {} as { done: number } } }).createMachine({
  initial: "a",
  context: { done: 0 },
  states: {
    a: {
      invoke: {
        src: "step",
        onDone: [{ guard: ({ context }) => context.done === 5, target: "end" }, { target: "b" }],
      },
    },
    b: {
      entry: assign({ done: ({ context }) => context.done + 1 }),
      invoke: {
        src: "step",
        onDone: [{ guard: ({ context }) => context.done === 5, target: "end" }, { target: "c" }],
      },
    },
    c: {
      entry: assign({ done: ({ context }) => context.done + 1 }),
      invoke: {
        src: "step",
        onDone: [{ guard: ({ context }) => context.done === 5, target: "end" }, { target: "b" }],
      },
    },
    end: { type: "final" },
  },
});

async function microsecondsPerTurn(
  start: () => { start(): void; subscribe(observer: { complete: () => void }): unknown },
) {
  const before = process.cpuUsage();
  for (let turn = 0; turn < TURNS; turn++)
    await new Promise<void>((resolve) => {
      const actor = start();
      actor.subscribe({ complete: resolve });
      actor.start();
    });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / TURNS;
}

/** The same turn with a real journal on the disk: each event a flushed line before the machine has it, and an inspector. */
async function journalled(): Promise<number> {
  const path = join(mkdtempSync(join(tmpdir(), "broharness-bench-")), "bench.jsonl");
  const journal = createJournal({ path, redactor: createRedactor([]), now: () => Date.now() });
  const recorder = new Recorder(journal);
  let seen = 0;
  const record = (event: { type: string; output?: unknown; actorId?: string }) => {
    if (event.type.startsWith("xstate.done.actor."))
      recorder.outcome(event.actorId as ActorName, event.output);
  };
  const cost = await microsecondsPerTurn(() =>
    createActor(ours, {
      input,
      inspect: (event) => {
        seen += 1;
        if (event.type === "@xstate.event") record(event.event);
      },
    }),
  );
  journal.close();
  if (seen === 0) throw new Error("nothing was inspected");
  return cost;
}

export async function machineCost() {
  const taken = { ours: [] as number[], bare: [] as number[], kept: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    taken.bare.push(await microsecondsPerTurn(() => createActor(bare)));
    taken.ours.push(await microsecondsPerTurn(() => createActor(ours, { input })));
    taken.kept.push(await journalled());
  }
  const [floor, turn, kept] = [median(taken.bare), median(taken.ours), median(taken.kept)];
  return [
    {
      what: "bare XState, 6 steps, CPU",
      value: `${floor.toFixed(0)} µs`,
      ratio: "1.0 × bare XState",
    },
    {
      what: "the turn machine, 6 steps, CPU",
      value: `${turn.toFixed(0)} µs`,
      ratio: `${(turn / floor).toFixed(1)} × bare XState`,
    },
    {
      what: "the same, each event written to a journal and flushed, and inspected, CPU",
      value: `${kept.toFixed(0)} µs`,
      ratio: `${(kept / floor).toFixed(1)} × bare XState`,
    },
  ];
}
