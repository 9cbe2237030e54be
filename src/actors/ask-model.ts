import type { Backend, ModelRequest } from "../backends/backend.ts";
import { BackendError } from "../backends/backend.ts";
import type { Call } from "../contracts/call.ts";
import type { Finish, Reading, ReplyReader } from "../contracts/contract.ts";
import { intendedCall } from "../contracts/intended.ts";
import type { HarnessEvent } from "../events.ts";
import { announcement, claimedEffect } from "../guardrails/claims.ts";
import { effectsHappened } from "../guardrails/ledger.ts";
import { isQuestion } from "../guardrails/question.ts";
import type {
  AskForCallsOutput,
  AskForTextOutput,
  AskModelInput,
  Turn,
} from "../machine/turn.types.ts";
import { promptFor } from "../prompts/conversation.ts";
import { offeredSkills, offeredTools } from "../prompts/offered.ts";
import type { PromptKit } from "../prompts/prompts.ts";
import type { Offer } from "../session/offer.ts";
import type { TaskName } from "../session/task.ts";
import { correctForm } from "../skills/correct-form.ts";
import { judgeCalls } from "./judge-calls.ts";

export interface AskModelOptions {
  backendFor: (task: TaskName) => Backend;
  kit: PromptKit;
  /** The most tokens one reply may have. Always sent: services reserve their maximum when it is missing. */
  outputTokensMax: number;
  emit: (event: HarnessEvent) => void;
}

/** How warm the model runs: cold first, and warmer when the same correction has not helped. */
const TEMPERATURES = [0, 0, 0.4, 0.8];

/** Asks for calls. A reply that is not the contract's form is an outcome; only a bug rejects. */
export async function askForCalls(
  options: AskModelOptions,
  { task, turn }: AskModelInput,
  signal: AbortSignal,
): Promise<AskForCallsOutput> {
  const reply = await ask(options, { task, turn }, signal);
  if ("kind" in reply) return reply;
  const { reading, usage } = reply;
  const base = { reply: reading.text, usage };
  const { verdict } = reading;
  switch (verdict.kind) {
    case "calls":
      return { ...base, ...(await judgeCalls(verdict.calls)) };
    case "text": // a contract that reads calls gives no text
    case "refused": {
      const problem =
        verdict.kind === "refused"
          ? verdict.problem
          : ({ code: "no_block", bare_json: false } as const);
      if (problem.code === "no_block" && !problem.bare_json && isQuestion(reading.text))
        return { ...base, kind: "question", questions: [reading.text] };
      return { ...base, kind: "refused", problem, example: meant(options, reading, task, turn) };
    }
  }
}

/** Asks for the answer. What it claims is checked against what ran; nothing in it can run. */
export async function askForText(
  options: AskModelOptions,
  { task, turn }: AskModelInput,
  signal: AbortSignal,
): Promise<AskForTextOutput> {
  const reply = await ask(options, { task, turn }, signal);
  if ("kind" in reply) return reply;
  const { reading, usage } = reply;
  const base = { reply: reading.text, usage };
  const { verdict } = reading;
  if (verdict.kind === "refused")
    return { ...base, kind: "refused", problem: verdict.problem, example: null };
  const text = verdict.kind === "text" ? verdict.text : reading.text;
  const refused = (
    problem:
      | { code: "claimed_effect"; claim: string }
      | { code: "announced_only"; announcement: string },
  ) => ({ ...base, kind: "refused", problem, example: null }) as const;
  const claim = effectsHappened(turn.log) ? null : claimedEffect(text);
  if (claim !== null) return refused({ code: "claimed_effect", claim });
  const announced = announcement(text);
  if (announced !== null) return refused({ code: "announced_only", announcement: announced });
  return isQuestion(text)
    ? { ...base, kind: "question", questions: [text] }
    : { ...base, kind: "text", text };
}

type Failed = Extract<AskForTextOutput, { kind: "failed" }>;
type Usage = AskForTextOutput["usage"];

/** One request, streamed until the contract has what it needs. */
async function ask(
  { backendFor, kit, outputTokensMax, emit }: AskModelOptions,
  { task, turn }: AskModelInput,
  signal: AbortSignal,
): Promise<Failed | { reading: Reading; usage: Usage }> {
  const backend = backendFor(task);
  const request: ModelRequest = {
    ...promptFor(task, turn, kit),
    temperature: TEMPERATURES[Math.min(turn.attempt, TEMPERATURES.length - 1)] ?? 0,
    output_tokens_max: outputTokensMax,
    offer: offerOf(task, turn, kit),
  };
  const { system, messages, temperature } = request;
  emit({ type: "request", task, model: backend.id, temperature, system, messages });
  const reply = await stream(
    backend,
    request,
    kit.contract.reader(task === "answer" ? "text" : "calls"),
    signal,
  );
  const finish = reply.failed?.fault ?? reply.finish;
  emit({ type: "reply", task, text: reply.written, finish });
  const usage = reply.usage ?? estimate(request, reply.thinking + reply.written);
  if (reply.failed)
    return { kind: "failed", problem: backendProblem(reply.failed), reply: reply.written, usage };
  const reading = reply.reader.end(reply.finish);
  const thought = [reply.thinking, reading.thinking]
    .filter((part) => part.trim() !== "")
    .join("\n");
  if (thought !== "") emit({ type: "thinking", task, text: thought });
  return { reading, usage };
}

interface StreamedReply {
  reader: ReplyReader;
  written: string;
  thinking: string;
  usage: Usage | null;
  finish: Finish;
  failed: BackendError | null;
}

/** Reads a reply until the model, or the contract, has had enough. A failure of the service is part of the result. */
async function stream(
  backend: Backend,
  request: ModelRequest,
  reader: ReplyReader,
  signal: AbortSignal,
): Promise<StreamedReply> {
  const reply: StreamedReply = {
    reader,
    written: "",
    thinking: "",
    usage: null,
    finish: "stop",
    failed: null,
  };
  let ended = false;
  try {
    for await (const event of backend.stream(request, signal)) {
      if (event.type === "text") {
        reply.written += event.text;
        ended = reader.write(event.text).complete;
        // Leaving the loop stops the model: what it would write now could only make a good reply a bad one.
        if (ended) break;
      } else if (event.type === "thinking") reply.thinking += event.text;
      else if (event.type === "usage") {
        const { input_tokens, output_tokens } = event;
        reply.usage = { input_tokens, output_tokens, estimated: false };
      } else {
        reply.finish = event.finish;
        ended = true;
      }
    }
    if (!ended)
      throw new BackendError("cut_stream", `${backend.id}: the reply was cut off`, {
        retryable: true,
      });
  } catch (error) {
    if (!(error instanceof BackendError) || signal.aborted) throw error;
    reply.failed = error;
  }
  return reply;
}

function offerOf(task: TaskName, turn: Turn, kit: PromptKit): Offer {
  const { question, loaded_skills, log } = turn;
  return {
    task,
    question,
    loaded_skills,
    log,
    skills: task === "skill_call" ? offeredSkills(kit.skills, loaded_skills) : [],
    tools: offeredTools(task, kit.skills, loaded_skills),
  };
}

/** The call a refused reply seems to have meant, in a form that its tool takes. It is shown and never run. */
function meant(
  options: AskModelOptions,
  reading: Reading,
  task: TaskName,
  turn: Turn,
): Call | null {
  const tools = offeredTools(task, options.kit.skills, turn.loaded_skills);
  const call = intendedCall(
    reading.text,
    tools.map(({ name, schema }) => ({ name, parameters: Object.keys(schema.properties) })),
  );
  const tool = tools.find(({ name }) => name === call?.name);
  return call && tool ? correctForm(call, tool) : null;
}

function backendProblem({
  fault,
  message,
  retryable,
  retryAfterMs,
}: BackendError): Failed["problem"] {
  const problem = { code: "backend", fault, message, retryable } as const;
  return retryAfterMs === undefined ? problem : { ...problem, retry_after_ms: retryAfterMs };
}

/** Four characters a token: near enough for English, and marked as an estimate. */
function estimate({ system, messages }: ModelRequest, written: string): Usage {
  const sent = messages.reduce((sum, { text }) => sum + text.length, system.length);
  return {
    input_tokens: Math.ceil(sent / 4),
    output_tokens: Math.ceil(written.length / 4),
    estimated: true,
  };
}
