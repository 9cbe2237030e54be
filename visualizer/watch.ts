/** Says whether any of the values is another than at the last call. Panels ask it before they draw anything. */
export function createWatch(): (...values: unknown[]) => boolean {
  let last: unknown[] | null = null;
  return (...values) => {
    const before = last;
    last = values;
    return before?.length !== values.length || values.some((value, at) => value !== before[at]);
  };
}
