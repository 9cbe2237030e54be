import type { Finish } from "../contracts/contract.ts";
import type { BackendFault } from "../contracts/problem.ts";
import { HarnessError } from "../errors.ts";
import { readText } from "../skills/load-text.ts";
import { BackendError, type Backend, type StreamEvent } from "./backend.ts";

/** One reply of a script. `finish` is "stop" when left out. */
export interface ScriptedReply {
  text: string;
  thinking?: string;
  finish?: Finish;
}

/** One line of a recording: what the model replied to a task, or how it failed. */
export type RecordedLine = { task: string } & (
  | (ScriptedReply & { usage?: { input_tokens: number; output_tokens: number } })
  | { error: { fault: BackendFault; message: string; retryable: boolean } }
);

const FINISHES: readonly unknown[] = ["stop", "length", "content_filter"];
const BYTES_MAX = 64 * 1024 ** 2;
const PIECE_LENGTH = 7; // small and odd, so that every marker is split somewhere

/** A backend that gives the replies of a list, one a request, in small pieces. When they are used up, it says so. */
export function createScriptedBackend(replies: readonly ScriptedReply[], id = "scripted"): Backend {
  let next = 0;
  return {
    id,
    async *stream(_request, signal) {
      const reply = replies[next];
      if (!reply)
        throw new BackendError(
          "script_used_up",
          `${id}: all ${replies.length} replies of the script are used up, and the turn wants another one`,
        );
      next += 1;
      yield* piecesOf(reply, signal);
    },
  };
}

export async function* piecesOf(
  { text, thinking = "", finish = "stop" }: ScriptedReply,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  for (const [type, whole] of [
    ["thinking", thinking],
    ["text", text],
  ] as const)
    for (let start = 0; start < whole.length; start += PIECE_LENGTH) {
      signal.throwIfAborted();
      yield { type, text: whole.slice(start, start + PIECE_LENGTH) };
      await Promise.resolve();
    }
  yield { type: "stop", finish };
}

/** Reads a script: JSON lines of `{"text", "thinking"?, "finish"?}`. A bad line is an error with its number. */
export function loadScript(file: string): ScriptedReply[] {
  return jsonLines(file).map(({ value, where }) =>
    replyOf(value, where, ["text", "thinking", "finish"]),
  );
}

/** The objects of a JSONL file, empty lines left out. */
export function jsonLines(file: string): { value: Record<string, unknown>; where: string }[] {
  return textOf(file)
    .split("\n")
    .flatMap((line, index) => {
      if (line.trim() === "") return [];
      const where = `${file}, line ${index + 1}`;
      return [{ value: objectOf(line, where), where }];
    });
}

const refusals = {
  missing: ["no_such_file", "no such file"],
  not_a_file: ["not_readable", "not a file but a folder, pipe or device"],
  too_large: ["too_large", `over ${BYTES_MAX / 1024 ** 2} MB`],
  not_readable: ["not_readable", "cannot be read, check its permissions"],
} as const;

function textOf(file: string): string {
  const reading = readText(file, BYTES_MAX);
  if (reading.ok) return reading.text.replace(/^\uFEFF/, "");
  const [code, why] = refusals[reading.reason];
  throw new HarnessError(
    code,
    `${file}: ${why}; a script is a file of JSON lines like {"text": "…"}`,
  );
}

function objectOf(line: string, where: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Said below, in our own words.
  }
  throw new HarnessError(
    "config",
    `${where}: expected a JSON object like {"text": "…"}, got ${line.slice(0, 60)}`,
  );
}

/** One reply of a line, its keys checked. */
export function replyOf(
  value: Record<string, unknown>,
  where: string,
  known: readonly string[],
): ScriptedReply {
  const strange = Object.keys(value).find((key) => !known.includes(key));
  if (strange !== undefined)
    throw new HarnessError(
      "config",
      `${where}: unknown key "${strange}"; known are ${known.join(", ")}`,
    );
  const { text, thinking, finish } = value;
  if (typeof text !== "string")
    throw new HarnessError("config", `${where}: "text" has to be a string`);
  if (thinking !== undefined && typeof thinking !== "string")
    throw new HarnessError("config", `${where}: "thinking" has to be a string`);
  if (finish !== undefined && !FINISHES.includes(finish))
    throw new HarnessError(
      "config",
      `${where}: "finish" has to be "stop", "length" or "content_filter"`,
    );
  return {
    text,
    ...(thinking === undefined ? {} : { thinking }),
    ...(finish === undefined ? {} : { finish: finish as Finish }),
  };
}
