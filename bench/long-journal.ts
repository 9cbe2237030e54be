import type { Call } from "../src/contracts/call.ts";
import { firstSum, writeLine } from "../src/journal/line.ts";
import type { JournalRecord, SessionRecord, TurnRecord } from "../src/journal/record.ts";
import { machineHash } from "../src/machine/machine-hash.ts";
import { turnMachine } from "../src/machine/turn.machine.ts";
import { version } from "../src/version.ts";

/** How many events each turn of a long journal has, its beginning among them. */
const EVENTS_IN_TURN = 12;

const session: SessionRecord = {
  type: "session",
  format: 1,
  id: "20261130-231500-a1b2c3",
  version,
  cwd: "/tmp",
  forked_from: null,
};

const beginning: Omit<TurnRecord, "input"> = {
  type: "turn",
  machine: machineHash(turnMachine.config),
  models: { skill_call: "scripted/x", tool_call: "scripted/x", answer: "scripted/x" },
  contract: "codeblock",
  skills: [{ name: "file-ops", content: "0" }],
  settings: { model: "offline", bundledSkills: false },
};

const usage = { input_tokens: 100, output_tokens: 20, estimated: false };

/** The text of a journal with at least so many events: turns that read files, with a refusal in each. */
export function longJournal(events: number): string {
  const records: JournalRecord[] = [session];
  for (let turn = 1; turn * EVENTS_IN_TURN < events + EVENTS_IN_TURN; turn++)
    records.push(...turnOf(turn));
  const lines: string[] = [];
  let sum = firstSum;
  for (const [index, record] of records.entries()) {
    const written = writeLine({ ...record, n: index + 1, at: 1_000 * index }, sum);
    sum = written.sum;
    lines.push(written.line);
  }
  return `${lines.join("\n")}\n`;
}

/** Written by hand: to run thousands of turns would take longer than all that is measured or tested with them. */
function turnOf(turn: number): JournalRecord[] {
  const [a, b, c, d] = ["a", "b", "c", "d"].map(read) as [Call, Call, Call, Call];
  const text = `Your notes say ${turn} times: buy milk.`;
  const output = { kind: "text", text, reply: text, usage } as const;
  return [
    beginOf(turn),
    ...(turn === 1 ? loading : []),
    ask(a, b),
    ...run(a),
    ...run(b),
    refusal,
    { type: "outcome", of: "fail_recovery" },
    ask(c),
    ...run(c),
    ask(d),
    ...run(d),
    ask(),
    { type: "outcome", of: "answer", output },
    { type: "end", state: "answered", digest: null },
  ];
}

const read = (file: string): Call => ({ name: "read_file", input: { path: `${file}.txt` } });

function beginOf(turn: number): JournalRecord {
  const input: TurnRecord["input"] = {
    question: `What is in my notes, for the ${turn}th time?`,
    nonce: "n0nce",
    skills: [{ name: "file-ops", is_default: false, has_tools: true }],
    limits: { max_retries: 3, max_steps: 12, max_asks: 3 },
  };
  return { ...beginning, input };
}

const ask = (...calls: Call[]): JournalRecord => ({
  type: "outcome",
  of: "tool_call",
  output: { kind: "calls", calls, reply: JSON.stringify(calls), usage },
});

function run(call: Call): JournalRecord[] {
  const text = `What stands in ${JSON.stringify(call.input["path"])}.\nBuy milk.\n`.repeat(4);
  const observation = { output: text, exit_code: 0, signal: null, duration_ms: 12 };
  return [
    { type: "intent", call, effect: "read" },
    { type: "outcome", of: "tool_use", output: { kind: "result", effect: "read", observation } },
  ];
}

const refusal: JournalRecord = {
  type: "outcome",
  of: "tool_call",
  output: {
    kind: "refused",
    problem: { code: "text_outside", where: "before", excerpt: "Sure, I will.", line: 1 },
    example: null,
    reply: "Sure, I will.",
    usage,
  },
};

const load: Call = { name: "load_skill", input: { skill_name: "file-ops" } };
/** The first turn has to load the skill that all others have at hand. */
const loading: JournalRecord[] = [
  {
    type: "outcome",
    of: "skill_call",
    output: { kind: "calls", calls: [load], reply: "", usage },
  },
  {
    type: "outcome",
    of: "tool_use",
    output: { kind: "skill_loaded", name: "file-ops", has_tools: true },
  },
];
