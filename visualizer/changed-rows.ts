import type { Json, JsonObject } from "../src/contracts/call.ts";
import type { Patch } from "../src/inspector/patch.ts";

/** One changed place of a context. `path` is dotted: "budget.steps". `was` and `now` are undefined where there is none. */
export interface ChangedRow {
  path: string;
  was: Json | undefined;
  now: Json | undefined;
  /** Of a list that only grew: what it grew by, and how many items stand before that. */
  added: { after: number; items: Json[] } | null;
}

/** What a step changed, as small as it can be said: inside objects only the values that are others now. */
export function changedRows(patch: Patch, before: JsonObject): ChangedRow[] {
  return Object.entries(patch).flatMap(([key, change]) => {
    const was = before[key];
    if ("gone" in change) return [{ path: key, was, now: undefined, added: null }];
    if ("set" in change) return changedInside(key, was, change.set);
    const list = Array.isArray(was) ? was : [];
    if (list.length === change.keep) return [grown(key, change.keep, change.append)];
    return [
      { path: key, was, now: [...list.slice(0, change.keep), ...change.append], added: null },
    ];
  });
}

const grown = (path: string, after: number, items: Json[]): ChangedRow => ({
  path,
  was: undefined,
  now: undefined,
  added: { after, items },
});

function changedInside(path: string, was: Json | undefined, now: Json | undefined): ChangedRow[] {
  if (JSON.stringify(was) === JSON.stringify(now)) return [];
  if (Array.isArray(was) && was.length === 0 && Array.isArray(now)) return [grown(path, 0, now)];
  if (!isObject(was) || !isObject(now)) return [{ path, was, now, added: null }];
  const keys = new Set([...Object.keys(was), ...Object.keys(now)]);
  return [...keys].flatMap((key) => changedInside(`${path}.${key}`, was[key], now[key]));
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
