import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { exportPage } from "../../../src/inspector/server/export.ts";
import type { PromptView, Recording, StepView } from "../../../src/inspector/protocol.ts";
import { saveExport } from "../../../src/inspector/server/save-export.ts";
import { withoutPrivileges } from "../../helpers/processes.ts";
import { project } from "../../helpers/project.ts";

const MIB = 1024 * 1024;

const step = (asks_model: boolean): StepView => ({
  turn: 1,
  line: null,
  at: 0,
  kind: "model",
  type: "xstate.done.actor.answer",
  title: "</script>",
  ok: null,
  by: null,
  from: [],
  to: ["turn.answer"],
  arcs: [],
  actions: [],
  patch: {},
  output: null,
  blocks: [],
  budget: null,
  remaining: null,
  asks_model,
  can_fork: false,
  ended: null,
});

const recordingOf = (...runs: boolean[][]): Recording => ({
  source: "recorded",
  title: "what is in a.txt?",
  version: "0.1.0",
  chart: { id: "turn", nodes: [], arcs: [] },
  runs: runs.map((asks, id) => ({
    id,
    name: `run ${id}`,
    session: null,
    fork: id === 0 ? null : { run: 0, step: 1 },
    steps: asks.map(step),
  })),
  prompts: null,
});

function exported(
  recording: Recording,
  promptOf: (run: number, step: number) => PromptView | null,
) {
  const html = exportPage({ recording, svg: "<svg></svg>", title: "a turn", promptOf });
  const [, json = ""] =
    /<script type="application\/json" id="recording">([\s\S]*?)<\/script>/.exec(html) ?? [];
  return { html, inside: JSON.parse(json) as Recording };
}

const user = (text: string) => ({ role: "user", text });

test("all steps are in the file, and each text of a prompt once", () => {
  const asked: string[] = [];
  const { inside } = exported(recordingOf([true, false, true], [true, true]), (run, at) => {
    asked.push(`${run} ${at}`);
    if (run === 1 && at === 1) return null;
    return {
      system: "S",
      messages: [user("one"), ...(at > 0 ? [user("two")] : [])],
      note: run === 1 ? "N" : "",
    };
  });
  expect(asked).toStrictEqual(["0 0", "0 2", "1 0", "1 1"]);
  expect({ ...inside, prompts: null }).toStrictEqual(
    recordingOf([true, false, true], [true, true]),
  );
  const one = { role: "user", text: 2 };
  expect(inside.prompts).toStrictEqual({
    texts: ["", "S", "one", "two"],
    prompts: {
      "0 0": { system: 1, messages: [one], note: "" },
      "0 2": { system: 1, messages: [one, { role: "user", text: 3 }], note: "" },
      "1 0": { system: 1, messages: [one], note: "N" },
    },
  });
});

test("prompts beyond 16 MiB of texts are left out, and say so; they are not even made", () => {
  let made = 0;
  const { inside, html } = exported(recordingOf([true, true, true, true, true]), (_, at) => {
    made += 1;
    return { system: "S", messages: [user(`${at}${"x".repeat(6 * MIB)}`), user("é")], note: "" };
  });
  const prompts = inside.prompts?.prompts ?? {};
  expect(Object.values(prompts).map(({ note }) => note)).toStrictEqual([
    "",
    "",
    ...Array(3).fill("left out: the file would be over 16 MB"),
  ]);
  expect(prompts["0 4"]).toMatchObject({ system: 0, messages: [] });
  expect(made).toBe(3);
  expect(html.length).toBeLessThan(17 * MIB);
});

test("the texts are counted as bytes, and 16 MiB is allowed", () => {
  const notes = (text: string) =>
    Object.values(
      exported(recordingOf([true]), () => ({ system: text, messages: [], note: "" })).inside.prompts
        ?.prompts ?? {},
    ).map(({ note }) => note);
  expect(notes("é".repeat(8 * MIB))).toStrictEqual([""]);
  expect(notes(`${"é".repeat(8 * MIB)}x`)).toStrictEqual([
    "left out: the file would be over 16 MB",
  ]);
});

test("a recording that no file can hold is one clear error", () => {
  const endless = {
    toJSON: () => {
      throw new RangeError("Invalid string length");
    },
  };
  const recording = { ...recordingOf([]), title: endless as never };
  expect(() => exported(recording, () => null)).toThrow(
    expect.objectContaining({
      name: "HarnessError",
      code: "too_large",
      message: "the recording is too large for one HTML file",
    }) as Error,
  );
});

test("a page is saved for its owner, in the place of the old one, with nothing beside it", () => {
  const folder = project({ "out.html": "old" });
  const path = join(folder, "out.html");
  saveExport(path, "<p>é</p>");
  expect(readFileSync(path, "utf8")).toBe("<p>é</p>");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toStrictEqual(["out.html"]);
});

test("a link stays one, and what it points to is replaced", () => {
  const folder = project({ "real.html": "old" });
  symlinkSync("real.html", join(folder, "link.html"));
  saveExport(join(folder, "link.html"), "new");
  expect(readFileSync(join(folder, "real.html"), "utf8")).toBe("new");
  expect(readdirSync(folder)).toStrictEqual(["link.html", "real.html"]);
});

const advice = "; name another file for the page";

test.each(["a.jsonl", "link.html"])("a journal is never replaced: %s", (name) => {
  const journal = '{"n":1,"at":0,"type":"session"}\n';
  const folder = project({ "a.jsonl": journal });
  symlinkSync("a.jsonl", join(folder, "link.html"));
  const path = join(folder, name);
  expect(() => saveExport(path, "<p>new</p>")).toThrow(
    `${path} cannot be written: it is a journal${advice}`,
  );
  expect(readFileSync(join(folder, "a.jsonl"), "utf8")).toBe(journal);
});

test.each<[string, (folder: string) => string, string]>([
  ["a folder", (folder) => folder, "it is a folder"],
  ["no such folder", (folder) => join(folder, "no", "a.html"), "no such file or folder"],
  [
    "below a file",
    (folder) => {
      writeFileSync(join(folder, "file"), "");
      return join(folder, "file", "a.html");
    },
    "a part of the path is not a folder",
  ],
  ["a name too long", (folder) => join(folder, "x".repeat(300)), "the name is too long"],
  ["a full device", () => "/dev/full", "the disk is full"],
])("%s: one sentence, and nothing is left", (_, pathIn, why) => {
  const folder = project();
  const path = pathIn(folder);
  const before = readdirSync(folder);
  expect(() => saveExport(path, "x".repeat(100_000))).toThrow(
    expect.objectContaining({
      name: "HarnessError",
      code: "config",
      message: `${path} cannot be written: ${why}${advice}`,
    }) as Error,
  );
  expect(readdirSync(folder)).toStrictEqual(before);
});

/** Saves in another process, which prints what was wrong. */
const saver = (path: string) => [
  process.execPath,
  "--import",
  "tsx",
  "--input-type=module",
  "--eval",
  `const { saveExport } = await import(${JSON.stringify(new URL("../../../src/inspector/server/save-export.ts", import.meta.url).href)});
   try { saveExport(${JSON.stringify(path)}, "x".repeat(100_000)); } catch (error) { console.log(error.name + ": " + error.message); }`,
];

test("no room for the whole page: the old one is still there, and nothing beside it", async () => {
  const folder = project({ "a.html": "old" });
  const path = join(folder, "a.html");
  const { stdout } = await execa("sh", ["-c", 'ulimit -f 8; exec "$@"', "sh", ...saver(path)]);
  expect(stdout).toBe(
    `HarnessError: ${path} cannot be written: no file may grow this large${advice}`,
  );
  expect(readFileSync(path, "utf8")).toBe("old");
  expect(readdirSync(folder)).toStrictEqual(["a.html"]);
});

test("a folder that may not be written", async () => {
  const folder = project();
  const path = join(folder, "closed", "a.html");
  mkdirSync(join(folder, "closed"));
  chmodSync(join(folder, "closed"), 0o500);
  const [command = "", ...args] = [...withoutPrivileges, ...saver(path)];
  const { stdout } = await execa(command, args);
  expect(stdout).toBe(`HarnessError: ${path} cannot be written: no permission${advice}`);
  expect(existsSync(path)).toBe(false);
});
