import { appendFileSync, closeSync, constants, openSync, statSync, truncateSync } from "node:fs";
import type { BackendFault } from "../contracts/problem.ts";
import { HarnessError, reasonOf } from "../errors.ts";
import { BackendError, type Backend } from "./backend.ts";
import { jsonLines, piecesOf, replyOf, type RecordedLine, type ScriptedReply } from "./scripted.ts";

type Use = { input_tokens: number; output_tokens: number };

/**
 * Passes everything through and writes each reply to a file as it ends, one JSON line each. An old file is replaced by
 * the first reply. Throws HarnessError "config", here or from the stream, when the file cannot be written.
 */
export function createRecordingBackend(backend: Backend, file: string): Backend {
  const { O_WRONLY, O_CREAT, O_NONBLOCK } = constants;
  // Tried before a model is paid for; not blocking, because a pipe that nobody reads would wait for ever.
  writing(file, () => closeSync(openSync(file, O_WRONLY | O_CREAT | O_NONBLOCK)));
  let isFirst = true;
  const write = (line: RecordedLine) =>
    writing(file, () => {
      if (isFirst) emptied(file);
      isFirst = false;
      appendFileSync(file, `${JSON.stringify(line)}\n`);
    });
  return {
    id: backend.id,
    async *stream(request, signal) {
      const { task } = request.offer;
      const reply: Required<ScriptedReply> = { text: "", thinking: "", finish: "stop" };
      let usage: Use | undefined;
      let failed = false;
      try {
        for await (const event of backend.stream(request, signal)) {
          if (event.type === "text") reply.text += event.text;
          if (event.type === "thinking") reply.thinking += event.text;
          if (event.type === "stop") reply.finish = event.finish;
          if (event.type === "usage")
            usage = { input_tokens: event.input_tokens, output_tokens: event.output_tokens };
          yield event;
        }
      } catch (error) {
        failed = true;
        if (error instanceof BackendError) {
          const { fault, message, retryable } = error;
          write({ task, error: { fault, message, retryable } });
        }
        throw error;
      } finally {
        // A reader that had enough leaves early: what it has read is the reply.
        if (!failed && !signal.aborted) write({ task, ...reply, ...(usage ? { usage } : {}) });
      }
    },
  };
}

function writing(file: string, write: () => void): void {
  try {
    write();
  } catch (cause) {
    throw new HarnessError(
      "config",
      `${file}: the recording cannot be written: ${reasonOf(cause)}; choose another file`,
      { cause },
    );
  }
}

/** A device or pipe has no length to cut. */
function emptied(file: string): void {
  if (statSync(file).isFile()) truncateSync(file);
}

/** Plays a recording back, request by request. A request for another task than the recorded one is refused. */
export function createRecordedBackend(file: string): Backend {
  const lines = jsonLines(file).map(({ value, where }) => lineOf(value, where));
  const id = `recorded/${file}`;
  let next = 0;
  return {
    id,
    async *stream(request, signal) {
      const line = lines[next];
      if (!line)
        throw new BackendError(
          "script_used_up",
          `${id}: all ${lines.length} replies of the recording are used up`,
        );
      next += 1;
      if (line.task !== request.offer.task)
        throw new BackendError(
          "bad_request",
          `${id}: reply ${next} was recorded for ${line.task}, but the turn is in ${request.offer.task}: it has left the recorded path`,
        );
      if ("error" in line) {
        const { fault, message, retryable } = line.error;
        throw new BackendError(fault, message, { retryable });
      }
      for await (const event of piecesOf(line, signal)) {
        if (event.type === "stop" && line.usage) yield { type: "usage", ...line.usage };
        yield event;
      }
    },
  };
}

function lineOf(
  { task, error, usage, ...reply }: Record<string, unknown>,
  where: string,
): RecordedLine {
  if (typeof task !== "string")
    throw new HarnessError("config", `${where}: "task" has to be a string`);
  if (error !== undefined)
    return { task, error: error as { fault: BackendFault; message: string; retryable: boolean } };
  const known = ["text", "thinking", "finish"];
  return {
    task,
    ...replyOf(reply, where, known),
    ...(usage === undefined ? {} : { usage: usage as Use }),
  };
}
