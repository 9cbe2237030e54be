import type { Diagnostic, HarnessEvent, ResultEvent } from "../index.ts";
import { terminalText } from "../terminal-text.ts";
import type { Flags } from "./flags.ts";
import { jsonText, print } from "./print.ts";
import { StatusLine } from "./status-line.ts";

const OFFLINE =
  "broharness: offline, no language model: only what is fully understood is done (see -m in --help)";

interface Streams {
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  environment: Readonly<Record<string, string | undefined>>;
  /** Whether questions are put to a person. */
  isAsking: boolean;
}

export interface Reporter {
  show(event: HarnessEvent): void;
  /** Runs something that owns the terminal meanwhile. */
  paused<T>(action: () => Promise<T>): Promise<T>;
  end(): void;
}

/** Shows a run: the answer (or the events) on stdout, everything else on stderr. */
export function createReporter(flags: Flags, streams: Streams): Reporter {
  const { stdout, stderr } = streams;
  const status = isLive(flags, streams) ? new StatusLine(stderr) : null;
  const note = (text: string) => {
    status?.clear();
    stderr.write(`${terminalText(text)}\n`);
  };
  const end = () => status?.stop();
  let confirming: string | null = null;
  let isOffline = false;
  // Python that is missing is the machine's matter: it is told when a skill that needs it is wanted.
  let withoutPython: Diagnostic[] = [];
  const tell = (event: Exclude<HarnessEvent, { type: "request" | "reply" }>) => {
    if (event.type === "init") {
      isOffline = Object.values(event.models).includes("offline");
      withoutPython = event.diagnostics.filter(({ code }) => code === "python_missing");
      noteDiagnostics(
        event.diagnostics.filter(({ code }) => code !== "python_missing"),
        note,
      );
    } else if (event.type === "tool_use" && event.call.name === "load_skill") {
      noteDiagnostics(withoutPython.filter(isAbout(event.call.input["skill_name"])), note);
    } else if (event.type === "error" && event.retryable)
      note(`broharness: ${event.message} (trying again)`);
    else if (event.type === "question") confirming = optionFor(event);
    else if (event.type === "result") {
      // An answer is labelled; a decline says itself whose it is, but does not know what Python would have brought.
      if (isOffline && event.outcome === "answered") note(OFFLINE);
      if (isOffline && event.outcome === "fallback") noteDiagnostics(withoutPython, note);
      showResult(event, { ...streams, confirming }, note);
    }
  };
  return {
    end,
    async paused(action) {
      status?.pause();
      try {
        return await action();
      } finally {
        status?.resume();
      }
    },
    show(event) {
      status?.show(event);
      if (event.type === "request" || event.type === "reply") {
        if (flags.debug) note(debugText(event));
        return;
      }
      if (event.type === "result") end();
      const isJson = { text: false, json: event.type === "result", "stream-json": true };
      if (isJson[flags.outputFormat]) stdout.write(`${jsonText(event)}\n`);
      else tell(event);
    },
  };
}

/** A status line is for a person who waits for the answer; events are for programs, wherever they end up. */
function isLive({ debug, outputFormat }: Flags, { stderr, environment }: Streams): boolean {
  return stderr.isTTY && !debug && environment["TERM"] !== "dumb" && outputFormat === "text";
}

/** The option that would let it run unasked: a confirmation begins with the call, and a call with its tool. */
function optionFor({
  kind,
  question,
  interrupted,
  trusts,
}: Extract<HarnessEvent, { type: "question" }>): string | null {
  if (kind !== "confirm" || interrupted) return null;
  if (trusts !== undefined) return `--trust ${trusts.slice(0, trusts.lastIndexOf("@"))}`;
  return `--allow ${question.split(/\s/, 1)[0] ?? ""}`;
}

const isAbout =
  (skill: unknown) =>
  ({ path }: Diagnostic) =>
    typeof skill === "string" && path.startsWith(`${skill}/`);

function noteDiagnostics(diagnostics: readonly Diagnostic[], note: (text: string) => void): void {
  for (const { level, path, message } of diagnostics)
    if (level === "error") note(`broharness: ${path === "." ? "" : `skill ${path}: `}${message}`);
}

function showResult(
  { outcome, text, exit_code }: ResultEvent,
  { stdout, isAsking, confirming }: Streams & { confirming: string | null },
  note: (text: string) => void,
): void {
  switch (outcome) {
    case "answered":
      return print(text, stdout);
    case "fallback":
      return note(text);
    case "needs_input": {
      // The person has just seen the question.
      if (isAsking) return note("broharness: stopped, because there was no reply");
      const hint = confirming === null ? "" : ` (${confirming} runs it without this question)`;
      return note(`broharness: this needs a reply, and there is nobody to ask${hint}:\n${text}`);
    }
    case "stopped":
      return note(exit_code === 5 ? "broharness: stopped by --timeout" : "broharness: stopped");
  }
}

function debugText(event: Extract<HarnessEvent, { type: "request" | "reply" }>): string {
  if (event.type === "reply") return `<<< ${event.task} (${event.finish})\n${event.text}\n`;
  const messages = event.messages.map(({ role, text }) => `[${role}]\n${text}`).join("\n\n");
  return `>>> ${event.task} → ${event.model}, temperature ${event.temperature}\n[system]\n${event.system}\n\n${messages}\n`;
}
