import type { Step } from "../../journal/fold.ts";
import type { OutcomeRecord } from "../../journal/record.ts";
import { backoffMs } from "../../machine/turn.limits.ts";
import type { StepView } from "../protocol.ts";
import { callLine, duration } from "./text.ts";

/** What an event is for the timeline. The title is not cut yet. */
export type Told = Pick<StepView, "kind" | "title" | "ok">;

type Outcome<Of extends OutcomeRecord["of"]> = Extract<OutcomeRecord, { of: Of }>;

/** Throws on a record whose parts are not what they should be. */
export function titleOf({ record, before: { context } }: Step): Told {
  if (record.type === "abort") return { kind: "abort", title: `abort by ${record.by}`, ok: null };
  if (record.type === "crash") {
    const { name, message } = record.error;
    return { kind: "crash", title: `${record.of} broke: ${name}: ${message}`, ok: false };
  }
  switch (record.of) {
    case "skill_call":
    case "tool_call":
    case "answer":
      return { kind: "model", ...modelTitle(record) };
    case "tool_use":
      return { kind: "tool", ...toolTitle(record, context.queue[0] ?? { name: "?", input: {} }) };
    case "ask_user_question":
      return { kind: "reply", title: replyTitle(record), ok: null };
    case "fail_recovery": {
      const wait = waitBefore(context);
      return { kind: "wait", title: wait > 0 ? `waited ${duration(wait)}` : "no wait", ok: null };
    }
  }
}

/** How long recovery waits, in milliseconds: only for the model's service. */
export const waitBefore = ({ problem, faults }: Step["before"]["context"]): number =>
  problem?.code === "backend" ? backoffMs(faults, problem.retry_after_ms) : 0;

type TitleAndOk = Pick<Told, "title" | "ok">;

function modelTitle({
  of,
  output,
}: Outcome<"skill_call" | "tool_call"> | Outcome<"answer">): TitleAndOk {
  switch (output.kind) {
    case "calls":
      return { title: callsTitle(of, output.calls), ok: true };
    case "question":
      return { title: `asks: ${output.questions.join(" ")}`, ok: true };
    case "text":
      return { title: "answer", ok: true };
    case "refused":
      return { title: `refused: ${output.problem.code}`, ok: false };
    case "failed":
      return { title: `the model's service failed: ${output.problem.fault}`, ok: false };
  }
}

function callsTitle(of: OutcomeRecord["of"], calls: Parameters<typeof callLine>[0][]): string {
  if (calls.length > 0) return calls.map(callLine).join(" · ");
  return of === "skill_call" ? "no calls: no skill needed" : "no calls: ready to answer";
}

function toolTitle(
  { output }: Outcome<"tool_use">,
  call: Parameters<typeof callLine>[0],
): TitleAndOk {
  const line = callLine(call);
  switch (output.kind) {
    case "result":
    case "skill_loaded":
      return { title: line, ok: true };
    case "already_done":
      return { title: `already done: ${line}`, ok: null };
    case "needs_permission":
      return { title: `needs a yes: ${line}`, ok: null };
    case "failed":
      return {
        title: `${output.observation ? "failed" : "refused"}: ${output.problem.code}: ${line}`,
        ok: false,
      };
  }
}

const replyTitle = ({ output }: Outcome<"ask_user_question">): string =>
  output.kind === "no_reply"
    ? "no reply"
    : `reply: ${output.kind === "reply" ? output.text : output.kind}`;
