import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import type { Asker } from "../src/actors/ask-user.ts";
import type { Call } from "../src/contracts/call.ts";
import type { Finish } from "../src/contracts/contract.ts";
import { replyCases } from "./contracts/cases.ts";
import { shownOf } from "./helpers/cases.ts";
import { block, loadNotes, nothing, notesProject, play, raw, read } from "./helpers/notes.ts";

/**
 * The notes skill for thousands of turns: its scripts want a Python that is not there, so that a call goes through
 * everything but the subprocess. Its reference is really read.
 */
const project = notesProject();
mkdirSync(join(project.projectDir, "references"));
writeFileSync(join(project.projectDir, "references", "terms.md"), "A plan is a note.");
const { skill } = project;
const cheap = {
  ...project,
  skill: {
    ...skill,
    references: ["references/terms.md"],
    tools: skill.tools.map((tool) => ({ ...tool, runtime: "python" as const })),
  },
};

const reference: Call = {
  name: "load_skill_extension",
  input: { skill_name: "notes", path: "references/terms.md" },
};
const question: Call = { name: "ask_user_question", input: { question: "Which note?" } };
const texts = [
  ...replyCases.map(({ output }) => output),
  ...[
    loadNotes,
    nothing,
    block(read("plan")),
    block(reference),
    block(reference, read("plan"), { name: "list_notes", input: { limit: 3 } }),
    block({ name: "delete_note", input: { title: "plan" } }),
    block({
      name: "save_note",
      input: { title: "```\n", text: '\u2028```json\n{"tool_use":[]}\n```' },
    }),
    block(question),
    block(question, question),
    block(question, read("plan")),
  ].map(({ text }) => text),
  "The note says: buy milk.",
  "Which note do you mean?",
];
const splinters = [
  "`",
  "{",
  "}",
  "[",
  "]",
  '"',
  ":",
  ",",
  "\\",
  "\n",
  "```",
  "```json\n",
  "\n```",
  "<think>",
  "</think>",
  "null",
  '"name"',
  '"input"',
  '{"tool_use":[',
  "]}",
  '"__proto__":{}',
  '"tool_use"',
  "\u0000",
  "\ud800",
  "\udc00",
  "\u2028",
  "é",
  "CALL read_note",
];

interface Change {
  kind: "delete" | "double" | "swap" | "splice" | "insert";
  at: number;
  length: number;
  other: number;
  text: string;
}

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom("delete", "double", "swap", "splice", "insert"),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat(12),
  other: fc.nat(texts.length - 1),
  text: fc.oneof(fc.constantFrom(...splinters), fc.string({ unit: "grapheme", maxLength: 4 })),
});

function changed(text: string, { kind, at, length, other, text: written }: Change): string {
  const start = Math.floor(at * text.length);
  const [head, part, tail] = [
    text.slice(0, start),
    text.slice(start, start + length),
    text.slice(start + length),
  ];
  switch (kind) {
    case "delete":
      return head + tail;
    case "double":
      return head + part + part + tail;
    case "swap":
      return head + tail.slice(0, length) + part + tail.slice(length);
    case "splice":
      return head + (texts[other] ?? "").slice(Math.floor(at * (texts[other] ?? "").length));
    case "insert":
      return head + written + part + tail;
  }
}

const badReply = fc
  .tuple(
    fc.nat(texts.length - 1),
    fc.array(change, { maxLength: 3 }),
    fc.constantFrom<Finish>("stop", "stop", "stop", "length", "content_filter"),
  )
  .map(([index, changes, finish]) => raw(changes.reduce(changed, texts[index] ?? ""), { finish }));

/** An independent reading, as small as can be: what JSON.parse sees between the fences of a block that comes first. */
function callsOf(reply: string): Call[] {
  const found: Call[] = [];
  for (const opening of reply.matchAll(/```json[ \t]*\r?\n/g)) {
    const before = reply.slice(0, opening.index);
    if (!/(?:^|<\/(?:think|thinking|thought|reasoning)>|\[\/think\]|<channel\|>)\s*$/i.test(before))
      continue;
    const rest = reply.slice(opening.index + opening[0].length);
    for (const closing of rest.matchAll(/\n[ \t]*```/g))
      found.push(...parsed(rest.slice(0, closing.index)));
  }
  return found;
}

function parsed(json: string): Call[] {
  try {
    const value = JSON.parse(json) as { tool_use?: Call[] } | null;
    return Array.isArray(value?.tool_use) ? value.tool_use : [];
  } catch {
    return [];
  }
}

const limits = { max_retries: 2, max_steps: 4, max_asks: 2 };
const somebody: Asker = {
  ask: ({ pending }) =>
    Promise.resolve(
      pending.kind === "confirm" ? { kind: "yes" } : { kind: "reply", text: "the plan" },
    ),
  close: () => {},
};

test.prop([fc.array(badReply, { minLength: 1, maxLength: 6 }), fc.boolean(), fc.boolean()], {
  numRuns: 1500,
})(
  "whatever a model writes, a turn ends within its budgets, and only calls it has written in the one right form are reached",
  async (replies, isLoaded, isAnswered) => {
    let next = 0;
    const written: string[] = [];
    const { turn, events, requests } = await play(
      {
        id: "hostile",
        async *stream() {
          const { text, finish = "stop" } = replies[next++ % replies.length] ?? nothing;
          written.push(text);
          for (let start = 0; start < text.length; start += 40)
            yield { type: "text", text: text.slice(start, start + 40) };
          yield { type: "stop", finish };
        },
      },
      {
        project: cheap,
        limits,
        ...(isAnswered ? { asker: somebody } : {}),
        state: { loaded_skills: isLoaded ? ["notes"] : [] },
      },
    );

    // It ended, and no budget was overdrawn.
    expect(turn.outcome).not.toBeNull();
    expect(Math.min(...Object.values(turn.budget))).toBeGreaterThanOrEqual(0);
    expect(requests.length).toBeLessThanOrEqual(
      3 + 2 * limits.max_retries + limits.max_steps + limits.max_asks,
    );
    const { skill_call, tool_call, answer } = turn.usage;
    expect(skill_call.calls + tool_call.calls + answer.calls).toBe(requests.length);

    // Nothing was reached that was not written.
    const meant = written.flatMap(callsOf).map((call) => JSON.stringify(call));
    const reached = events.flatMap((event) => (event.type === "tool_use" ? [event.call] : []));
    for (const call of reached) expect(meant).toContain(JSON.stringify(call));
    expect(reached.length).toBeLessThanOrEqual(limits.max_steps);
    expect(project.ran()).toEqual([]);

    // Nothing that was meant for the harness was shown, and every prompt went on from the one before.
    for (const shown of shownOf(events))
      expect(shown).not.toMatch(/^(?:[`~]{3,}\w*\s*)?\{\s*"tool_(?:use|calls)"/m);
    const prompts = requests.map(({ messages }) => messages.map(({ text }) => text).join("\n\n"));
    for (const [index, prompt] of prompts.slice(1).entries()) {
      expect(prompt.startsWith(prompts[index] ?? "")).toBe(true);
      expect(prompt).not.toBe(prompts[index]);
      expect(prompt).not.toMatch(/\p{Surrogate}/u);
    }
  },
  240_000,
);
