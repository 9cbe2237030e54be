import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gone } from "../helpers/processes.ts";
import { block, calling, loading, project, script, skillFile, tool } from "../helpers/project.ts";
import { withoutSession } from "../helpers/cli.ts";
import { inTerminal, leftOnScreen } from "../helpers/terminal.ts";

const OFFLINE =
  "broharness: offline, no language model: only what is fully understood is done (see -m in --help)\n";
const DELETE_IT =
  'delete_file path="a.txt"\nThis changes or deletes what is there. Run it?\n[y/N] ';
const ask = script(
  block({ name: "ask_user_question", input: { question: "\u001B[2JWhich?" } }),
  block(),
  "Well.",
);
const SIGHUP = 1;

describe("the live line", () => {
  test("fits a narrow window, and is gone when the answer is there, in which a terminal finds nothing to obey", async () => {
    const cwd = project({ "a.txt": "\u001B[2J\u001B]0;owned\u0007red\rover\nünï 😀\n" });
    const { shown, exitCode } = await inTerminal(["what's in a.txt?"], { cwd, columns: 20 });
    const drawn = shown.split("\r\u001B[K").filter((line) => line.startsWith("· "));
    expect(drawn.length).toBeGreaterThan(5);
    expect(drawn.filter((line) => line.length > 19)).toEqual([]);
    expect(leftOnScreen(shown)).toBe(
      `${OFFLINE}${String.raw`\u{1b}[2J\u{1b}]0;owned\u{7}red\u{d}over`}\nünï 😀\n`,
    );
    expect(exitCode).toBe(0);
  });

  test("is not there where it would be in the way: a dumb terminal, events on the same one", async () => {
    const cwd = project({ "a.txt": "hi\n" });
    const dumb = await inTerminal(["what's in a.txt?"], { cwd, env: { TERM: "dumb" } });
    expect(dumb.shown).toBe(`${OFFLINE}hi\n`.replaceAll("\n", "\r\n"));
    const events = await inTerminal(["what's in a.txt?", "--output-format", "stream-json"], {
      cwd,
    });
    const types = events.shown
      .trimEnd()
      .split("\r\n")
      .map((line) => (JSON.parse(line) as { type: string }).type);
    expect([types.at(0), types.at(-1)]).toEqual(["init", "result"]);
  });
});

describe("a question", () => {
  test("can be read, is asked again for an unclear word, and yes does it", async () => {
    const cwd = project({ "a.txt": "hi\n" });
    const { shown, exitCode } = await inTerminal(["delete a.txt"], {
      cwd,
      steps: [
        ["[y/N] ", "sure\r"],
        ["[y/N] ", "y\r"],
      ],
    });
    expect(leftOnScreen(shown)).toBe(
      `${DELETE_IT}sure\nType y for yes or n for no.\n[y/N] y\n${OFFLINE}deleted "a.txt"\n`,
    );
    expect(exitCode).toBe(0);
    expect(existsSync(join(cwd, "a.txt"))).toBe(false);
  });

  test("Ctrl-D is no reply, Ctrl-C stops, and neither does anything", async () => {
    const cwd = project({ "a.txt": "hi\n" });
    const ended = await inTerminal(["delete a.txt"], { cwd, steps: [["[y/N] ", "\u0004"]] });
    expect(withoutSession(leftOnScreen(ended.shown))).toBe(
      `${DELETE_IT}\nbroharness: stopped, because there was no reply\n`,
    );
    expect(ended.exitCode).toBe(4);
    const stopped = await inTerminal(["delete a.txt"], { cwd, steps: [["[y/N] ", "\u0003"]] });
    expect(withoutSession(leftOnScreen(stopped.shown))).toBe(
      `${DELETE_IT}^C\nbroharness: stopped\n`,
    );
    expect(stopped.exitCode).toBe(130);
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("hi\n");
  });

  test("of a model is shown with nothing to obey in it, and its reply goes back", async () => {
    const cwd = project({ "replies.jsonl": ask });
    const args = ["hm", "-m", "scripted/replies.jsonl"];
    const { shown } = await inTerminal(args, { cwd, steps: [["> ", "this one\r"]] });
    expect(leftOnScreen(shown)).toBe("\\u{1b}[2JWhich?\n> this one\nWell.\n");
  });

  test("that could not be seen is not waited for", async () => {
    const cwd = project({ "replies.jsonl": ask });
    const { shown, exitCode } = await inTerminal(["hm", "-m", "scripted/replies.jsonl"], {
      cwd,
      redirections: "2> notes",
    });
    expect(shown).toBe("");
    expect(withoutSession(readFileSync(join(cwd, "notes"), "utf8"))).toBe(
      "broharness: this needs a reply, and there is nobody to ask:\n\\u{1b}[2JWhich?\n",
    );
    expect(exitCode).toBe(4);
  });
});

describe("in the middle of a script that does not want to end", () => {
  const stubborn = () =>
    project({
      "mine/slow/SKILL.md": skillFile("slow"),
      "mine/slow/scripts/hang.mjs": tool(
        'import fs from "node:fs"; for (const name of ["SIGTERM", "SIGHUP"]) process.on(name, () => {}); fs.writeFileSync("id.part", `${process.pid}`); fs.renameSync("id.part", "id"); setInterval(() => {}, 1000);',
      ),
      "replies.jsonl": script(loading("slow"), calling("hang")),
    });
  // In a sandbox its number is another one.
  const args = [
    "go",
    "--skills",
    "mine",
    "--trust",
    "slow",
    "--sandbox",
    "off",
    "-m",
    "scripted/replies.jsonl",
  ];

  test.each<[string, string[], number]>([
    ["Ctrl-C twice", ["\u0003", "\u0003"], 130],
    ["a closed window", [], 143],
  ])("%s leaves neither the script nor a half line behind", async (_name, keys, code) => {
    const cwd = stubborn();
    const id = join(cwd, "id");
    const { shown, exitCode } = await inTerminal(args, {
      cwd,
      steps: keys.length > 0 ? keys.map((key) => [id, key]) : [[id, SIGHUP]],
    });
    expect(withoutSession(leftOnScreen(shown))).toMatch(/^(?:broharness: stopped\n)?$/);
    expect(exitCode).toBe(code);
    expect(await gone([Number(readFileSync(id, "utf8"))])).toBe(1);
  });
});
