import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { fold } from "../../src/journal/fold.ts";
import { readLines } from "../../src/journal/line.ts";
import { cli, withoutSession } from "../helpers/cli.ts";
import { calling, loading, project, script, skillFile, tool } from "../helpers/project.ts";

const preload = pathToFileURL(join(import.meta.dirname, "../helpers/signal-at-record.mjs")).href;
const append = (letter: string) =>
  tool(
    `import { appendFileSync } from "node:fs";\nappendFileSync("effects.log", ${JSON.stringify(`${letter}\n`)});\nconsole.log("appended");`,
  );
const replies = [loading("log"), calling("append_a"), calling("append_b"), calling(), "Both done."];

function workshop() {
  const folder = project({
    "skills/log/SKILL.md": skillFile("log"),
    "skills/log/scripts/append_a.mjs": append("a"),
    "skills/log/scripts/append_b.mjs": append("b"),
    "replies.jsonl": script(...replies),
  });
  const env = { BROHARNESS_HOME: join(folder, "home") };
  const run = (args: string[], more: Record<string, string> = {}) =>
    cli(
      [
        "--skills",
        "skills",
        "--no-bundled-skills",
        "--trust",
        "log",
        "-m",
        "scripted/replies.jsonl",
        ...args,
      ],
      { cwd: folder, env: { ...env, ...more } },
    );
  const journal = () => {
    const sessions = join(folder, "home/sessions");
    const [file = ""] = readdirSync(sessions).filter((name) => name.endsWith(".jsonl"));
    return readLines(readFileSync(join(sessions, file), "utf8"));
  };
  const effects = () => {
    const log = join(folder, "effects.log");
    return existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : [];
  };
  return { folder, run, journal, effects };
}

/** How a turn went that was hit by a signal after the nth record, and then resumed. */
async function interruptedAt(record: number, signal: string) {
  const { folder, run, journal, effects } = workshop();
  const cut = await run(["append both"], {
    NODE_OPTIONS: `--import ${preload}`,
    SIGNAL_AT_RECORD: String(record),
    SIGNAL: signal,
  });
  // A turn is worth resuming from its first line on; before it there is nothing.
  if (journal().records.length < 2) return { exit: cut.exitCode, end: "nothing to resume" };
  const answered = journal().records.filter(
    (line) => line.type === "outcome" && "output" in line && "usage" in line.output,
  ).length;
  writeFileSync(join(folder, "replies.jsonl"), script(...replies.slice(answered)));
  const resumed = await run(["--continue"]);
  const { turns, fault } = fold(journal());
  const turn = turns[0]?.snapshot.context;
  const unknown = (turn?.log ?? []).flatMap((entry) =>
    entry.kind === "failure" && entry.problem.code === "interrupted" ? [entry.call.name] : [],
  );
  return {
    exit: cut.exitCode,
    end: `${resumed.exitCode} ${resumed.stdout.trim()}`,
    fault,
    unknown,
    effects: effects(),
  };
}

describe("the command line, hit by a signal at every record of its journal", () => {
  test.each(["SIGKILL", "SIGTERM", "SIGINT"])(
    "%s: after a resume each effect is there once, or named as unknown",
    async (signal) => {
      const whole = workshop();
      await whole.run(["append both"]);
      const records = whole.journal().records.length;
      expect(records).toBe(13);
      for (let record = 2; record <= records; record++) {
        const { end, fault, unknown = [], effects = [] } = await interruptedAt(record, signal);
        const at = `${signal} at ${record}`;
        expect({ at, end, fault }).toStrictEqual({ at, end: "0 Both done.", fault: null });
        for (const [name, letter] of [
          ["append_a", "a"],
          ["append_b", "b"],
        ] as const) {
          const count = effects.filter((effect) => effect === letter).length;
          expect({
            at,
            letter,
            once: count === 1 || (count === 0 && unknown.includes(name)),
          }).toStrictEqual({ at, letter, once: true });
        }
      }
    },
    300_000,
  );
});

test("a call that was interrupted needs the user's word, which no --allow stands for", async () => {
  const { folder, run, effects } = workshop();
  await run(["append"], {
    NODE_OPTIONS: `--import ${preload}`,
    SIGNAL_AT_RECORD: "6",
    SIGNAL: "SIGKILL",
  });
  writeFileSync(join(folder, "replies.jsonl"), script(calling("append_a")));
  const asked = await run(["-c", "--allow", "append_a"]);
  expect(asked.exitCode).toBe(4);
  expect(withoutSession(asked.stderr)).toBe(
    "broharness: this needs a reply, and there is nobody to ask:\nappend_a\nIt was interrupted before, and may have done its work then. Run it again?\n",
  );
  expect(effects()).toStrictEqual([]);
  writeFileSync(join(folder, "replies.jsonl"), script(calling(), "It is there."));
  expect(await run(["-c", "yes"])).toMatchObject({ stdout: "It is there.\n", exitCode: 0 });
  expect(effects()).toStrictEqual(["a"]);
});
