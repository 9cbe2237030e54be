import type { Turn } from "../machine/turn.types.ts";

const WIDTH = 160;

/** What a step changed about a turn, a line for each part; long values are cut. */
export function differences(before: Turn, after: Turn): string[] {
  return (Object.keys(after) as (keyof Turn)[]).flatMap((key) => {
    const [was, now] = [JSON.stringify(before[key]), JSON.stringify(after[key])];
    if (was === now) return [];
    const added = addedTo(before[key], after[key]);
    return added
      ? added.map((item) => `${key} + ${cut(item)}`)
      : [`${key} ${cut(was)} → ${cut(now)}`];
  });
}

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
