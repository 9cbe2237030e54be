import type { Json, JsonObject } from "../../contracts/call.ts";

/** What is deeper or more than this is a placeholder: a context may hold half a program. */
const DEPTH_MAX = 32;
const VALUES_MAX = 50_000;
const TEXT_MAX = 100_000;

/** One conversion: how many values it may still show, and the objects that it is inside of. */
interface Conversion {
  left: number;
  inside: Set<object>;
}

/**
 * Any value as plain JSON. What JSON has no word for is shown as a text in brackets: "(function save)", "(actor load)",
 * "(circular)". Never throws, whatever the value does when it is read.
 */
export const plainJson = (value: unknown): Json =>
  plain(value, { left: VALUES_MAX, inside: new Set() });

/** The same for a context, which XState keeps an object. */
export function plainObject(value: unknown): JsonObject {
  const json = plainJson(value);
  return typeof json === "object" && json !== null && !Array.isArray(json)
    ? json
    : { context: json };
}

function plain(value: unknown, conversion: Conversion): Json {
  conversion.left -= 1;
  if (conversion.left < 0) return "(more)";
  try {
    if (typeof value === "object" && value !== null) return plainInside(value, conversion);
    return plainScalar(value);
  } catch {
    return "(unreadable)"; // a getter or a proxy that throws
  }
}

function plainScalar(value: unknown): Json {
  if (typeof value === "string") return shortened(value);
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : `(${value})`;
  if (typeof value === "bigint") return `(${value}n)`;
  if (typeof value === "symbol") return `(${String(value)})`;
  if (typeof value === "function")
    return value.name === "" ? "(function)" : `(function ${value.name})`;
  return null; // undefined in a list, as JSON has it
}

const shortened = (text: string): string =>
  text.length <= TEXT_MAX ? text : `${text.slice(0, TEXT_MAX)}… (${text.length} characters)`;

function plainInside(value: object, conversion: Conversion): Json {
  if (conversion.inside.has(value)) return "(circular)";
  const known = knownText(value);
  if (known !== null) return known;
  if (conversion.inside.size === DEPTH_MAX) return "(deeper)";
  conversion.inside.add(value);
  const json = plainEntries(value, conversion);
  conversion.inside.delete(value);
  return json;
}

/** The kinds of objects that are one word for people; null for all others. */
function knownText(value: object): string | null {
  if (value instanceof Date)
    return `(Date ${Number.isNaN(value.getTime()) ? "invalid" : value.toISOString()})`;
  if (value instanceof Error) return `(${value.name}: ${value.message})`;
  if (ArrayBuffer.isView(value)) return `(${className(value)} of ${value.byteLength} bytes)`;
  if ("sessionId" in value && "getSnapshot" in value && "id" in value)
    return `(actor ${String(value.id)})`;
  const name = className(value);
  const isContainer = ["Object", "Array", "Map", "Set"].includes(name);
  return isContainer || Object.keys(value).length > 0 ? null : `(${name})`;
}

const className = (value: object): string => {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (typeof prototype !== "object" || prototype === null) return "Object";
  return "constructor" in prototype && typeof prototype.constructor === "function"
    ? prototype.constructor.name
    : "Object";
};

function plainEntries(value: object, conversion: Conversion): Json {
  if (value instanceof Map) return { "(Map)": plainList([...value.entries()], conversion) };
  if (value instanceof Set) return { "(Set)": plainList([...value], conversion) };
  if (Array.isArray(value)) return plainList(value, conversion);
  const entries: [string, Json][] = [];
  for (const key of Object.keys(value)) {
    if (conversion.left <= 0) {
      entries.push(["(more)", "(more)"]);
      break;
    }
    const item = readOf(value, key);
    if (item !== undefined) entries.push([key, plain(item, conversion)]);
  }
  return Object.fromEntries(entries); // defines the key __proto__ like any other
}

function plainList(values: readonly unknown[], conversion: Conversion): Json[] {
  const list: Json[] = [];
  for (const value of values) {
    list.push(plain(value, conversion));
    if (conversion.left < 0) break;
  }
  return list;
}

function readOf(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key) as unknown;
  } catch {
    return "(unreadable)";
  }
}
