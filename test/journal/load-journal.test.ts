import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { loadJournal } from "../../src/journal/load-journal.ts";
import { withoutPrivileges } from "../helpers/processes.ts";
import { journalText, session } from "../helpers/journal.ts";

const folder = mkdtempSync(join(tmpdir(), "broharness-load-"));
let files = 0;
function file(content: string | Buffer): string {
  const path = join(folder, `${++files}.jsonl`);
  writeFileSync(path, content);
  return path;
}
const whole = journalText([session, { type: "resume" }]);
const errorOf = (path: string) => {
  try {
    return loadJournal(path);
  } catch (error) {
    return String(error).replaceAll(path, "PATH");
  }
};

test("a whole journal, and its size", () => {
  expect(loadJournal(file(whole))).toMatchObject({
    records: [
      { type: "session", n: 1 },
      { type: "resume", n: 2 },
    ],
    fault: null,
    torn: null,
    endsLine: true,
    size: whole.length,
  });
});

test("half a line at the end is told, even if it ends in half a letter", () => {
  const torn = Buffer.concat([
    Buffer.from(`${whole}{"n":3,"text":"`),
    Buffer.from("ä").subarray(0, 1),
  ]);
  expect(loadJournal(file(torn))).toMatchObject({
    records: [{ n: 1 }, { n: 2 }],
    fault: null,
    torn: '{"n":3,"text":"\ufffd',
    size: whole.length,
  });
});

test("a last line without its line break counts", () => {
  expect(loadJournal(file(whole.trimEnd()))).toMatchObject({
    records: [{ n: 1 }, { n: 2 }],
    torn: null,
    endsLine: false,
    size: whole.length - 1,
  });
});

test("a byte that is no letter, and one that an editor put before all others, are found by line", () => {
  const bytes = Buffer.from(whole);
  bytes[whole.indexOf("resume")] = 0xff;
  expect(loadJournal(file(bytes)).fault).toStrictEqual({
    line: 2,
    why: "this line was changed, or a line before it is missing: its checksum is another",
  });
  expect(loadJournal(file(`\ufeff${whole}`)).fault?.line).toBe(1);
});

test("what is no journal says so", () => {
  const sub = join(folder, "sub");
  mkdirSync(sub);
  expect(errorOf(sub)).toBe("HarnessError: PATH: not a journal but a folder, pipe or device");
  expect(errorOf("/dev/null")).toBe(
    "HarnessError: PATH: not a journal but a folder, pipe or device",
  );
  expect(errorOf(join(folder, "gone"))).toBe("HarnessError: PATH: no such file or folder");
  expect(errorOf(file(""))).toBe("HarnessError: PATH: empty, so it is no journal");
  expect(errorOf(file(Buffer.from([0xff, 0xfe, 0x0a])))).toBe(
    "HarnessError: PATH: not a text in UTF-8",
  );
  expect(errorOf(file("hello"))).toBe("HarnessError: PATH: not one whole line of a journal");
  expect(errorOf(file("hello\n"))).toMatchObject({
    fault: { line: 1, why: "not a line of a journal: it does not end in a checksum" },
  });
});

test("a file that may not be read", async () => {
  const path = file(whole);
  const [command, ...before] = [...withoutPrivileges, process.execPath];
  const loader = new URL("../../dist/index.js", import.meta.url).href;
  const code = `import { chmodSync } from "node:fs"; import { loadJournal } from "${loader}";
    chmodSync(process.argv[1], 0); try { loadJournal(process.argv[1]) } catch (error) { console.log(error.code, error.message) }`;
  const { stdout } = await execa(command, [...before, "--input-type=module", "-e", code, path]);
  expect(stdout).toBe(`not_readable ${path}: no permission`);
});
