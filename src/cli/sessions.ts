import { readFileSync } from "node:fs";
import {
  findSession,
  fold,
  HarnessError,
  listSessions,
  loadJournal,
  removeSession,
  sessionPath,
  sessionsFolder,
  type FoldedTurn,
} from "../index.ts";
import { jsonText, print } from "./print.ts";

const folder = () => sessionsFolder(process.env);
const fileOf = (id: string) => sessionPath(folder(), findSession(folder(), id));

/** `sessions list`: newest first. */
export function listAllSessions({ json }: { json?: boolean }): void {
  const sessions = listSessions(folder());
  if (json) return print(jsonText(sessions, 2));
  if (sessions.length === 0) return print("no sessions yet");
  for (const { id, state, turns, cwd, first_question } of sessions)
    print(
      `${id}  ${state}, ${turns} ${turns === 1 ? "turn" : "turns"}, ${cwd}\n  ${first_question.replaceAll(/\s+/g, " ").slice(0, 100)}`,
    );
}

/** `sessions show ID`: what was asked, what ran, what came of it. */
export function showSession(id: string): void {
  const { turns, fault } = fold(loadJournal(fileOf(id)));
  for (const turn of turns) print(turnText(turn));
  if (fault) throw new HarnessError("config", `session ${id}, line ${fault.line}: ${fault.why}`);
}

function turnText({ input, snapshot }: FoldedTurn): string {
  const { context } = snapshot;
  const happened = context.log.flatMap((entry) => {
    switch (entry.kind) {
      case "skill":
        return [`  loaded ${entry.name}`];
      case "result":
        return [`  ran ${callText(entry.call)}`];
      case "failure":
        return [`  failed ${callText(entry.call)}: ${entry.problem.code}`];
      case "refusal":
        return [`  refused in ${entry.task}: ${entry.problem.code}`];
      case "question":
        return [`  asked: ${entry.question}`];
      case "reply":
        return [`  reply: ${entry.text}`];
      case "calls":
      case "notice":
        return [];
    }
  });
  return [`> ${input.question}`, ...happened, endText(snapshot.value, context.outcome)].join("\n");
}

const callText = ({ name, input }: { name: string; input: object }) =>
  `${name} ${JSON.stringify(input)}`;

function endText(state: string, outcome: FoldedTurn["snapshot"]["context"]["outcome"]): string {
  switch (outcome?.kind) {
    case "answered":
    case "fallback":
      return outcome.text;
    case "needs_input":
      return `(waits for a reply: ${outcome.question})`;
    case "stopped":
      return `(stopped: ${outcome.by})`;
    case undefined:
      return `(cut short in ${state})`;
  }
}

/** `sessions export ID`: the journal as it is, to keep or to attach to a report. */
export function exportSession(id: string): void {
  process.stdout.write(readFileSync(fileOf(id)));
}

/** `sessions rm ID`. */
export function removeOneSession(id: string): void {
  const found = findSession(folder(), id);
  removeSession(folder(), found);
  process.stderr.write(`broharness: removed session ${found}\n`);
}

/** A path as it is, or the file of a session by its id. */
export function journalOf(idOrPath: string): string {
  return idOrPath.includes("/") || idOrPath.endsWith(".jsonl") ? idOrPath : fileOf(idOrPath);
}
