import { createBlockWatch } from "./complete.ts";
import type { Contract, Expects, ReplyReader } from "./contract.ts";
import { createRepetitionWatch } from "./degenerate.ts";
import { inert } from "./quote.ts";
import { readAnswer } from "./read-answer.ts";
import { readCalls } from "./read-calls.ts";

/**
 * Calls as exactly one json block with nothing outside it: `{"tool_use": [{"name": …, "input": {…}}]}`, an empty list
 * for no calls. What is not exactly this is refused by name; nothing is repaired, unescaped or coerced.
 */
export const codeblock: Contract = {
  name: "codeblock",
  reader,
  // Template tokens inside strings are escaped: JSON reads them back as they were, no chat template reads them at all.
  format: (calls) =>
    `\`\`\`json\n${inert(JSON.stringify({ tool_use: calls.map(({ name, input }) => ({ name, input })) }))}\n\`\`\``,
};

function reader(expects: Expects): ReplyReader {
  let reply = "";
  const repetition = createRepetitionWatch();
  const block = createBlockWatch();
  return {
    write(piece) {
      reply += piece;
      repetition.write(piece);
      const isComplete = expects === "calls" && block.write(piece);
      return { complete: isComplete || repetition.phrase() !== null };
    },
    end(finish) {
      const ended = { reply, finish, phrase: repetition.phrase() };
      return expects === "calls" ? readCalls(ended) : readAnswer(ended);
    },
  };
}
