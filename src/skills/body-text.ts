import { cutAtWord } from "./text.ts";

const NOT_PROSE = /^(?:<|\||>|!\[|[-*+][ \t]|\d+[.)][ \t]|---|===|\*\*\*|[ \t]{4})/;
const HEADING = /^#{1,6}[ \t]+(\S.*)$/;
const FENCE = /^[ \t]*(?:```|~~~)/;
const LENGTH_MAX = 4_096;

/**
 * What a skill's text says about itself, for a skill without a description: its first paragraph of prose (no heading,
 * list, table, quote, comment or code), else its first heading, else null.
 */
export function describeBody(body: string): { text: string; from: "paragraph" | "heading" } | null {
  const lines = outsideCode(body);
  const heading = lines.map((line) => HEADING.exec(line)?.[1]).find((title) => title !== undefined);
  const paragraph = firstParagraph(lines);
  if (paragraph !== "") return { text: paragraph, from: "paragraph" };
  return heading === undefined ? null : { text: cutAtWord(heading, LENGTH_MAX), from: "heading" };
}

function firstParagraph(lines: readonly string[]): string {
  let paragraph = "";
  let skipping = false;
  for (const line of lines) {
    if (line.trim() === "" || HEADING.test(line)) {
      if (paragraph !== "") break;
      skipping = false;
      continue;
    }
    skipping ||= paragraph === "" && NOT_PROSE.test(line);
    if (!skipping) paragraph += `${line.trim()} `;
    if (paragraph.length > LENGTH_MAX) break;
  }
  return cutAtWord(paragraph, LENGTH_MAX);
}

/** The lines, those in code fences and HTML comments emptied. */
function outsideCode(body: string): string[] {
  let inFence = false;
  let inComment = false;
  return body.split("\n").map((line) => {
    const fence = !inComment && FENCE.test(line);
    if (fence) inFence = !inFence;
    if (!inFence && line.trimStart().startsWith("<!--")) inComment = true;
    const hidden = fence || inFence || inComment;
    if (line.includes("-->")) inComment = false;
    return hidden ? "" : line;
  });
}
