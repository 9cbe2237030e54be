import type { Json, JsonObject } from "./call.ts";
import { firstCharacter, readNumber, readString, readWord } from "./json-scalar.ts";
import { peek, positionOf, refuse, type JsonFault, type JsonText } from "./json-text.ts";
import { quoted } from "./quote.ts";

const DEPTH_MAX = 64; // lists and objects inside each other; also the bound of the recursion

/**
 * Reads a JSON text strictly (RFC 8259) and says in our own words what is wrong with it. Beyond the standard it
 * refuses what JavaScript would silently change or lose: a key that comes twice, a number that does not fit, the key
 * `__proto__`, a `constructor` that holds a `prototype`, and more than 64 levels. Never throws.
 */
export function parseJson(
  text: string,
): { ok: true; value: Json } | { ok: false; fault: JsonFault } {
  const json: JsonText = { text, at: 0, fault: null };
  const value = readValue(json, 0);
  if (json.fault === null && peek(json) !== "")
    refuse(json, "something stands after the end of the JSON");
  if (json.fault !== null) return { ok: false, fault: json.fault };
  if (value === undefined) throw new Error("a JSON value was neither read nor refused");
  return { ok: true, value };
}

function readValue(json: JsonText, depth: number): Json | undefined {
  const character = peek(json);
  if (character === "{" || character === "[") {
    if (depth === DEPTH_MAX) return refuse(json, `more than ${DEPTH_MAX} levels of brackets`);
    return character === "{" ? readObject(json, depth + 1) : readList(json, depth + 1);
  }
  if (character === '"') return readString(json);
  if (character === "-" || (character >= "0" && character <= "9")) return readNumber(json);
  return readWord(json);
}

function readList(json: JsonText, depth: number): Json[] | undefined {
  const list: Json[] = [];
  json.at += 1;
  if (closes(json, "]")) return list;
  for (;;) {
    const item = readValue(json, depth);
    if (item === undefined) return undefined;
    list.push(item);
    const more = continues(json, "]");
    if (more === undefined) return undefined;
    if (!more) return list;
  }
}

function readObject(json: JsonText, depth: number): JsonObject | undefined {
  const object: JsonObject = {};
  json.at += 1;
  if (closes(json, "}")) return object;
  for (;;) {
    const member = readMember(json, object, depth);
    const more = member && continues(json, "}");
    if (more === undefined) return undefined;
    if (!more) return object;
  }
}

/** Reads one key and its value into the object. */
function readMember(json: JsonText, object: JsonObject, depth: number): true | undefined {
  if (peek(json) !== '"') return refuse(json, keyReason(json));
  const keyAt = json.at;
  const key = readString(json);
  if (key === undefined) return undefined;
  if (Object.hasOwn(object, key)) return refuseKey(json, "duplicate_key", key, keyAt);
  if (key === "__proto__") return refuseKey(json, "forbidden_key", key, keyAt);
  if (peek(json) !== ":") return refuse(json, `a colon expected after the key ${quoted(key, 40)}`);
  json.at += 1;
  const value = readValue(json, depth);
  if (value === undefined) return undefined;
  // The other way to a shared prototype, for whoever merges inputs.
  if (key === "constructor" && holdsPrototype(value))
    return refuseKey(json, "forbidden_key", key, keyAt);
  object[key] = value;
  return true;
}

function closes(json: JsonText, bracket: string): boolean {
  if (peek(json) !== bracket) return false;
  json.at += 1;
  return true;
}

/** After an item: true when a comma and another item follow, false at the closing bracket. */
function continues(json: JsonText, bracket: "]" | "}"): boolean | undefined {
  const lastCharacter = json.text.charAt(json.at - 1);
  const character = peek(json);
  const at = json.at;
  json.at += 1;
  if (character === bracket) return false;
  if (character === ",") {
    if (peek(json) !== bracket) return true;
    return refuse(json, `a comma before "${bracket}"; remove it`, at);
  }
  if (character === "") return refuse(json, `the JSON ends too early; "${bracket}" is missing`, at);
  const hint =
    lastCharacter === '"' ? String.raw`; a double quote inside a string is written \"` : "";
  const found = quoted(firstCharacter(json.text, at));
  return refuse(json, `"," or "${bracket}" expected, found ${found}${hint}`, at);
}

function keyReason(json: JsonText): string {
  const character = peek(json);
  if (character === "") return 'the JSON ends too early; "}" is missing';
  if (character === "/" || character === "#") return "a comment; JSON has no comments";
  return `a key in double quotes expected, found ${quoted(firstCharacter(json.text, json.at))}`;
}

function refuseKey(
  json: JsonText,
  code: "duplicate_key" | "forbidden_key",
  key: string,
  offset: number,
): undefined {
  json.fault = { code, key, ...positionOf(json.text, offset) };
}

function holdsPrototype(value: Json): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, "prototype");
}
