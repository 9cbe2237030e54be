import type { Call } from "../contracts/call.ts";
import { visible } from "../skills/text.ts";

/** Far more than any path; a text this long is known by its two ends. */
const VALUE_CHARACTERS_MAX = 1_000;

const REASONS = {
  destructive: "This changes or deletes what is there. Run it?",
  interrupted: "It was interrupted before, and may have done its work then. Run it again?",
};

/**
 * The question before a call that destroys something; without a reason only the call. Its values are shown whole: what is
 * cut off is not agreed to.
 */
export function confirmation({ name, input }: Call, why: keyof typeof REASONS | null): string {
  const values = Object.entries(input).map(
    ([property, value]) => `${property}=${visible(endsOf(JSON.stringify(value)))}`,
  );
  const shown = [name, ...values].join(" ");
  return why === null ? shown : `${shown}\n${REASONS[why]}`;
}

function endsOf(text: string): string {
  if (text.length <= VALUE_CHARACTERS_MAX) return text;
  const half = VALUE_CHARACTERS_MAX / 2;
  const missing = (text.length - 2 * half).toLocaleString("en-US");
  return `${text.slice(0, half)} [… ${missing} characters not shown …] ${text.slice(-half)}`;
}
