import type { Json } from "../contracts/call.ts";
import { redactionMark } from "./redaction-mark.ts";

export interface Redactor {
  /** The value without its secrets, and whether it held any. */
  redact<T>(value: T): { value: T; found: boolean };
}

const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL/i;
/** A shorter value stands in too many texts that have nothing to do with it. */
const SECRET_CHARACTERS_MIN = 8;

/** What secrets look like wherever they come from. Each is bounded, so that reading stays linear. */
const SHAPES = [
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,200}/g,
  /\b(?:ghp|gho|ghs|ghu)_[A-Za-z0-9]{20,200}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,200}/g,
  /\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,200}/g,
  /\bxox[abp]-[A-Za-z0-9-]{10,200}/g,
  /(?<=\bBearer )[A-Za-z0-9._~+/=-]{8,4000}/g,
  /(?<=:\/\/[^\s:/@]{0,100}:)[^\s:/@]{1,200}(?=@)/g,
  // A private key up to its end, or, where it is cut short, as far as it goes.
  /-----BEGIN [A-Z ]{0,20}PRIVATE KEY(?: BLOCK)?-----(?:(?:[^-]|-(?!----)){1,20000}-----END [A-Z ]{0,20}PRIVATE KEY(?: BLOCK)?-----|(?:(?:\s|\\[nr]){1,4}[A-Za-z0-9+/=]{16,100}){1,400})/g,
];

/** What decides how a record is read. A plain word there is no secret, even if somebody's password is that word. */
const STRUCTURE = new Set(["type", "of", "kind", "by", "state", "effect", "code", "task", "role"]);
const WORD = /^[a-z_]{1,30}$/;
/** A mark that a text already holds, from an earlier run or from somebody's hand. */
const MARK = /\[redacted:(\d{1,9})\]/g;

/** The values of an environment whose names say that they are secret, the longest first. */
export function secretsOf(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(environment)
    .flatMap(([name, value = ""]) =>
      SECRET_NAME.test(name) && value.length >= SECRET_CHARACTERS_MIN ? [value] : [],
    )
    .toSorted((a, b) => b.length - a.length);
}

/**
 * Replaces secrets in the texts of a value, never its keys. One secret keeps one number, so that two equal values stay
 * equal and two others stay apart: what is folded later takes the same way. A number that stands in a text already is
 * not given again.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const numbers = new Map<string, number>();
  let last = 0;
  const markOf = (secret: string) => {
    const number = numbers.get(secret) ?? ++last;
    numbers.set(secret, number);
    return redactionMark(number);
  };
  const clean = (text: string) => {
    for (const [, number] of text.matchAll(MARK)) last = Math.max(last, Number(number));
    let result = text;
    for (const secret of secrets)
      if (secret !== "" && result.includes(secret))
        result = result.replaceAll(secret, () => markOf(secret));
    for (const shape of SHAPES) result = result.replace(shape, markOf);
    return result;
  };
  return {
    redact<T>(value: T) {
      let found = false;
      const walk = (part: Json | undefined, key = ""): Json | undefined => {
        if (typeof part === "string") {
          if (STRUCTURE.has(key) && WORD.test(part)) return part;
          const cleaned = clean(part);
          found ||= cleaned !== part;
          return cleaned;
        }
        if (Array.isArray(part)) return part.map((item) => walk(item) ?? null);
        if (part === null || typeof part !== "object") return part;
        return Object.fromEntries(
          Object.entries(part).map(([name, item]) => [name, walk(item, name)]),
        ) as Json;
      };
      const cleaned = walk(value as Json);
      return { value: (found ? cleaned : value) as T, found };
    },
  };
}
