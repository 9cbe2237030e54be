import type { Call } from "../contracts/call.ts";
import { summary } from "../contracts/explain.ts";
import { nameList } from "../contracts/wording.ts";
import type { Notice } from "../session/entry.ts";

/** A call in one line, long values cut: for prompts and for people. */
export function callLine(call: Call): string {
  const input = Object.entries(call.input)
    .slice(0, VALUES_MAX)
    .map(([name, value]) => `${nameList([name])}=${clip(JSON.stringify(value))}`);
  const more = Object.keys(call.input).length - input.length;
  return [nameList([call.name]), ...input, ...(more > 0 ? [`(+${more} more)`] : [])].join(" ");
}

const VALUES_MAX = 20;
const VALUE_LENGTH_MAX = 80;
const clip = (value: string) => {
  const letters = Array.from(value);
  return letters.length > VALUE_LENGTH_MAX
    ? `${letters.slice(0, VALUE_LENGTH_MAX).join("")}…`
    : value;
};

const list = (calls: readonly Call[]) => calls.map(callLine).join("; ");

/** What the model is told when something happened that is neither a result nor a refusal. */
export function noticeText(notice: Notice): string {
  switch (notice.code) {
    case "denied":
      return `The user said no to ${callLine(notice.call)}. It did not run. Do not ask for it again.`;
    case "dropped":
      return `These calls of the same list did not run: ${list(notice.calls)}.`;
    case "already_done":
      return `${callLine(notice.call)} is not new: what came of it stands above.`;
    case "only_repeats":
      return "Nothing in that list is new: what came of each call stands above, and none runs twice.";
    case "going_round":
      return `You are calling the same things in a circle (${list(notice.calls)}), so no more calls will run.`;
    case "max_steps":
      return `No more calls can run in this turn. Left undone: ${list(notice.undone)}. Say so in the answer.`;
    case "max_asks":
      return `No more questions can be put to the user in this turn. Not asked: ${clip(JSON.stringify(notice.question))}`;
    case "max_retries":
      return `This was given up after several tries: ${summary(notice.problem)}. Say so honestly in the answer.`;
    case "no_progress":
      return `This was given up, because the same reply came again and again: ${summary(notice.problem)}. Say so honestly in the answer.`;
  }
}
