/** About 3,000 tokens: with a few results of this size a prompt still fits an 16k window. */
const SHOWN_CHARACTERS_MAX = 12_000;

/** A long output cut in the middle, with a notice of how much is missing and how to get the rest. */
export function clipOutput(output: string, max: number = SHOWN_CHARACTERS_MAX): string {
  if (output.length <= max) return output;
  // Half a surrogate pair at a cut would be no Unicode, which some services refuse.
  const head = output.slice(0, Math.floor(max * 0.75)).replace(/[\ud800-\udbff]$/, "");
  const tail = output.slice(output.length - Math.floor(max * 0.25)).replace(/^[\udc00-\udfff]/, "");
  const missing = output.length - head.length - tail.length;
  return `${head}\n[… ${missing.toLocaleString("en")} characters left out; a call for a smaller part may show them …]\n${tail}`;
}
