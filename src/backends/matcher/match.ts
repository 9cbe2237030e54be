import { signature, type Call, type Json, type JsonObject } from "../../contracts/call.ts";
import type { Skill } from "../../skills/skill.ts";
import { align } from "./align.ts";
import type { KnownTool } from "./pattern.ts";
import { knownTool } from "./patterns.ts";
import { reasonFor, type DeclineReason, type Reading } from "./reason.ts";
import { referenceFor } from "./reference.ts";
import { asReading, requestOf, type Request } from "./request.ts";

/** What a request asks for: one call of one skill, or why it is not acted on. */
export type Match =
  | { kind: "call"; skill: string; call: Call }
  | { kind: "reference"; skill: string; path: string }
  | { kind: "declined"; reason: DeclineReason };

/** The call that a match stands for once its skill is loaded. */
export function callFor(match: Exclude<Match, { kind: "declined" }>): Call {
  if (match.kind === "call") return match.call;
  return { name: "load_skill_extension", input: { skill_name: match.skill, path: match.path } };
}

/** A request longer than this says more than one thing. It is not even taken apart. */
const REQUEST_CHARACTERS_MAX = 2_000;
const TOKENS_MAX = 60;

/**
 * Makes the matcher for some skills. It acts only on a request that it can explain to the last word, and only when
 * that leaves exactly one call; everything else is declined with a reason. The same request always gives the same match.
 */
export function createMatcher(skills: readonly Skill[]): (request: string) => Match {
  const tools = skills.flatMap((skill) => skill.tools.map((tool) => knownTool(tool, skill)));
  return (text) => {
    if (text.length > REQUEST_CHARACTERS_MAX) return declined({ code: "too_long" });
    const request = requestOf(text);
    if (request.tokens.length > TOKENS_MAX) return declined({ code: "too_long" });
    const readings = tools.map((known) => readingOf(request, known));
    const calls = new Map<string, { skill: string; call: Call }>();
    for (const { known, inputs } of readings)
      for (const input of inputs) {
        const call = { name: known.tool.name, input };
        calls.set(signature(call), { skill: known.tool.skill, call });
      }
    const [first, ...others] = calls.values();
    if (first && others.length > 0)
      return declined({ code: "several", calls: [...calls.values()].map(({ call }) => call) });
    if (first) return { kind: "call", ...first };
    return referenceFor(request, skills) ?? declined(reasonFor(request, readings, skills));
  };
}

const declined = (reason: DeclineReason): Match => ({ kind: "declined", reason });

function readingOf(request: Request, known: KnownTool): Reading {
  const tokens = known.isReadOnly ? asReading(request.tokens) : request.tokens;
  const alignments = known.patterns.map((pattern) => align(pattern, tokens, known));
  // "delete a.txt?" wonders; "can you delete a.txt?" asks.
  const isAsked = known.isReadOnly || !request.endsAsQuestion || request.asksKindly;
  const inputs = alignments.flatMap(({ input }) => {
    const complete = isAsked && input ? withDefaults(input, known) : undefined;
    return complete && isAllowed(complete, known) ? [complete] : [];
  });
  const [best = { input: undefined, explained: 0, wanted: undefined }] = alignments.toSorted(
    (a, b) => b.explained - a.explained,
  );
  return { ...best, known, tokens, inputs };
}

function withDefaults(input: JsonObject, { tool }: KnownTool): JsonObject | undefined {
  const complete: Record<string, Json> = { ...input };
  for (const name of tool.schema.required) {
    if (Object.hasOwn(complete, name)) continue;
    const preset = tool.schema.properties[name]?.default;
    if (preset === undefined) return undefined;
    complete[name] = preset;
  }
  return complete;
}

function isAllowed(input: JsonObject, { tool }: KnownTool): boolean {
  return tool.exclusive.every(({ names, required }) => {
    const given = names.filter((name) => Object.hasOwn(input, name)).length;
    return given === 1 || (given === 0 && !required);
  });
}
