import type { HarnessEvent, ResultEvent } from "../index.ts";
import type { Flags } from "./flags.ts";
import { StatusLine } from "./status-line.ts";

interface Streams {
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  environment: Readonly<Record<string, string | undefined>>;
}

export interface Reporter {
  show(event: HarnessEvent): void;
  /** Runs something that owns the terminal meanwhile. */
  paused<T>(action: () => Promise<T>): Promise<T>;
  end(): void;
}

/** Shows a run: the answer (or the events) on stdout, everything else on stderr. */
export function createReporter(flags: Flags, { stdout, stderr, environment }: Streams): Reporter {
  const live = stderr.isTTY && !flags.debug && environment["TERM"] !== "dumb";
  const status = live ? new StatusLine(stderr) : null;
  const note = (text: string) => {
    status?.clear();
    stderr.write(`${text}\n`);
  };
  const end = () => status?.stop();
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
      if (flags.outputFormat === "stream-json") stdout.write(`${JSON.stringify(event)}\n`);
      else if (event.type === "init") noteInit(event, note);
      else if (event.type === "error" && event.retryable)
        note(`broharness: ${event.message} (trying again)`);
      else if (event.type === "result") showResult(event, flags, stdout, note);
    },
  };
}

function noteInit(
  { models, diagnostics }: Extract<HarnessEvent, { type: "init" }>,
  note: (text: string) => void,
): void {
  if (Object.values(models).includes("offline"))
    note(
      "broharness: offline, no language model: only what is fully understood is done (see -m in --help)",
    );
  for (const { level, path, message } of diagnostics)
    if (level === "error") note(`broharness: skill ${path}: ${message}`);
}

function showResult(
  result: ResultEvent,
  flags: Flags,
  stdout: NodeJS.WriteStream,
  note: (text: string) => void,
): void {
  if (flags.outputFormat === "json") {
    stdout.write(`${JSON.stringify(result)}\n`);
    return;
  }
  const { outcome, text } = result;
  switch (outcome) {
    case "answered":
      stdout.write(text.endsWith("\n") ? text : `${text}\n`);
      return;
    case "fallback":
      return note(text);
    case "needs_input":
      return note(`broharness: this needs a reply, and there is nobody to ask:\n${text}`);
    case "stopped":
      return note(
        result.exit_code === 5 ? "broharness: stopped by --timeout" : "broharness: stopped",
      );
  }
}

function debugText(event: Extract<HarnessEvent, { type: "request" | "reply" }>): string {
  if (event.type === "reply") return `<<< ${event.task} (${event.finish})\n${event.text}\n`;
  const messages = event.messages.map(({ role, text }) => `[${role}]\n${text}`).join("\n\n");
  return `>>> ${event.task} → ${event.model}, temperature ${event.temperature}\n[system]\n${event.system}\n\n${messages}\n`;
}
