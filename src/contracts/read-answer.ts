import type { Reading, Verdict } from "./contract.ts";
import { holdsEnvelope } from "./envelope.ts";
import { layoutOf, type Layout } from "./fences.ts";
import { foreignSyntax } from "./foreign.ts";
import { parseJson } from "./json.ts";
import { withoutOtherRoles, withoutStopTokens } from "./markers.ts";
import { refused, stoppedEarly, type EndedReply } from "./read-calls.ts";
import { isBareCall, isSchemaEcho } from "./shape.ts";
import { splitThinking } from "./thinking.ts";

// At the start of any line, in code or not: a person is never shown one, whole or half.
const ENVELOPE_LINE = /^(?:[`~]{3,9}[ \t]{0,3}\w{0,20}[ \t]{0,3})?\{\s*"tool_(?:use|calls)"/m;

/**
 * Reads a reply to the answer task, where nothing can run. What is meant for the harness is refused, so that no envelope
 * is ever shown to a person; so is thinking that never ends. Everything else is text, code and JSON included. Where the
 * model goes on as the user, the text ends.
 */
export function readAnswer({ reply, finish, phrase }: EndedReply): Reading {
  const { thinking, visible, isOpen } = splitThinking(reply);
  const text = withoutStopTokens(withoutOtherRoles(withoutStopTokens(visible)));
  const stopped = stoppedEarly(finish, phrase, isOpen ? "thinking" : "text");
  return { verdict: stopped ?? verdictOf(text, isOpen), text, thinking };
}

function verdictOf(text: string, isOpen: boolean): Verdict {
  if (isOpen) return refused({ code: "cut_off", inside: "thinking" });
  if (text === "") return refused({ code: "empty" });
  const layout = layoutOf(text);
  const foreign = foreignSyntax(text, layout);
  if (foreign) return refused(foreign);
  if (ENVELOPE_LINE.test(text) || holdsEnvelope(layout.prose))
    return refused({ code: "block_in_answer" });
  const bare = parseJson(text);
  if (bare.ok && isSchemaEcho(bare.value)) return refused({ code: "schema_echo" });
  const only = onlyFenced(text, layout);
  const json = only === null ? bare : parseJson(only);
  if (json.ok && isBareCall(json.value)) return refused({ code: "block_in_answer" });
  return { kind: "text", text };
}

/** What stands in the only fence of a text that has nothing outside it. */
function onlyFenced(text: string, { fenced, prose }: Layout): string | null {
  const [part] = fenced;
  return part && fenced.length === 1 && prose.trim() === ""
    ? text.slice(part.bodyStart, part.bodyEnd)
    : null;
}
