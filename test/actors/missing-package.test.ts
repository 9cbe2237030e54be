import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { execPath } from "node:process";
import { afterAll, describe, expect, test } from "vitest";
import { missingPackage, needsPackages } from "../../src/actors/missing-package.ts";
import { python } from "../helpers/python-fixtures.ts";

const scratch = mkdtempSync(path.join(tmpdir(), "missing-package-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const traceback = (line: string) =>
  `Traceback (most recent call last):\n  File "/s/scripts/run.py", line 3, in <module>\n    import x\n${line}\n`;

describe("the missing package", () => {
  test.each<[string, string | null]>([
    [traceback("ModuleNotFoundError: No module named 'requests'"), "requests"],
    [traceback("ModuleNotFoundError: No module named 'yaml'"), "PyYAML"],
    [traceback("ModuleNotFoundError: No module named 'PIL.Image'"), "Pillow"],
    [traceback("ModuleNotFoundError: No module named 'cv2'"), "opencv-python"],
    [traceback("ModuleNotFoundError: No module named 'sklearn'"), "scikit-learn"],
    [traceback("ModuleNotFoundError: No module named 'bs4'"), "beautifulsoup4"],
    [traceback("ModuleNotFoundError: No module named 'dotenv'"), "python-dotenv"],
    [traceback("ModuleNotFoundError: No module named 'dateutil.parser'"), "python-dateutil"],
    [
      traceback("ModuleNotFoundError: No module named 'google.cloud.storage'"),
      "google-cloud-storage",
    ],
    [traceback("ImportError: No module named numpy"), "numpy"],
    [traceback("ModuleNotFoundError: No module named 'a.b'; 'a' is not a package"), "a"],
    [traceback("ModuleNotFoundError: No module named 'constructor'"), "constructor"],
    [traceback("ImportError: cannot import name 'x' from 'y' (/usr/lib/y.py)"), null],
    [
      `${traceback("ModuleNotFoundError: No module named 'rich'")}falling back to plain text\n`,
      null,
    ],
    [traceback("ValueError: 3"), null],
    ["", null],
    [
      "node:internal/modules/esm/resolve:873\nError [ERR_MODULE_NOT_FOUND]: Cannot find package 'cheerio' imported from /s/a.mjs\n    at x\n  code: 'ERR_MODULE_NOT_FOUND'\n}\n\nNode.js v20.19.0\n",
      "cheerio",
    ],
    [
      "Error: Cannot find module '@aws-sdk/client-s3/dist'\n    at x {\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n",
      "@aws-sdk/client-s3",
    ],
    [
      "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/s/scripts/lib.mjs' imported from /s/a.mjs\n",
      null,
    ],
    ["Error: Cannot find module './lib'\n  code: 'MODULE_NOT_FOUND'\n", null],
    ["I say: Cannot find package 'x'\n", null],
  ])("of %j is %j", (stderr, name) => {
    expect(missingPackage(stderr)).toBe(name);
  });
});

describe("the sentence about it", () => {
  const missing = (module: string) => traceback(`ModuleNotFoundError: No module named '${module}'`);
  const tool = { file: "/s/scripts/run.py" };

  test("names the package, that it is not declared, and what to do", () => {
    expect(needsPackages(tool, missing("yaml"))).toBe(
      'run.py needs the package PyYAML (imported as yaml), which is neither installed nor declared by the script: install it with "python3 -m pip install PyYAML", or declare it in a PEP 723 block and install uv.',
    );
  });

  test("says of a declared one that uv would bring it, whatever its spelling", () => {
    expect(needsPackages({ ...tool, packages: ["Python_Dotenv[cli]>=1"] }, missing("dotenv"))).toBe(
      'run.py needs the package python-dotenv (imported as dotenv), which it declares and which is not installed: install uv, which brings such packages along, or install it with "python3 -m pip install python-dotenv".',
    );
  });

  test("says of Node where to install it", () => {
    const stderr =
      "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'cheerio' imported from /s/a.mjs\n";
    expect(needsPackages({ file: "/s/scripts/a.mjs" }, stderr)).toBe(
      'a.mjs needs the package cheerio, which is not installed: install it with "npm install cheerio" in the skill\'s folder.',
    );
  });

  test.each([
    ["a file beside the script", "helpers", ["helpers.py", "run.py"], missing("helpers.tables")],
    ["a folder beside the script", "office", ["office"], missing("office")],
    ["the script's own folder", "scripts", [], missing("scripts.common")],
    [
      "a part of a package of which another part was found",
      "lib",
      [],
      'Traceback (most recent call last):\n  File "/s/scripts/run.py", line 1, in <module>\n    import lib.a\n  File "/s/scripts/lib/a.py", line 1, in <module>\n    import lib.b\nModuleNotFoundError: No module named \'lib.b\'\n',
    ],
  ])("is not said of %s", (_title, _name, siblings, stderr) => {
    expect(needsPackages(tool, stderr, siblings)).toBeNull();
  });

  test("is not said of another failure", () => {
    expect(needsPackages(tool, traceback("ValueError: 3"))).toBeNull();
  });
});

describe("the real interpreters", () => {
  const stderrOf = (file: string, words: string[]) =>
    spawnSync(file, words, { encoding: "utf8" }).stderr;

  test.skipIf(python.missing)(`Python${python.note}`, () => {
    const file = path.join(scratch, "run.py");
    writeFileSync(file, "from nowhere_to_be_found.part import x\n");
    expect(missingPackage(stderrOf(python.path, [file]))).toBe("nowhere_to_be_found");
  });

  test("Node, by import and by require, but not for its own files", () => {
    const folder = path.join(scratch, "node");
    mkdirSync(folder);
    const run = (name: string, source: string) => {
      writeFileSync(path.join(folder, name), source);
      return missingPackage(stderrOf(execPath, [path.join(folder, name)]));
    };
    expect(run("a.mjs", 'import "@nobody/nowhere/x";')).toBe("@nobody/nowhere");
    expect(run("b.cjs", 'require("nowhere-to-be-found");')).toBe("nowhere-to-be-found");
    expect(run("c.mjs", 'import "./nowhere.mjs";')).toBeNull();
    expect(run("d.cjs", 'require("./nowhere");')).toBeNull();
  });
});
