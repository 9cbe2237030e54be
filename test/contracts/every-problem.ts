import type { Call } from "../../src/contracts/call.ts";
import { codeblock } from "../../src/contracts/codeblock.ts";
import type { Expects } from "../../src/contracts/contract.ts";
import { explain, summary } from "../../src/contracts/explain.ts";
import type { Problem, ProblemCode } from "../../src/contracts/problem.ts";

/** One problem for the golden text: what it is, what the step wanted, and the call that was meant, if one was. */
interface Example<P extends Problem = Problem> {
  problem: P;
  expects?: Expects;
  call?: Call;
}

const readPlan: Call = { name: "read_note", input: { title: "plan" } };
const ask: Call = { name: "ask_user_question", input: { question: "Which note?" } };
const tools = ["list_notes", "read_note", "save_note"];

/** At least one example for every code: a code without one does not compile. */
export const examples: { [Code in ProblemCode]: Example<Extract<Problem, { code: Code }>>[] } = {
  empty: [{ problem: { code: "empty" } }, { problem: { code: "empty" }, expects: "text" }],
  cut_off: [
    { problem: { code: "cut_off", inside: "thinking" } },
    { problem: { code: "cut_off", inside: "block" }, call: readPlan },
    { problem: { code: "cut_off", inside: "text" } },
    { problem: { code: "cut_off", inside: "thinking" }, expects: "text" },
    { problem: { code: "cut_off", inside: "text" }, expects: "text" },
  ],
  filtered: [{ problem: { code: "filtered" } }, { problem: { code: "filtered" }, expects: "text" }],
  in_thinking: [{ problem: { code: "in_thinking" }, call: readPlan }],
  foreign_syntax: [
    { problem: { code: "foreign_syntax", syntax: "xml_tag", tool: "read_note" }, call: readPlan },
    {
      problem: { code: "foreign_syntax", syntax: "function_tag", tool: "read_note" },
      call: readPlan,
    },
    { problem: { code: "foreign_syntax", syntax: "hermes" } },
    { problem: { code: "foreign_syntax", syntax: "react", tool: "read_note" }, call: readPlan },
    { problem: { code: "foreign_syntax", syntax: "gemma", tool: "read_note" }, call: readPlan },
    { problem: { code: "foreign_syntax", syntax: "mistral", tool: "read_note" }, call: readPlan },
    { problem: { code: "foreign_syntax", syntax: "llama", tool: "read_note" }, call: readPlan },
    { problem: { code: "foreign_syntax", syntax: "call_line", tool: "read_note" }, call: readPlan },
    { problem: { code: "foreign_syntax", syntax: "hermes", tool: "read_note" }, expects: "text" },
  ],
  schema_echo: [
    { problem: { code: "schema_echo" } },
    { problem: { code: "schema_echo" }, expects: "text" },
  ],
  degenerate: [
    { problem: { code: "degenerate", phrase: "I will check." } },
    { problem: { code: "degenerate", phrase: "I will check." }, expects: "text" },
  ],
  no_block: [
    { problem: { code: "no_block", bare_json: true }, call: readPlan },
    { problem: { code: "no_block", bare_json: false } },
  ],
  bad_fence: [{ problem: { code: "bad_fence", found: "~~~json", line: 1 }, call: readPlan }],
  unclosed_block: [{ problem: { code: "unclosed_block" }, call: readPlan }],
  many_blocks: [{ problem: { code: "many_blocks", count: 2 }, call: readPlan }],
  text_outside: [
    {
      problem: { code: "text_outside", where: "before", excerpt: "Sure, let me look.", line: 1 },
      call: readPlan,
    },
    {
      problem: { code: "text_outside", where: "after", excerpt: "I hope that helps!", line: 4 },
      call: readPlan,
    },
  ],
  bad_json: [
    {
      problem: {
        code: "bad_json",
        reason: String.raw`\d is not an escape; write \\d`,
        line: 2,
        column: 54,
      },
      call: { name: "find_text", input: { pattern: String.raw`\d+` } },
    },
  ],
  duplicate_key: [
    { problem: { code: "duplicate_key", key: "title", line: 2, column: 60 }, call: readPlan },
  ],
  forbidden_key: [
    { problem: { code: "forbidden_key", key: "__proto__", line: 2, column: 44 }, call: readPlan },
  ],
  wrong_shape: [
    {
      problem: {
        code: "wrong_shape",
        at: "the top level",
        expected: 'an object with exactly one key, "tool_use"',
        found: 'an object with the key "tool_calls"',
      },
      call: readPlan,
    },
  ],
  block_in_answer: [{ problem: { code: "block_in_answer" }, expects: "text" }],
  question_not_alone: [{ problem: { code: "question_not_alone" }, call: ask }],
  unknown_tool: [
    {
      problem: { code: "unknown_tool", name: "reed_note", known: tools, nearest: "read_note" },
      call: readPlan,
    },
    { problem: { code: "unknown_tool", name: "str_replace_editor", known: tools } },
    {
      problem: {
        code: "unknown_tool",
        name: 'two\nlines and a "quote"',
        known: Array.from({ length: 15 }, (_, index) => `tool_${index + 1}`),
      },
    },
  ],
  unknown_skill: [
    {
      problem: {
        code: "unknown_skill",
        name: "wether",
        known: ["weather", "notes"],
        nearest: "weather",
      },
    },
    { problem: { code: "unknown_skill", name: "calendar", known: [] } },
  ],
  skill_not_loaded: [{ problem: { code: "skill_not_loaded", name: "notes", loaded: ["weather"] } }],
  unknown_reference: [
    {
      problem: {
        code: "unknown_reference",
        skill: "notes",
        path: "formats.md",
        known: ["references/format.md"],
        nearest: "references/format.md",
      },
    },
  ],
  unsafe_reference: [
    { problem: { code: "unsafe_reference", skill: "notes", path: "../../etc/passwd" } },
  ],
  bad_argument: [
    {
      problem: {
        code: "bad_argument",
        tool: "list_notes",
        faults: [
          {
            fault: "bad_type",
            path: "limit",
            expected: "an integer from 1 to 10, written without quotes",
            found: "0x10",
          },
          {
            fault: "unknown_arg",
            path: "foldr",
            expected: "one of folder, limit, archived",
            nearest: "folder",
          },
        ],
        example: { name: "list_notes", input: { folder: "work", limit: 5 } },
      },
    },
    {
      problem: {
        code: "bad_argument",
        tool: "add_label",
        faults: [
          { fault: "missing_arg", path: "title", expected: "a text in quotes" },
          {
            fault: "over_limit",
            path: "label",
            expected: "a text in quotes of at most 40 characters",
            found: "x".repeat(90),
          },
          {
            fault: "bad_value",
            path: "colour",
            expected: 'one of "red", "green"',
            found: "gren",
            nearest: "green",
          },
        ],
      },
      call: { name: "add_label", input: { title: "plan", label: "urgent" } },
    },
  ],
  script_failed: [
    { problem: { code: "script_failed", tool: "read_note", exit_code: 3, signal: null } },
    { problem: { code: "script_failed", tool: "read_note", exit_code: null, signal: "SIGKILL" } },
  ],
  script_timed_out: [
    { problem: { code: "script_timed_out", tool: "read_note", timeout_ms: 30_000 } },
  ],
  interrupted: [{ problem: { code: "interrupted", tool: "save_note" }, expects: "calls" }],
  script_not_started: [
    {
      problem: {
        code: "script_not_started",
        tool: "read_note",
        reason: "python3 is not installed",
      },
    },
    {
      problem: {
        code: "script_not_started",
        tool: "save_note",
        reason: "the arguments are too long for the operating system: pass less text",
      },
    },
  ],
  claimed_effect: [
    { problem: { code: "claimed_effect", claim: "Saved it for you!" }, expects: "text" },
  ],
  announced_only: [
    {
      problem: { code: "announced_only", announcement: "I will now read the plan note." },
      expects: "text",
    },
  ],
  backend: [
    {
      problem: {
        code: "backend",
        fault: "throttled",
        message: "bedrock: too many requests; wait a minute, then ask again.",
        retryable: true,
        retry_after_ms: 2_000,
      },
      expects: "text",
    },
    {
      problem: { code: "backend", fault: "network", message: "", retryable: true },
      expects: "calls",
    },
  ],
  internal: [
    {
      problem: { code: "internal", name: "TypeError", message: "x is not\na function" },
      expects: "text",
    },
  ],
};

/** All examples with their three attempts and their summary, as one text for people to read. */
export function goldenText(): string {
  const parts = Object.values(examples)
    .flat()
    .map(({ problem, expects = "calls", call }: Example) => {
      const attempts = [1, 2, 3].map(
        (attempt) =>
          `--- attempt ${attempt}\n${explain(problem, { attempt, expects, format: codeblock.format, example: call ?? null })}`,
      );
      return [`=== ${problem.code} (${expects}): ${summary(problem)}`, ...attempts].join("\n");
    });
  return `${parts.join("\n\n")}\n`;
}
