/** About 3,000 tokens: with a few results of this size a prompt still fits an 16k window. */
const SHOWN_CHARACTERS_MAX = 12_000;

/** A long output cut in the middle, with a notice of how much is missing and how to get the rest. */
export function clipOutput(output: string, max: number = SHOWN_CHARACTERS_MAX): string {
  if (output.length <= max) return output;
  const head = output.slice(0, Math.floor(max * 0.75));
  const tail = output.slice(output.length - Math.floor(max * 0.25));
  const missing = output.length - head.length - tail.length;
  return `${head}\n[… ${missing.toLocaleString("en")} characters left out; ask for a smaller part to see them …]\n${tail}`;
}
