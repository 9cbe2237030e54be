import type { Backend } from "../../src/backends/backend.ts";
import type { Call } from "../../src/contracts/call.ts";
import { codeblock } from "../../src/contracts/codeblock.ts";
import type { Effect, Entry } from "../../src/session/entry.ts";
import type { Offer } from "../../src/session/offer.ts";
import type { TaskName } from "../../src/session/task.ts";

/** An offer as the harness makes it; `loaded` names skills that are loaded already. */
export function offer(
  task: TaskName,
  question: string,
  log: Entry[] = [],
  loaded: string[] = [],
): Offer {
  return { task, question, log, loaded_skills: loaded, skills: [], tools: [] };
}

/** The whole text of one reply. */
export async function reply(
  backend: Backend,
  given: Offer,
  signal: AbortSignal = new AbortController().signal,
): Promise<string> {
  let written = "";
  const request = {
    system: "",
    messages: [],
    temperature: 0,
    output_tokens_max: 100,
    offer: given,
  };
  for await (const event of backend.stream(request, signal))
    if (event.type === "text") written += event.text;
  return written;
}

/** The calls of one reply, read by the contract. */
export async function calls(backend: Backend, given: Offer): Promise<Call[]> {
  const reader = codeblock.reader("calls");
  reader.write(await reply(backend, given));
  const { verdict } = reader.end("stop");
  if (verdict.kind !== "calls") throw new Error(`no calls: ${JSON.stringify(verdict)}`);
  return verdict.calls;
}

export const result = (call: Call, output: string, effect: Effect = "read"): Entry => ({
  kind: "result",
  call,
  effect,
  observation: { output, exit_code: 0, signal: null, duration_ms: 1 },
});

/** A script that failed with what it printed; with null, one that was stopped before it printed anything. */
export const failure = (call: Call, output: string | null): Entry => ({
  kind: "failure",
  call,
  effect: "read",
  problem:
    output === null
      ? { code: "script_timed_out", tool: call.name, timeout_ms: 5000 }
      : { code: "script_failed", tool: call.name, exit_code: 2, signal: null },
  observation: output === null ? null : { output, exit_code: 2, signal: null, duration_ms: 1 },
  attempt: 1,
});
