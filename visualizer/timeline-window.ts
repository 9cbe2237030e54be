/** Rows of one height in a list that scrolls. Lengths are in CSS pixels. */
interface Rows {
  /** How far the list is scrolled. */
  top: number;
  /** Of the part that is seen. */
  height: number;
  rowHeight: number;
  count: number;
}

/** Beyond both edges, so that a row is there before it is seen. */
const SPARE = 6;

/** The rows to have in the page: from `from` on, up to `to`, which is not among them. */
export function rowsInWindow({ top, height, rowHeight, count }: Rows): {
  from: number;
  to: number;
} {
  const first = Math.floor(top / rowHeight) - SPARE;
  const behind = Math.ceil((top + height) / rowHeight) + SPARE;
  const to = Math.min(Math.max(0, behind), count);
  return { from: Math.min(Math.max(0, first), to), to };
}

/** How far to scroll so that a row and its neighbours are seen; `top` itself where they are already. */
export function topToShow(index: number, { top, height, rowHeight, count }: Rows): number {
  const highest = Math.max(0, (index - 1) * rowHeight);
  const lowest = Math.min(count, index + 2) * rowHeight - height;
  if (top > highest) return highest;
  return top < lowest ? Math.max(0, lowest) : top;
}
