import { checksum } from "./checksum.ts";
import type { Stamped } from "./record.ts";

/** What is wrong with a journal, and in which line of it; lines count from 1. */
export interface JournalFault {
  line: number;
  why: string;
}

/** The records of a journal up to its end or its first fault. */
export interface JournalText {
  records: Stamped[];
  fault: JournalFault | null;
  /** Half a line at the end, which a crash left behind. It was never acted on, so nothing is lost by dropping it. */
  torn: string | null;
  /** False when a whole last line lacks its line break. */
  endsLine: boolean;
  /** The checksum that the next line is chained to. */
  sum: string;
}

/** What the first line is chained to. */
export const firstSum = "";

const SUM = /,"sum":"(?<sum>[0-9a-f]{14})"\}$/;

/**
 * One record as one line, without its line break. Its checksum covers the line before it, too: a line that is changed,
 * lost, doubled or moved is found. U+2028 and U+2029 are line breaks to some readers, so they are escaped.
 */
export function writeLine(record: Stamped, before: string): { line: string; sum: string } {
  const { n, at, ...rest } = record;
  const json = JSON.stringify({ n, at, ...rest })
    .replaceAll("\u2028", String.raw`\u2028`)
    .replaceAll("\u2029", String.raw`\u2029`);
  const body = json.slice(0, -1);
  const sum = checksum(before + body);
  return { line: `${body},"sum":"${sum}"}`, sum };
}

/** Reads a whole journal. Only line feeds end a line. */
export function readLines(text: string): JournalText {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  const result: JournalText = {
    records: [],
    fault: null,
    torn: null,
    endsLine: true,
    sum: firstSum,
  };
  for (const [index, line] of lines.entries()) {
    const read = readLine(line, index + 1, result.sum);
    if ("why" in read) return { ...result, fault: { line: index + 1, why: read.why } };
    result.records.push(read.record);
    result.sum = read.sum;
  }
  if (last === "") return result;
  const read = readLine(last, lines.length + 1, result.sum);
  if ("why" in read) return { ...result, torn: last };
  return { ...result, records: [...result.records, read.record], endsLine: false, sum: read.sum };
}

function readLine(
  line: string,
  number: number,
  before: string,
): { record: Stamped; sum: string } | { why: string } {
  const found = SUM.exec(line);
  if (!found && line.endsWith("\r"))
    return { why: "its end was changed to CRLF: a journal's lines end in a line feed alone" };
  if (!found) return { why: "not a line of a journal: it does not end in a checksum" };
  const sum = checksum(before + line.slice(0, found.index));
  if (sum !== found.groups?.["sum"])
    return {
      why: "this line was changed, or a line before it is missing: its checksum is another",
    };
  const record = parsed(`${line.slice(0, found.index)}}`);
  if (!record) return { why: "this line is no JSON" };
  if (record.n !== number) return { why: `this line is number ${record.n}` };
  return { record, sum };
}

function parsed(text: string): Stamped | null {
  try {
    return JSON.parse(text) as Stamped;
  } catch {
    return null;
  }
}
