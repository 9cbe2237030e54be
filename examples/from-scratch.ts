/**
 * Every part by hand: a skill made of data, a backend that is ten lines, an asker that always says yes, and events.
 * It shows what a harness is made of, and checks what came out.
 */
import assert from "node:assert/strict";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  codeblock,
  createHarness,
  defineSkill,
  newConversation,
  type Asker,
  type Backend,
  type HarnessEvent,
} from "../src/index.ts";

const folder = await mkdtemp(join(tmpdir(), "from-scratch-"));
const script = join(folder, "log_line.mjs");
await writeFile(
  script,
  'import { appendFileSync } from "node:fs";\nappendFileSync("log.txt", process.argv[2].slice(7) + "\\n");\n',
);

const diary = defineSkill({
  name: "diary",
  description: "Keeps a log of what happened. Use it when the user wants something written down.",
  isDefault: true,
  folder,
  instructions: "Write one short line for each thing that happened.",
  tools: [
    {
      name: "log_line",
      skill: "diary",
      description: "Adds one line to the log.",
      schema: {
        type: "object",
        properties: { text: { type: "string", description: "the line", maxLength: 200 } },
        required: ["text"],
        additionalProperties: false,
      },
      effect: "destructive",
      exclusive: [],
      runtime: "node",
      file: script,
      command: [],
      arguments: [{ name: "text", flag: "--text", form: "value" }],
    },
  ],
});

/** A model that first forgets the block, then writes it, then is content. */
const replies = [
  'I would log: "sun"',
  codeblock.format([{ name: "log_line", input: { text: "The sun came out." } }]),
  codeblock.format([]),
  "I wrote it down.",
];
const backend: Backend = {
  id: "example/forgetful",
  async *stream() {
    yield { type: "text", text: replies.shift() ?? "" };
    yield { type: "stop", finish: "stop" };
  },
};

const yes: Asker = { ask: () => Promise.resolve({ kind: "yes" }), close: () => {} };
const events: HarnessEvent[] = [];
const harness = createHarness({
  skills: { skills: [diary], diagnostics: [], python: null },
  backend,
  projectDir: folder,
  asker: yes,
  limits: { max_retries: 1, max_steps: 3, max_asks: 1 },
  onEvent: (event) => events.push(event),
});

const turn = await harness.run({
  ...newConversation(),
  question: "Write down that the sun came out.",
});

assert.deepEqual(turn.outcome, { kind: "answered", text: "I wrote it down.", ended_early: null });
assert.equal(await readFile(join(folder, "log.txt"), "utf8"), "The sun came out.\n");
assert.deepEqual(
  events.flatMap((event) => (event.type === "state" ? [event.state] : [])),
  // A default skill needs no routing; the forgotten block costs one retry; the harness asks before it runs the script.
  [
    "skill_call",
    "tool_call",
    "fail_recovery",
    "tool_call",
    "tool_use",
    "ask_user_question",
    "tool_use",
    "tool_call",
    "answer",
    "answered",
  ],
);

console.log("from-scratch: the turn went as expected");
