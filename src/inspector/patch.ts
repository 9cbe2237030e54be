import type { Json, JsonObject } from "../contracts/call.ts";

/**
 * What a step changed about a context, by its top-level keys. `set` is the whole new value; `append` what a list grew by,
 * behind its first `keep` items; `gone` a key that is no more. A chain of these costs what changed, not what is there.
 */
export type Patch = Record<
  string,
  { set: Json } | { keep: number; append: Json[] } | { gone: true }
>;

/**
 * The patch that makes `after` out of `before`. Both are plain JSON. What is the very same value in both is not looked
 * into, so that a long list costs little as long as its items are kept.
 */
export function patchBetween(before: JsonObject, after: JsonObject): Patch {
  // As entries, because a key may be called "__proto__".
  const changes: [string, Patch[string]][] = [];
  for (const key of Object.keys(before))
    if (valueOf(before, key) !== undefined && valueOf(after, key) === undefined)
      changes.push([key, { gone: true }]);
  for (const key of Object.keys(after)) {
    const now = valueOf(after, key);
    const change = now === undefined ? null : changeBetween(valueOf(before, key), now);
    if (change) changes.push([key, change]);
  }
  return Object.fromEntries(changes);
}

/** What is undefined is not there: JSON would lose it, too. */
const valueOf = (context: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(context, key) ? context[key] : undefined;

function changeBetween(was: Json | undefined, now: Json): Patch[string] | null {
  if (was === now) return null;
  if (!Array.isArray(was) || !Array.isArray(now)) return isSame(was, now) ? null : { set: now };
  const keep = sharedLength(was, now);
  if (keep === was.length && keep === now.length) return null;
  return keep > 0 ? { keep, append: now.slice(keep) } : { set: now };
}

function sharedLength(was: readonly Json[], now: readonly Json[]): number {
  const most = Math.min(was.length, now.length);
  for (let index = 0; index < most; index++)
    if (was[index] !== now[index] && !isSame(was[index], now[index])) return index;
  return most;
}

function isSame(was: Json | undefined, now: Json | undefined): boolean {
  if (was === now) return true;
  if (typeof was !== "object" || typeof now !== "object" || !was || !now) return false;
  if (Array.isArray(was) && Array.isArray(now))
    return was.length === now.length && sharedLength(was, now) === now.length;
  if (Array.isArray(was) || Array.isArray(now)) return false;
  const keys = Object.keys(now);
  return (
    keys.length === Object.keys(was).length &&
    keys.every((key) => Object.hasOwn(was, key) && isSame(was[key], now[key]))
  );
}

/** The context after a step. What did not change is the very same value. */
export function patched(before: JsonObject, patch: Patch): JsonObject {
  const after = new Map(Object.entries(before));
  for (const [key, change] of Object.entries(patch)) {
    const was = after.get(key);
    if ("gone" in change) after.delete(key);
    else if ("set" in change) after.set(key, change.set);
    else
      after.set(key, [...(Array.isArray(was) ? was.slice(0, change.keep) : []), ...change.append]);
  }
  return Object.fromEntries(after);
}
