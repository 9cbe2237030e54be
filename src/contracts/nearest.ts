const LENGTH_MAX = 64; // names are short; the cost of one comparison stays below 64 × 64 steps

/** The candidate that looks most like `word` (case ignored), if one is near enough to be what was meant. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (!best || distance < best.distance) best = { candidate, distance };
  }
  // A third of the letters may differ: "plam" is "plan", "wether" is "weather", "calendar" is not "tell-joke".
  const allowed = Math.max(1, Math.floor(Math.max(word.length, best?.candidate.length ?? 0) / 3));
  return best && best.distance <= allowed ? best.candidate : undefined;
}

function editDistance(a: string, b: string): number {
  if (a.length > LENGTH_MAX || b.length > LENGTH_MAX) return a === b ? 0 : Infinity;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of Array.from(a).entries()) {
    const next = [i + 1];
    for (const [j, other] of Array.from(b).entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
