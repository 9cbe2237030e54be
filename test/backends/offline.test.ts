import { env } from "node:process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { ModelRequest } from "../../src/backends/backend.ts";
import { createOfflineBackend } from "../../src/backends/offline.ts";
import { codeblock } from "../../src/contracts/codeblock.ts";
import type { Call } from "../../src/contracts/call.ts";
import type { Entry } from "../../src/session/entry.ts";
import { loadSkills } from "../../src/skills/load-skills.ts";
import { calls, failure, offer, reply, result } from "./offline-replies.ts";
import { fileOps, shippedLike, tellJoke } from "./offline-skills.ts";

const backend = createOfflineBackend({ skills: shippedLike, contract: codeblock });

const readme: Call = { name: "read_file", input: { path: "README.md" } };
const deleteNotes: Call = { name: "delete_file", input: { path: "notes.txt" } };
const loadFileOps: Call = { name: "load_skill", input: { skill_name: "file-ops" } };

const asked = (log: Entry[]) =>
  calls(backend, offer("tool_call", "show me README.md", log, ["file-ops"]));

const request = (question: string): ModelRequest => ({
  system: "",
  messages: [],
  temperature: 0,
  output_tokens_max: 100,
  offer: offer("skill_call", question),
});

describe("skill_call", () => {
  test("loads the skill whose tool matches", async () => {
    expect(await calls(backend, offer("skill_call", "show me README.md"))).toEqual([loadFileOps]);
  });

  test("wants nothing when nothing matches, and says so in the contract's form", async () => {
    expect(await reply(backend, offer("skill_call", "write a poem"))).toBe(
      '```json\n{"tool_use":[]}\n```',
    );
  });

  test("does not load what is loaded, or what failed to load", async () => {
    expect(
      await calls(backend, offer("skill_call", "show me README.md", [], ["file-ops"])),
    ).toEqual([]);
    const failed = failure(loadFileOps, null);
    expect(await calls(backend, offer("skill_call", "show me README.md", [failed]))).toEqual([]);
  });

  test("does not load a default skill, and calls its tools at once", async () => {
    const always = createOfflineBackend({
      skills: [{ ...fileOps, isDefault: true }],
      contract: codeblock,
    });
    expect(await calls(always, offer("skill_call", "show me README.md"))).toEqual([]);
    expect(await calls(always, offer("tool_call", "show me README.md"))).toEqual([readme]);
  });

  test("knows nothing of drafts and disabled skills", async () => {
    const skills = [
      { ...fileOps, status: "disabled" },
      { ...tellJoke, status: "Draft" },
    ];
    const none = createOfflineBackend({ skills, contract: codeblock });
    expect(await calls(none, offer("skill_call", "show me README.md"))).toEqual([]);
    expect(await calls(none, offer("skill_call", "tell me a joke"))).toEqual([]);
  });
});

describe("tool_call", () => {
  test("makes the one call, in the contract's form", async () => {
    expect(await asked([])).toEqual([readme]);
  });

  test.each<[string, Entry]>([
    ["it has run", result(readme, "# Title")],
    ["it failed", failure(readme, "no such file")],
    ["the user said no", { kind: "notice", notice: { code: "denied", call: readme } }],
    ["it was done already", { kind: "notice", notice: { code: "already_done", call: readme } }],
    ["it was sent before", { kind: "calls", task: "tool_call", calls: [readme] }],
    [
      "its form was refused",
      { kind: "refusal", task: "tool_call", problem: { code: "empty" }, example: null, attempt: 1 },
    ],
  ])("wants nothing more once %s", async (_when, entry) => {
    expect(await asked([entry])).toEqual([]);
  });

  test("a reply of the user changes nothing", async () => {
    expect(await asked([{ kind: "reply", text: "delete it" }])).toEqual([readme]);
  });

  test("calls no tool of a skill that is not loaded", async () => {
    expect(await calls(backend, offer("tool_call", "show me README.md"))).toEqual([]);
  });

  test("reads a reference that is named in full", async () => {
    const given = offer("tool_call", "what are pandas gotchas?", [], ["ds-mentor"]);
    expect(await calls(backend, given)).toEqual([
      {
        name: "load_skill_extension",
        input: { skill_name: "ds-mentor", path: "references/pandas-gotchas.md" },
      },
    ]);
  });
});

describe("the stream", () => {
  test("is a few pieces of text, the usage, and one stop", async () => {
    const types: string[] = [];
    for await (const event of backend.stream(
      request("show me README.md"),
      new AbortController().signal,
    ))
      types.push(event.type);
    expect(types).toEqual(["text", "text", "text", "text", "usage", "stop"]);
  });

  test("ends with the signal's reason when it aborts", async () => {
    const controller = new AbortController();
    const seen: string[] = [];
    const stream = async () => {
      for await (const event of backend.stream(request("show me README.md"), controller.signal)) {
        seen.push(event.type);
        controller.abort(new Error("enough"));
      }
    };
    await expect(stream()).rejects.toThrow("enough");
    expect(seen).toEqual(["text"]);
  });

  test("the backend is called offline", () => {
    expect(backend.id).toBe("offline");
  });
});

describe("the skills that ship", () => {
  test("are matched by their main sentences", async () => {
    const folders = [fileURLToPath(new URL("../../skills", import.meta.url))];
    const { skills } = await loadSkills({ folders, environment: env });
    const shipped = createOfflineBackend({ skills, contract: codeblock });
    const loaded = skills.map(({ name }) => name);
    const first = async (question: string) =>
      (await calls(shipped, offer("tool_call", question, [], loaded)))[0];
    expect(await first("what's in skills/file-ops/SKILL.md?")).toEqual({
      name: "read_file",
      input: { path: "skills/file-ops/SKILL.md" },
    });
    expect(await first("show me README.md")).toEqual(readme);
    expect(await first("list the .md files in docs")).toEqual({
      name: "list_files",
      input: { glob: "*.md", path: "docs" },
    });
    expect(await first("what files are here?")).toEqual({ name: "list_files", input: {} });
    expect(await first("find SKILL.md")).toEqual({
      name: "find_file",
      input: { name: "SKILL.md" },
    });
    expect(await first('create notes.txt with "hello"')).toEqual({
      name: "create_file",
      input: { path: "notes.txt", content: "hello" },
    });
    expect(await first("delete notes.txt")).toEqual(deleteNotes);
    expect(await first("tell me a dad joke")).toEqual({
      name: "tell_joke",
      input: { kind: "dad" },
    });
    expect(await first("what is precision?")).toBeUndefined();
    expect(await first("delete all .txt files")).toBeUndefined();
  });

  test("understand every one of their own examples that names a tool", async () => {
    const folders = [fileURLToPath(new URL("../../skills", import.meta.url))];
    const { skills } = await loadSkills({ folders, environment: env });
    const shipped = createOfflineBackend({ skills, contract: codeblock });
    // A tool whose interpreter this machine does not have is not there to be matched.
    const tools = skills.flatMap((skill) => skill.tools.map(({ name }) => name));
    const examples = skills.flatMap(({ examples: all }) =>
      all.filter(({ tool }) => tool !== null && tools.includes(tool)),
    );
    const loaded = skills.map(({ name }) => name);
    const given = await Promise.all(
      examples.map(
        async (example) =>
          (await calls(shipped, offer("tool_call", example.request, [], loaded)))[0]?.name,
      ),
    );
    expect(given).toEqual(examples.map(({ tool }) => tool));
  });
});
