import type { Json, JsonObject } from "../contracts/call.ts";

/**
 * What a step changed about a context, by its top-level keys. `set` is the whole new value; `append` what a list grew by,
 * behind its first `keep` items; `gone` a key that is no more. A chain of these costs what changed, not what is there.
 */
export type Patch = Record<
  string,
  { set: Json } | { keep: number; append: Json[] } | { gone: true }
>;

/** The patch that makes `after` out of `before`. Both are plain JSON. */
export function patchBetween(before: JsonObject, after: JsonObject): Patch {
  const patch: Patch = {};
  for (const key of Object.keys(before))
    if (!Object.hasOwn(after, key)) patch[key] = { gone: true };
  for (const [key, now] of Object.entries(after)) {
    const was = before[key];
    if (was === now || JSON.stringify(was) === JSON.stringify(now)) continue;
    const keep = Array.isArray(was) && Array.isArray(now) ? sharedLength(was, now) : 0;
    patch[key] = keep > 0 && Array.isArray(now) ? { keep, append: now.slice(keep) } : { set: now };
  }
  return patch;
}

function sharedLength(was: readonly Json[], now: readonly Json[]): number {
  const most = Math.min(was.length, now.length);
  for (let index = 0; index < most; index++)
    if (was[index] !== now[index] && JSON.stringify(was[index]) !== JSON.stringify(now[index]))
      return index;
  return most;
}

/** The context after a step. What did not change is the very same value. */
export function patched(before: JsonObject, patch: Patch): JsonObject {
  const after = { ...before };
  for (const [key, change] of Object.entries(patch)) {
    const was = before[key];
    if ("gone" in change) delete after[key];
    else if ("set" in change) after[key] = change.set;
    else after[key] = [...(Array.isArray(was) ? was.slice(0, change.keep) : []), ...change.append];
  }
  return after;
}
