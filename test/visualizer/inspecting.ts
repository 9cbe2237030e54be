import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { cli, startCli } from "../helpers/cli.ts";
import { block, loading, project, script } from "../helpers/project.ts";

/** A turn with all there is to see: a skill, a refused reply, a tool, a question before a destructive call, an answer. */
const REPLIES = script(
  loading("file-ops"),
  `Sure, I will read it.\n${block({ name: "read_file", input: { path: "notes.txt" } })}`,
  block({ name: "read_file", input: { path: "notes.txt" } }),
  block({ name: "delete_file", input: { path: "old.txt" } }),
  block(),
  "Your notes say: buy milk. The old file is gone.",
);

export const QUESTION = "What is in notes.txt? Then delete old.txt.";

/** A folder with the files and the model of that turn. */
export const notesFolder = (replies = REPLIES) =>
  project({ "notes.txt": "Buy milk.\n", "old.txt": "old\n", "model.jsonl": replies });

export const MODEL = ["--model", "scripted/model.jsonl"];

/** Runs that turn from the command line, with the deletion allowed beforehand; gives its journal. */
export async function recordedTurn(cwd: string): Promise<string> {
  const home = project();
  const args = [QUESTION, ...MODEL, "--allow", "delete_file"];
  const { exitCode, stderr } = await cli(args, { cwd, env: { BROHARNESS_HOME: home } });
  if (exitCode !== 0) throw new Error(`the turn ended with ${exitCode}: ${stderr}`);
  const [name = ""] = readdirSync(join(home, "sessions"));
  return join(home, "sessions", name);
}

/** The inspector as a process, and the address it prints. It is ended with the test. */
export async function startInspector(
  args: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
) {
  const running = startCli(["inspect", ...args, "--no-open"], { cwd, env });
  onTestFinished(async () => {
    running.kill("SIGKILL");
    await running;
  });
  let said = "";
  for (;;) {
    const [piece] = (await once(running.stderr, "data")) as [Buffer];
    said += String(piece);
    const [url] = /http:\S+/.exec(said) ?? [];
    if (url !== undefined) return { running, url };
  }
}
