import type { Call } from "../contracts/call.ts";
import type { Problem } from "../contracts/problem.ts";
import { correctForm } from "../skills/correct-form.ts";
import { metaTools } from "../skills/meta-tools.ts";
import { exampleCall } from "../skills/tool-line.ts";
import { checkArguments } from "./check-arguments.ts";

type Judged =
  | { kind: "calls"; calls: Call[] }
  | { kind: "question"; questions: string[] }
  | { kind: "refused"; problem: Problem; example: Call | null };

/**
 * A list of calls, or its questions. A question with anything beside it is refused, since its reply may change the rest.
 * An ill-formed question is refused here as well, since no question ever gets to tool_use.
 */
export async function judgeCalls(calls: Call[]): Promise<Judged> {
  const tool = metaTools.ask_user_question;
  const questions = calls.filter(({ name }) => name === tool.name);
  if (questions.length === 0) return { kind: "calls", calls };
  if (questions.length < calls.length) {
    const example = correctForm(questions[0] ?? exampleCall(tool), tool);
    return { kind: "refused", problem: { code: "question_not_alone" }, example };
  }
  for (const question of questions) {
    const problem = (await checkArguments(question, tool)) ?? blankQuestion(question);
    if (problem) return { kind: "refused", problem, example: problem.example ?? null };
  }
  const texts = questions.map(textOf);
  return { kind: "question", questions: [...new Set(texts)] };
}

const textOf = ({ input: { question = "" } }: Pick<Call, "input">) =>
  typeof question === "string" ? question : "";

function blankQuestion({ name, input }: Call): Extract<Problem, { code: "bad_argument" }> | null {
  if (textOf({ input }).trim() !== "") return null;
  const fault = { fault: "bad_value", path: "question", expected: "a question in words" } as const;
  return {
    code: "bad_argument",
    tool: name,
    faults: [fault],
    example: exampleCall(metaTools.ask_user_question),
  };
}
