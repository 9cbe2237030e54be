import type { ForeignSyntax } from "./problem.ts";
import { quoted } from "./quote.ts";
import type { WordsFor } from "./wording.ts";

// Named without their tokens: a chat template may read those wherever they stand.
const NOTATIONS: Record<ForeignSyntax, string> = {
  xml_tag: "XML tags",
  function_tag: "a function tag",
  hermes: "tool_call tags",
  react: "an Action line",
  gemma: "tool_code",
  mistral: "a TOOL_CALLS mark",
  llama: "a python tag",
  call_line: "a CALL line",
};

/** What the notation of a foreign call is called in a sentence. */
export function notationOf(syntax: ForeignSyntax): string {
  return NOTATIONS[syntax];
}

const CUT_OFF = {
  thinking: {
    summary: "the reply was cut off inside the thinking",
    fault: "Your thinking was cut off, so no call came.",
    fix: "Think less, then write the call.",
  },
  block: {
    summary: "the reply was cut off inside the block",
    fault: "Your block was too long and was cut off.",
    fix: "Write less: send a long text in parts, one call for each.",
  },
  text: {
    summary: "the reply was cut off by the length limit",
    fault: "Your reply was too long and was cut off before a call came.",
    fix: "Write the call first.",
  },
} as const;

type ReplyCode =
  | "empty"
  | "cut_off"
  | "filtered"
  | "in_thinking"
  | "foreign_syntax"
  | "schema_echo"
  | "degenerate"
  | "no_block"
  | "bad_fence"
  | "unclosed_block"
  | "many_blocks"
  | "text_outside";

/** How a reply that should be calls is written. */
export const replyWords: WordsFor<ReplyCode> = {
  empty: () => ({
    summary: "the reply was empty",
    fault: "Your reply was empty.",
    fix: "Reply with a call.",
    shows: "call",
  }),
  cut_off: ({ inside }) => ({ ...CUT_OFF[inside], shows: "call" }),
  filtered: () => ({
    summary: "the model service withheld the reply",
    fault: "Your reply was withheld by the service's content filter.",
    fix: "Leave out what may have caused it.",
    shows: "call",
  }),
  in_thinking: () => ({
    summary: "the call stood inside the thinking",
    fault: "Your call stood inside your thinking, where nothing is run.",
    fix: "End the thinking, then write the call.",
    shows: "call",
  }),
  foreign_syntax: ({ syntax, tool }) => {
    const what = tool === undefined ? "a call" : `the call ${quoted(tool, 60)}`;
    return {
      summary: `the reply held ${what} as ${notationOf(syntax)}`,
      fault: `You wrote ${what} as ${notationOf(syntax)}. That form does not work here.`,
      fix: "Use this step's form.",
      shows: "call",
    };
  },
  schema_echo: () => ({
    summary: "the reply repeated the description of a tool",
    fault: "You repeated the description of a tool. That is not a call.",
    fix: "Write a call with real values.",
    shows: "call",
  }),
  degenerate: ({ phrase }) => ({
    summary: `the reply repeated ${quoted(phrase)} over and over`,
    fault: `You wrote ${quoted(phrase)} over and over, so the reply was stopped.`,
    fix: "Write the call at once.",
    shows: "call",
  }),
  no_block: ({ bare_json }) =>
    bare_json
      ? {
          summary: "the JSON did not stand in a json block",
          fault: "Your JSON did not stand in a block.",
          fix: "Begin with the line ```json and end with the line ```.",
          shows: "call",
        }
      : {
          summary: "the reply had no json block",
          fault: "Your reply had no json block.",
          fix: "This step wants a block and no other text.",
          shows: "call",
        },
  bad_fence: ({ found, line }) => ({
    summary: `line ${line} of the reply was ${quoted(found)} where a fence line should stand`,
    fault: `Line ${line} of your reply was ${quoted(found)}. That is not a fence line of a json block.`,
    fix: "The first line is ```json alone, the last line is ``` alone.",
    shows: "call",
  }),
  unclosed_block: () => ({
    summary: "the json block had no closing line",
    fault: "Your json block had no closing line.",
    fix: "End the block with the line ``` alone.",
    shows: "call",
  }),
  many_blocks: ({ count }) => ({
    summary: `the reply had ${count} json blocks`,
    fault: `Your reply had ${count} json blocks.`,
    fix: "Put all calls into the list of one block.",
    shows: "call",
  }),
  text_outside: ({ where, excerpt, line }) => ({
    summary: `text stood ${where} the block: ${quoted(excerpt)}`,
    fault: `You wrote text ${where} the block, on line ${line}: ${quoted(excerpt)}.`,
    fix: "Write the block and nothing else.",
    shows: "call",
  }),
};
