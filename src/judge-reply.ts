import { askForCalls, askForText, type AskModelOptions } from "./actors/ask-model.ts";
import { createScriptedBackend } from "./backends/scripted.ts";
import type { AskForCallsOutput, AskForTextOutput, Turn } from "./machine/turn.types.ts";
import type { TaskName } from "./session/task.ts";

/** What a task makes of a reply that a person wrote: the model's own way, with the reply in the place of a model. */
export function judgeReply(
  options: AskModelOptions,
  { task, turn, reply }: { task: TaskName; turn: Turn; reply: string },
): Promise<AskForCallsOutput | AskForTextOutput> {
  const backend = createScriptedBackend([{ text: reply }]);
  const written: AskModelOptions = { ...options, backendFor: () => backend, emit: () => {} };
  const ask = task === "answer" ? askForText : askForCalls;
  return ask(written, { task, turn }, new AbortController().signal);
}
