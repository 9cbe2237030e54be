import { existsSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nobody, type Asker } from "../../src/actors/ask-user.ts";
import type { Backend } from "../../src/backends/backend.ts";
import { createScriptedBackend, type ScriptedReply } from "../../src/backends/scripted.ts";
import { codeblock } from "../../src/contracts/codeblock.ts";
import type { Call } from "../../src/contracts/call.ts";
import type { HarnessEvent } from "../../src/events.ts";
import {
  createHarness,
  newConversation,
  type HarnessOptions,
  type RunState,
} from "../../src/harness.ts";
import type { Turn } from "../../src/machine/turn.types.ts";
import type { Effect } from "../../src/session/entry.ts";
import type { PropertySchema } from "../../src/session/offer.ts";
import { defineSkill } from "../../src/skills/library.ts";
import type { Tool } from "../../src/skills/skill.ts";

/** Writes down that it ran, then does as its name says; `read_note` knows one note. */
const SCRIPT = `import { appendFileSync } from "node:fs";
const [tool, ...args] = process.argv.slice(2);
appendFileSync("ran.log", tool + " " + JSON.stringify(args) + "\\n");
const given = (name) => args.find((arg) => arg.startsWith("--" + name + "="))?.slice(name.length + 3);
if (tool === "list_notes") console.log("plan\\nshop");
if (tool === "find_text") process.exit(0);
if (tool === "read_note") {
  if (given("title") === "hang") setInterval(() => {}, 1000);
  else if (given("title") !== "plan") { console.error("no note named " + given("title")); process.exit(3); }
  else console.log("Buy milk.");
}
`;

type Properties = Record<string, PropertySchema>;
const text: PropertySchema = { type: "string" };
const TOOLS: [string, Effect, Properties, string[]][] = [
  [
    "list_notes",
    "read",
    { folder: text, limit: { type: "integer" }, archived: { type: "boolean" } },
    [],
  ],
  ["read_note", "read", { title: text }, ["title"]],
  ["save_note", "write", { title: text, text }, ["title", "text"]],
  ["delete_note", "destructive", { title: text }, ["title"]],
  ["find_text", "read", { query: text, pattern: text, page: { type: "integer", minimum: 1 } }, []],
  [
    "add_label",
    "write",
    { title: text, label: { type: "string", maxLength: 40 } },
    ["title", "label"],
  ],
  ["weather", "read", { city: text }, ["city"]],
];

/** A project folder with the skill of the reply cases: seven tools that note what they were called with. */
export function notesProject() {
  const projectDir = realpathSync(mkdtempSync(join(tmpdir(), "broharness-notes-")));
  const file = join(projectDir, "tool.mjs");
  writeFileSync(file, SCRIPT);
  const tools = TOOLS.map(([name, effect, properties, required]): Tool => ({
    name,
    skill: "notes",
    description: `Does ${name}.`,
    schema: { type: "object", properties, required, additionalProperties: false },
    effect,
    exclusive: [],
    runtime: "node",
    file,
    command: [name],
    arguments: Object.keys(properties).map((key) => ({
      name: key,
      flag: `--${key}`,
      form: properties[key]?.type === "boolean" ? "switch" : "value",
    })),
  }));
  const skill = defineSkill({
    name: "notes",
    description: "Keeps notes. Use it when the user speaks of notes.",
    folder: projectDir,
    instructions: "One note at a time.",
    tools,
  });
  const log = join(projectDir, "ran.log");
  return {
    projectDir,
    skill,
    /** What really ran, one line a process. */
    ran: () => (existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : []),
  };
}

export type NotesProject = ReturnType<typeof notesProject>;

export const block = (...calls: Call[]): ScriptedReply => ({ text: codeblock.format(calls) });
export const raw = (reply: string, more: Partial<ScriptedReply> = {}): ScriptedReply => ({
  text: reply,
  ...more,
});
export const loadNotes = block({ name: "load_skill", input: { skill_name: "notes" } });
export const nothing = block();
export const read = (title: string): Call => ({ name: "read_note", input: { title } });

interface Played {
  turn: Turn;
  events: HarnessEvent[];
  /** The states in order. */
  path: string[];
  requests: Extract<HarnessEvent, { type: "request" }>[];
  project: NotesProject;
}

/** Plays one turn on the notes skill with scripted replies. */
export async function play(
  replies: readonly ScriptedReply[] | Backend,
  given: Partial<HarnessOptions> & {
    state?: Partial<RunState>;
    project?: NotesProject;
    asker?: Asker;
    signal?: AbortSignal;
  } = {},
): Promise<Played> {
  const { state, project = notesProject(), signal, onEvent, ...options } = given;
  const events: HarnessEvent[] = [];
  const harness = createHarness({
    skills: { skills: [project.skill], diagnostics: [], python: null },
    backend: "stream" in replies ? replies : createScriptedBackend(replies),
    projectDir: project.projectDir,
    asker: nobody,
    nonce: () => "n0nce",
    ...options,
    onEvent: (event) => {
      events.push(event);
      onEvent?.(event);
    },
  });
  const turn = await harness.run(
    { ...newConversation(), question: "What is in the plan note?", ...state },
    signal ? { signal } : {},
  );
  return {
    turn,
    events,
    path: events.flatMap((event) => (event.type === "state" ? [event.state] : [])),
    requests: events.flatMap((event) => (event.type === "request" ? [event] : [])),
    project,
  };
}
