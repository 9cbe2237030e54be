import type { Turn } from "../machine/turn.types.ts";

const WIDTH = 160;

/** What a step changed about a turn, a line for each part; long values are cut. */
export function differences(before: Turn, after: Turn): string[] {
  return (Object.keys(after) as (keyof Turn)[]).flatMap((key) =>
    changes(key, before[key], after[key]),
  );
}

/** What changed below a name. Records are gone into: `budget.steps 3 → 2`. */
function changes(name: string, before: unknown, after: unknown): string[] {
  const [was, now] = [JSON.stringify(before), JSON.stringify(after)];
  if (was === now) return [];
  if (isRecord(before) && isRecord(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => changes(`${name}.${key}`, before[key], after[key]));
  }
  const added = addedTo(before, after);
  return added
    ? added.map((item) => `${name} + ${cut(item)}`)
    : [`${name} ${cut(was)} → ${cut(now)}`];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The new items of a list that only grew. */
function addedTo(before: unknown, after: unknown): string[] | null {
  if (!Array.isArray(before) || !Array.isArray(after) || after.length <= before.length) return null;
  const isGrown = before.every(
    (item, index) => JSON.stringify(item) === JSON.stringify(after[index]),
  );
  return isGrown ? after.slice(before.length).map((item) => JSON.stringify(item)) : null;
}

const cut = (text = "nothing"): string =>
  text.length > WIDTH ? `${text.slice(0, WIDTH)} …` : text;
