import type { Call } from "../../contracts/call.ts";
import { summary } from "../../contracts/explain.ts";
import type { FoldedTurn, Step } from "../../journal/fold.ts";
import type { OutcomeRecord } from "../../journal/record.ts";
import type { Turn } from "../../machine/turn.types.ts";
import type { Effect, Observation } from "../../session/entry.ts";
import type { Block } from "../protocol.ts";
import { waitBefore } from "./step-title.ts";
import { callLines, duration, textOf } from "./text.ts";

type ModelRecord = Extract<OutcomeRecord, { of: "skill_call" | "tool_call" | "answer" }>;
type Output<Of extends OutcomeRecord["of"]> = Extract<
  OutcomeRecord,
  { of: Of; output: object }
>["output"];

const block = (
  label: string,
  tone: Block["tone"],
  text: unknown,
  facts: readonly string[] = [],
): Block => ({ label, tone, text: textOf(text), facts: [...facts] });

/** What a turn begins with. */
export function turnBlocks({ input, record }: FoldedTurn): Block[] {
  const { max_retries, max_steps, max_asks } = input.limits;
  const limits = [`${max_retries} retries`, `${max_steps} steps`, `${max_asks} questions`];
  const models = [...new Set(Object.values(record.models))].join(", ");
  const skills = input.skills.map(({ name }) => name).join(", ");
  return [
    block("Question", "text", input.question, limits),
    ...(input.attachment ? [block("Attachment", "code", input.attachment)] : []),
    block("Skills offered", "text", skills === "" ? "none" : skills),
    block("Model", "text", models, [record.contract]),
  ];
}

/** An event for people, in the order to show it. Throws on a record whose parts are not what they should be. */
export function blocksOf({ record, before: { context }, after }: Step): Block[] {
  if (record.type === "abort") return [block("Stopped by", "bad", record.by)];
  const end = after.status === "done" ? endBlocks(after.context) : [];
  if (record.type === "crash") {
    const { name, message } = record.error;
    return [block("Error", "bad", `${name}: ${message}`), ...end];
  }
  switch (record.of) {
    case "skill_call":
    case "tool_call":
    case "answer":
      return modelBlocks(record, end);
    case "tool_use":
      return [...toolBlocks(record.output, context.queue[0]), ...end];
    case "ask_user_question":
      return [...replyBlocks(record.output, context), ...end];
    case "fail_recovery":
      return waitBlocks(context);
  }
}

/** What the user is told in the end. */
const endBlocks = ({ outcome }: Turn): Block[] =>
  outcome && "text" in outcome ? [block("Answer", "text", outcome.text)] : [];

/** A reply that became the answer word for word is shown once. */
function modelBlocks({ output, thinking }: ModelRecord, end: Block[]): Block[] {
  const thought = thinking ? [block("Thinking", "thinking", thinking)] : [];
  const isShown = output.reply !== "" && output.reply !== end[0]?.text;
  const reply = isShown ? [block("Reply", "code", output.reply)] : [];
  const [first, ...rest] = [...reply, ...readAs(output), ...end];
  return [...thought, ...(first ? [{ ...first, facts: tokens(output) }] : []), ...rest];
}

function tokens({ usage: { input_tokens, output_tokens, estimated } }: ModelRecord["output"]) {
  const about = estimated ? "about " : "";
  return [`${about}${input_tokens} tokens in`, `${about}${output_tokens} tokens out`];
}

function readAs(output: ModelRecord["output"]): Block[] {
  switch (output.kind) {
    case "calls":
      return output.calls.map((call) => block("Call", "code", callLines(call)));
    case "question":
      return output.questions.map((question) => block("Question", "text", question));
    case "text":
      return [];
    case "refused":
      return [block("Refused because", "bad", summary(output.problem))];
    case "failed": {
      const { message } = output.problem;
      const why = summary(output.problem);
      const text = message === "" ? why : `${why}: ${message}`;
      return [block("The model's service failed", "bad", text)];
    }
  }
}

function toolBlocks(output: Output<"tool_use">, call: Call | undefined): Block[] {
  const called = call ? [block("Call", "code", callLines(call))] : [];
  switch (output.kind) {
    case "result":
      return [...called, outputBlock(output.observation, output.effect)];
    case "skill_loaded":
      return [...called, block("Skill loaded", "good", output.name)];
    case "already_done":
      return [
        ...called,
        block("Already done", "text", "It ran before in this turn, and not again."),
      ];
    case "needs_permission":
      return [...called, block("Question", "text", output.question)];
    case "failed": {
      const { observation, problem, effect } = output;
      const label = observation ? "Failed because" : "Refused because";
      const printed = observation ? [outputBlock(observation, effect)] : [];
      return [...called, block(label, "bad", summary(problem)), ...printed];
    }
  }
}

function outputBlock(
  { output, exit_code, signal, duration_ms }: Observation,
  effect: Effect,
): Block {
  return block("Output", "code", output, [
    duration(duration_ms),
    ...(exit_code === null ? [] : [`exit ${exit_code}`]),
    ...(signal === null ? [] : [signal]),
    effect,
  ]);
}

function replyBlocks(output: Output<"ask_user_question">, { pending }: Turn): Block[] {
  const asked = pending ? [block("Question", "text", pending.question)] : [];
  const said = output.kind === "no_reply" ? "nobody answers" : output.kind;
  return [...asked, block("Answer", "text", output.kind === "reply" ? output.text : said)];
}

function waitBlocks(turn: Turn): Block[] {
  const wait = waitBefore(turn);
  return [
    ...(turn.problem ? [block("Because", "bad", summary(turn.problem))] : []),
    block("Back to", "text", turn.return_to, wait > 0 ? [`waits ${duration(wait)}`] : []),
  ];
}
