import type { Json } from "../contracts/call.ts";

/** What stands in a journal for a secret; one secret has one number, so that equal values stay equal. */
export const redactionMark = (number: number): string => `[redacted:${number}]`;

/** Whether a value out of a journal lacks a secret that it held. */
export const holdsRedacted = (value: Json): boolean =>
  /\[redacted:\d+\]/.test(JSON.stringify(value));
