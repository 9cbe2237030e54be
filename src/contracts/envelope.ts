const ENVELOPE = /\{\s*"tool_(?:use|calls)"/;

/**
 * Whether a text outside fenced code holds the beginning of `{"tool_use": …}`, wherever it stands in a line. In inline
 * code, between one or two back-ticks in the same line, it is only spoken of. One pass.
 */
export function holdsEnvelope(prose: string): boolean {
  return ENVELOPE.test(prose) && ENVELOPE.test(withoutInlineCode(prose));
}

function withoutInlineCode(prose: string): string {
  return prose.split("\n").map(lineWithoutCode).join("\n");
}

function lineWithoutCode(line: string): string {
  const parts = line.split(/(`+)/); // every second part is a run of back-ticks
  const isRun = (at: number, marks: string) => at % 2 === 1 && parts[at] === marks;
  const kept: string[] = [];
  // Where a run of this length comes last: from there on, one that opens is never closed.
  const last = new Map(parts.map((part, at) => [part, at]));
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at] ?? "";
    kept.push(part);
    // Three in the middle of a line are a fence gone astray, so what follows them is meant, not quoted.
    if (at % 2 === 0 || part.length > 2 || (last.get(part) ?? at) <= at) continue;
    at += 2;
    while (!isRun(at, part)) at += 2;
  }
  return kept.join("");
}
