import { existsSync } from "node:fs";
import { basename } from "node:path";
import { HarnessError, loadJournal, sessionPath, sessionsFolder } from "../index.ts";
import {
  createMachineHub,
  drawChart,
  exportPage,
  loadMachine,
  saveExport,
  TurnHub,
  type Hub,
} from "../inspector.ts";
import { terminalText } from "../terminal-text.ts";
import type { Flags, InspectFlags } from "./flags.ts";
import { breakpointsOf, hubOptions, openPage } from "./inspect-page.ts";
import { runQuestion } from "./run.ts";
import { journalOf } from "./sessions.ts";
import { untilStopped } from "./stop.ts";

/** `inspect`: a question's turn, a journal or session, or a machine, in the browser. Resolves to the exit code. */
export async function inspect(
  words: readonly string[],
  flags: InspectFlags,
  isGiven: (flag: string) => boolean,
): Promise<number> {
  breakpointsOf(flags);
  const [word = ""] = words;
  const { machine, html } = flags;
  if (machine !== undefined) return inspectMachine(machine, words, flags);
  if (flags.exportName !== undefined || flags.input !== undefined)
    throw new HarnessError("usage", "--export-name and --input belong to --machine MODULE");
  if (words.length === 1 && isJournal(word)) return inspectJournal(word, flags, isGiven);
  if (html !== undefined)
    throw new HarnessError(
      "usage",
      `--html ${html}: name the journal or session that it is made of, as in inspect FILE.jsonl --html ${html}`,
    );
  return runQuestion(words.join(" "), { ...flags, inspect: "stay" }, isGiven);
}

/** What a session's id begins with: the day. A question is hardly ever one word that does. */
const ID = /^\d{8}-/;

function isJournal(word: string): boolean {
  if (word.endsWith(".jsonl") || ID.test(word)) return true;
  // A mistyped path must not become a question: a model may cost something.
  if (word.includes("/")) return !/\s/.test(word) || existsSync(word);
  try {
    return existsSync(sessionPath(sessionsFolder(process.env), word));
  } catch {
    return false; // no session can be called like this
  }
}

async function inspectJournal(
  word: string,
  flags: InspectFlags,
  isGiven: (flag: string) => boolean,
): Promise<number> {
  const file = journalOf(word);
  const { records, fault, torn } = loadJournal(file);
  const [first] = records;
  const { svg, ...options } = await hubOptions(flags, isGiven);
  const session = first?.type === "session" ? first.id : null;
  const title = basename(file);
  const hub = new TurnHub({ ...options, source: "recorded", title, records, fault, session });
  if (hub.isEmpty)
    throw new HarnessError(
      "config",
      hub.fault
        ? `${file}, line ${hub.fault.line}: ${hub.fault.why}`
        : `${file}: no turn in it yet`,
    );
  if (hub.fault)
    note(`${file}, line ${hub.fault.line}: ${hub.fault.why}; only what is before it is shown`);
  if (torn !== null) note(`${file}: half a line at its end is left out; it was never acted on`);
  if (flags.html === undefined) return show(flags, { hub, title: hub.title, svg });
  const html = exportPage({ ...(await hub.export()), svg, title: hub.title });
  saveExport(flags.html, html);
  note(`${flags.html} is written, ${sizeText(Buffer.byteLength(html))}`);
  return 0;
}

async function inspectMachine(
  module: string,
  words: readonly string[],
  flags: InspectFlags,
): Promise<number> {
  if (words.length > 0 || flags.html !== undefined)
    throw new HarnessError("usage", "--machine takes no question, no journal and no --html");
  const machine = await loadMachine(module, flags.exportName);
  const input = flags.input === undefined ? {} : { input: inputOf(flags.input) };
  const { chart, svg } = await drawChart(machine);
  const title = machine.id;
  return show(flags, { hub: createMachineHub({ machine, chart, title, ...input }), title, svg });
}

function inputOf(text: string): Parameters<typeof createMachineHub>[0]["input"] & {} {
  try {
    return JSON.parse(text) as ReturnType<typeof inputOf>;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new HarnessError("usage", `--input ${text}: no JSON: ${why}`, { cause });
  }
}

/** Until the last page is closed, or Ctrl-C. */
async function show(
  flags: Flags,
  shown: { hub: Hub; title: string; svg: string },
): Promise<number> {
  const left = new AbortController();
  const server = await openPage(flags, { ...shown, stays: true, onEmpty: () => left.abort() });
  await untilStopped(left.signal);
  if (shown.hub instanceof TurnHub) await shown.hub.close();
  await server.close();
  return 0;
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

const note = (text: string) => process.stderr.write(`broharness: ${terminalText(text)}\n`);
