import type { Json } from "../../contracts/call.ts";
import type { FromPage } from "../protocol.ts";

const NAME_MAX = 1000;
const NAMES_MAX = 1000;
const TEXT_MAX = 100_000;
/** Levels of brackets: nothing that is made of a message may run out of stack, and to parse 500,000 takes seconds. */
const DEPTH_MAX = 200;

interface Kind {
  /** What a field of this kind has to be, for people. */
  name: string;
  is: (value: Json) => boolean;
}

const isText = (value: unknown, most: number): value is string =>
  typeof value === "string" && value.length <= most;

const whole: Kind = {
  name: "a whole number from 0",
  is: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
};
const name: Kind = {
  name: `a text of at most ${NAME_MAX} characters`,
  is: (value) => isText(value, NAME_MAX),
};
const text: Kind = {
  name: `a text of at most ${TEXT_MAX} characters`,
  is: (value) => isText(value, TEXT_MAX),
};
const names: Kind = {
  name: `a list of at most ${NAMES_MAX} texts of at most ${NAME_MAX} characters`,
  is: (value) => Array.isArray(value) && value.length <= NAMES_MAX && value.every(name.is),
};
const json: Kind = { name: "any JSON", is: () => true };
const remainder: Kind = {
  name: `"recorded", "live" or "hand"`,
  is: (value) => value === "recorded" || value === "live" || value === "hand",
};
const event: Kind = {
  name: `an object whose "type" is a text of at most ${NAME_MAX} characters`,
  is: (value) => isObject(value) && isText(value["type"], NAME_MAX),
};

/** Of each message, its fields but for `type`. */
const messages: { [Type in FromPage["type"]]: Fields<Extract<FromPage, { type: Type }>> } = {
  step: { run: whole },
  go: { run: whole },
  pause: { run: whole },
  go_to: { run: whole, state: name },
  breakpoints: { run: whole, breakpoints: names },
  answer: { run: whole, text },
  stop: { run: whole },
  prompt: { run: whole, step: whole },
  fork: { run: whole, step: whole, output: json, remainder },
  outcome: { run: whole, output: json, remainder },
  accepted: { run: whole, step: whole },
  send: { run: whole, step: whole, event },
};
type Fields<Message> = Record<Exclude<keyof Message, "type">, Kind>;

/** What a page says, or what is wrong with it, in one sentence. */
export function readMessage(source: string): FromPage | string {
  if (isDeep(source)) return `The message has more than ${DEPTH_MAX} levels.`;
  let message: Json;
  try {
    message = JSON.parse(source) as Json;
  } catch {
    return "The message is no JSON.";
  }
  if (!isObject(message)) return "The message is no JSON object.";
  return faultOf(message) ?? (message as FromPage);
}

function faultOf(message: Record<string, Json>): string | null {
  const { type, ...given } = message;
  if (typeof type !== "string" || !Object.hasOwn(messages, type))
    return "The message has no type that is known here.";
  const fields: Record<string, Kind> = messages[type as FromPage["type"]];
  for (const [field, kind] of Object.entries(fields)) {
    const value = Object.hasOwn(given, field) ? given[field] : undefined;
    if (value === undefined || !kind.is(value))
      return `"${field}" of "${type}" has to be ${kind.name}.`;
  }
  const isKnown = Object.keys(given).every((field) => Object.hasOwn(fields, field));
  return isKnown ? null : `"${type}" has a field too many.`;
}

const isObject = (value: Json | undefined): value is Record<string, Json> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function isDeep(source: string): boolean {
  let levels = 0;
  let isInString = false;
  for (let at = 0; at < source.length; at++) {
    const letter = source[at];
    if (letter === '"') isInString = !isInString;
    else if (isInString) at += letter === "\\" ? 1 : 0;
    else if (letter === "[" || letter === "{") levels += 1;
    else if (letter === "]" || letter === "}") levels -= 1;
    if (levels > DEPTH_MAX) return true;
  }
  return false;
}
