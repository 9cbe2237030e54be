import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { describe, expect, test } from "vitest";

import { contentOf, failure, fileOps, makeProject, scriptPath } from "./tool-runs.ts";

const calls: [string, Record<string, string>][] = [
  ["read_file", {}],
  ["list_files", {}],
  ["create_file", { content: "new" }],
  ["update_file", { content: "new" }],
  ["delete_file", {}],
];

/** A project beside a folder with a secret, and links that lead to it. */
function besideASecret(): string {
  const project = makeProject({ "../outside/secret.txt": "secret", "docs/a.txt": "a" });
  symlinkSync("../outside/secret.txt", path.join(project, "link.txt"));
  symlinkSync("../outside", path.join(project, "away"));
  symlinkSync("../outside/new.txt", path.join(project, "dangling"));
  symlinkSync("loop", path.join(project, "loop"));
  return project;
}

describe.each(calls)("%s stays in the project", (tool, input) => {
  test.each([
    "../outside/secret.txt",
    "docs/../../outside/secret.txt",
    "/etc/passwd",
    "~/secret.txt",
    "..",
    "/",
  ])("refuses %s by its spelling", async (given) => {
    const project = besideASecret();
    expect(failure(await fileOps(tool, { path: given, ...input }, project))).toBe(
      `1 "${given}" is outside of the project. Only files in the project can be used.`,
    );
    expect(contentOf(project, "../outside/secret.txt")).toBe("secret");
  });

  test.each(["link.txt", "away", "away/secret.txt", "away/new/x.txt", "docs/../away/secret.txt"])(
    "refuses %s by where it leads",
    async (given) => {
      const project = besideASecret();
      expect(failure(await fileOps(tool, { path: given, ...input }, project))).toBe(
        `1 "${given}" leads outside of the project through a link. Only files in the project can be used.`,
      );
      expect(readdirSync(path.join(project, "..", "outside"))).toEqual(["secret.txt"]);
      expect(contentOf(project, "../outside/secret.txt")).toBe("secret");
    },
  );

  test("refuses an empty path", async () => {
    const ran = await fileOps(tool, { path: " ", ...input }, makeProject());
    expect(failure(ran)).toBe('1 the path is empty. Give one, such as "notes.txt".');
  });
});

test.each(calls.filter(([tool]) => tool !== "delete_file"))(
  "%s refuses links that lead nowhere",
  async (tool, input) => {
    const project = besideASecret();
    for (const given of ["dangling", "loop", "dangling/x.txt"]) {
      const ran = await fileOps(tool, { path: given, ...input }, project);
      expect(failure(ran)).toBe(`1 "${given}" is a link that points to nothing.`);
    }
    expect(readdirSync(path.join(project, "..", "outside"))).toEqual(["secret.txt"]);
  },
);

test("an absolute path is taken when it lies in the project, also where the project is reached through a link", async () => {
  const project = makeProject({ "docs/a.txt": "a" });
  const other = path.join(project, "..", "same-project");
  symlinkSync("project", other);
  for (const given of [
    path.join(project, "docs/a.txt"),
    path.join(other, "docs/a.txt"),
    "docs/a.txt",
  ]) {
    expect(
      await fileOps("read_file", { path: given }, project, { projectDir: other }),
    ).toMatchObject({ code: 0, stdout: "a" });
  }
});

test("a bare name does not find a file through a link that leads outside", async () => {
  const project = makeProject({ "../outside/secret.txt": "secret" });
  mkdirSync(path.join(project, "docs"));
  symlinkSync("../../outside/secret.txt", path.join(project, "docs", "secret.txt"));
  expect(failure(await fileOps("read_file", { path: "secret.txt" }, project))).toBe(
    '1 no file named "secret.txt" in the project.',
  );
});

test("a pipe is refused, not waited for", async ({ skip }) => {
  const project = makeProject();
  if (spawnSync("mkfifo", [path.join(project, "pipe")]).status !== 0) skip("mkfifo is not there");
  expect(failure(await fileOps("read_file", { path: "pipe" }, project))).toBe(
    '1 "pipe" is not a regular file and cannot be read.',
  );
  expect(failure(await fileOps("update_file", { path: "pipe", content: "" }, project))).toBe(
    '1 "pipe" is not a regular file and cannot be updated.',
  );
});

const refusal = (name: string) => `1 no permission for "${name}". Trying again will not help.`;

test("a tool says that it has no permission, and changes nothing", async () => {
  const running = { unprivileged: true };
  const project = makeProject({ "shut.txt": "old", "locked/a.txt": "a" });
  chmodSync(path.join(project, "shut.txt"), 0);
  chmodSync(path.join(project, "locked"), 0o555);
  expect(failure(await fileOps("read_file", { path: "shut.txt" }, project, running))).toBe(
    refusal("shut.txt"),
  );
  expect(
    failure(await fileOps("update_file", { path: "shut.txt", content: "" }, project, running)),
  ).toBe(refusal("shut.txt"));
  expect(
    failure(await fileOps("create_file", { path: "locked/b.txt", content: "" }, project, running)),
  ).toBe(refusal("locked/b.txt"));
  expect(failure(await fileOps("delete_file", { path: "locked/a.txt" }, project, running))).toBe(
    refusal("locked/a.txt"),
  );
  chmodSync(path.join(project, "locked"), 0);
  expect(failure(await fileOps("list_files", { path: "locked" }, project, running))).toBe(
    refusal("locked"),
  );
  expect((await fileOps("list_files", { depth: 2 }, project, running)).stdout).toBe(
    "locked/\nshut.txt\n(Not everything could be searched: too many files, or a folder without permission.)\n",
  );
  chmodSync(path.join(project, "locked"), 0o755);
  expect(readdirSync(path.join(project, "locked"))).toEqual(["a.txt"]);
});

test("a full disk is named, the half-written file is taken away, and the old text stays", async ({
  skip,
}) => {
  const project = makeProject();
  const inSmallDisk = (script: string) => {
    const lines =
      'mount -t tmpfs -o size=16k none "$1" || exit 99; cd "$1"; printf old > old.txt; shift; "$@"; ls -A; cat old.txt';
    const words = [
      process.execPath,
      scriptPath("file-ops", script),
      `--content=${"x".repeat(28_000)}`,
    ];
    const own = [
      "--user",
      "--map-root-user",
      "--mount",
      "sh",
      "-c",
      lines,
      "sh",
      project,
      ...words,
    ];
    return (...more: string[]) =>
      execa("unshare", [...own, ...more], { reject: false, stdin: "ignore" });
  };
  const created = await inSmallDisk("create_file.mjs")("--path=new.txt");
  if (created.failed) skip("a small disk cannot be mounted here");
  expect(created.stderr).toBe('the disk is full: "new.txt" was not changed.');
  expect(created.stdout).toBe("old.txt\nold");
  const updated = await inSmallDisk("update_file.mjs")("--path=old.txt");
  expect(updated.stderr).toBe('the disk is full: "old.txt" was not changed.');
  expect(updated.stdout).toBe("old.txt\nold");
});

test.each([
  [[], "--path is missing: the file, or its bare name."],
  [["--pth=x"], "Unknown option '--pth'"],
  [["--path=x", "y"], "Unexpected argument 'y'. This command does not take positional arguments"],
  [
    ["--path=x", "--from_line=-1"],
    '--from_line must be a whole number from 1 to 9007199254740991, got "-1".',
  ],
  [
    ["--path=x", "--lines=1e3"],
    '--lines must be a whole number from 1 to 9007199254740991, got "1e3".',
  ],
])("wrong arguments %j end with exit code 2 and one sentence", async (words, message) => {
  const ran = await execa(process.execPath, [scriptPath("file-ops", "read_file.mjs"), ...words], {
    reject: false,
    cwd: makeProject(),
  });
  expect([ran.exitCode, ran.stderr]).toEqual([2, message]);
});
