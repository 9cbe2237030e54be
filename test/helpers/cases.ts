import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Backend } from "../../src/backends/backend.ts";
import type { Finish } from "../../src/contracts/contract.ts";
import type { HarnessEvent } from "../../src/events.ts";
import type { TaskName } from "../../src/session/task.ts";
import { loadNotes, nothing, notesProject, type NotesProject } from "./notes.ts";

/** What a good model writes where a case says nothing. */
const usual: Record<TaskName, string> = {
  skill_call: loadNotes.text,
  tool_call: nothing.text,
  answer: "I could not do it.",
};

interface Written {
  text: string;
  finish?: string;
}

/** A model that is good at everything but one task: there it gives these replies in order, then good ones. */
export function badAt(task: TaskName, replies: Iterable<Written>): Backend {
  const given = replies[Symbol.iterator]();
  return {
    id: "case",
    async *stream({ offer }, signal) {
      const next = offer.task === task ? given.next() : undefined;
      const good: Written = { text: usual[offer.task] };
      const { text, finish } = next && next.done !== true ? next.value : good;
      for (let start = 0; start < text.length; start += 7) {
        signal.throwIfAborted();
        yield { type: "text", text: text.slice(start, start + 7) };
        await Promise.resolve();
      }
      yield { type: "stop", finish: finishOf(finish) };
    },
  };
}

/** The same reply for ever. */
export function* always(reply: Written): Generator<Written, never> {
  for (;;) yield reply;
}

/** Reasons no backend reports ("tool_calls", "abort") reach the harness as "stop". */
const finishOf = (finish: string | undefined): Finish =>
  finish === "length" || finish === "content_filter" ? finish : "stop";

/** A notes project whose read_note prints what the expression gives. */
export function printing(expression: string): NotesProject {
  const project = notesProject();
  const file = join(project.projectDir, "print.mjs");
  writeFileSync(file, `process.stdout.write(${expression});\n`);
  const tools = project.skill.tools.map((tool) =>
    tool.name === "read_note" ? { ...tool, file } : tool,
  );
  return { ...project, skill: { ...project.skill, tools } };
}

/** The codes of everything that was refused or failed, in order. */
export const codesOf = (events: readonly HarnessEvent[]): string[] =>
  events.flatMap((event) => {
    if (event.type === "refusal") return [event.code];
    return event.type === "tool_result" && event.code !== null ? [event.code] : [];
  });

/** Everything a person is shown as words of the model. */
export const shownOf = (events: readonly HarnessEvent[]): string[] =>
  events.flatMap((event) => {
    if (event.type === "text" || event.type === "result") return [event.text];
    return event.type === "question" && event.kind === "open" ? [event.question] : [];
  });
