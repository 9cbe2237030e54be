import type { Call } from "./call.ts";
import type { Finish, Reading, Verdict } from "./contract.ts";
import { holdsEnvelope } from "./envelope.ts";
import { layoutOf, type Fenced, type Layout } from "./fences.ts";
import { foreignSyntax } from "./foreign.ts";
import { parseJson } from "./json.ts";
import { withoutStopTokens } from "./markers.ts";
import type { Problem } from "./problem.ts";
import { clip } from "./quote.ts";
import { callsOf, isSchemaEcho } from "./shape.ts";
import { splitThinking } from "./thinking.ts";

const FENCE_SHOWN_CHARS = 24;
const CALL_ATTEMPT = /tool_use|tool_calls?\b|["']name["']/;
const BARE_JSON = /^(?:\{\s*["'}]|\[\s*[[{"\]])/;

/** A reply that has ended, as its reader knows it. `phrase`: what it said over and over, if it did. */
export interface EndedReply {
  reply: string;
  finish: Finish;
  phrase: string | null;
}

/**
 * Reads a reply to a task that wants calls. The reading's text, which lines and columns refer to, is the reply without
 * thinking, stop tokens and the white space around it.
 */
export function readCalls({ reply, finish, phrase }: EndedReply): Reading {
  const { thinking, visible, isOpen } = splitThinking(reply);
  const text = withoutStopTokens(visible);
  const layout = layoutOf(text);
  const stopped = stoppedEarly(finish, phrase, cutInside(isOpen, text, layout));
  return { verdict: stopped ?? verdictOf(text, layout, thinking, isOpen), text, thinking };
}

/** What the way a reply ended says about it, before anything in it is looked at. */
export function stoppedEarly(
  finish: Finish,
  phrase: string | null,
  inside: "thinking" | "block" | "text",
): Verdict | null {
  if (finish === "content_filter") return refused({ code: "filtered" });
  if (phrase !== null) return refused({ code: "degenerate", phrase: clip(phrase) });
  return finish === "length" ? refused({ code: "cut_off", inside }) : null;
}

export function refused(problem: Problem): Verdict {
  return { kind: "refused", problem };
}

function cutInside(isOpen: boolean, text: string, layout: Layout): "thinking" | "block" | "text" {
  if (isOpen) return "thinking";
  const isFenceStart = text !== "" && "```json".startsWith(text);
  return layout.fenced.length > 0 || isFenceStart || BARE_JSON.test(text) ? "block" : "text";
}

function verdictOf(text: string, layout: Layout, thinking: string, isOpen: boolean): Verdict {
  const result = blockOf(text, layout);
  if (Array.isArray(result)) return { kind: "calls", calls: result };
  if (hasNothingUseful(text, result) && holdsCall(thinking))
    return refused({ code: "in_thinking" });
  return refused(isOpen ? { code: "cut_off", inside: "thinking" } : result);
}

function blockOf(text: string, layout: Layout): Call[] | Problem {
  if (text === "") return { code: "empty" };
  const foreign = foreignSyntax(text, layout);
  if (foreign) return foreign;
  const blocks = layout.fenced.filter(({ isBlock }) => isBlock);
  const [block] = blocks;
  if (!block) return withoutBlock(text, layout);
  return faultAround(text, block, blocks) ?? callsIn(text, block);
}

function withoutBlock(text: string, layout: Layout): Problem {
  const attempt = layout.fenced.find(({ start, end }) => CALL_ATTEMPT.test(text.slice(start, end)));
  if (attempt)
    return { code: "bad_fence", found: clip(attempt.fence, FENCE_SHOWN_CHARS), line: attempt.line };
  const json = parseJson(text);
  if (json.ok && isSchemaEcho(json.value)) return { code: "schema_echo" };
  return {
    code: "no_block",
    bare_json: BARE_JSON.test(text) || holdsEnvelope(layout.prose),
  };
}

/** What is wrong about the block's fences and about what stands around it. */
function faultAround(text: string, block: Fenced, blocks: readonly Fenced[]): Problem | null {
  // Where a block with a broken string ends is a guess, so its JSON is looked at first.
  if (block.hasBrokenString) return null;
  if (blocks.length > 1) return { code: "many_blocks", count: blocks.length };
  if (block.closing === "wrong")
    return badFence(text.slice(block.bodyEnd).split("\n", 1)[0] ?? "", block.closingLine);
  if (block.closing === "missing") return misplacedFence(text, block) ?? { code: "unclosed_block" };
  const before = text.slice(0, block.start).trim();
  if (before !== "") return outside("before", before, 1);
  const after = text.slice(block.end);
  if (after.trim() === "") return null;
  const skipped = after.slice(0, after.length - after.trimStart().length).split("\n").length - 1;
  const isNextLine = text.charAt(block.end - 1) === "\n";
  return outside("after", after.trim(), block.closingLine + (isNextLine ? 1 : 0) + skipped);
}

function outside(where: "before" | "after", found: string, line: number): Problem {
  return {
    code: "text_outside",
    where,
    excerpt: clip((found.split("\n", 1)[0] ?? "").trimEnd()),
    line,
  };
}

function badFence(found: string, line: number): Problem {
  return { code: "bad_fence", found: clip(found.trimEnd(), FENCE_SHOWN_CHARS), line };
}

/** A closing fence that does not stand at the start of a line: behind the JSON, or indented. */
function misplacedFence(text: string, block: Fenced): Problem | null {
  const body = text.slice(block.bodyStart);
  const lines = body.split("\n");
  const index = lines.findIndex((line) => line.trimEnd().endsWith("```"));
  if (index < 0) return null;
  const found = (lines[index] ?? "").trim();
  return badFence(
    found.length > FENCE_SHOWN_CHARS ? `…${found.slice(-8)}` : found,
    block.line + 1 + index,
  );
}

function callsIn(text: string, block: Fenced): Call[] | Problem {
  const json = parseJson(text.slice(block.bodyStart, block.bodyEnd));
  if (json.ok) return callsOf(json.value);
  return { ...json.fault, line: json.fault.line + block.line };
}

/** Nothing that could be acted on. A question for the user is useful, even where a call was wanted. */
function hasNothingUseful(text: string, problem: Problem): boolean {
  return (
    problem.code === "empty" ||
    (problem.code === "no_block" && !problem.bare_json && !text.endsWith("?"))
  );
}

function holdsCall(thinking: string): boolean {
  if (thinking === "") return false;
  const layout = layoutOf(thinking);
  const holdsBlock = layout.fenced.some(({ start, end }) =>
    /tool_use/.test(thinking.slice(start, end)),
  );
  return (
    holdsBlock || /^\{\s*"tool_use"/m.test(layout.prose) || foreignSyntax(thinking, layout) !== null
  );
}
