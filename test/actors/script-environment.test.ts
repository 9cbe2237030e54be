import { describe, expect, test } from "vitest";
import { scriptEnvironment } from "../../src/actors/script-environment.ts";

const given = { projectDir: "/home/ann/project", skillDir: "/home/ann/skills/notes" };

describe("the environment of a script", () => {
  test("has what programs need and what the harness says", () => {
    const parent = {
      PATH: "/usr/bin:/bin",
      HOME: "/home/ann",
      LANG: "de_DE.UTF-8",
      TZ: "Europe/Berlin",
      TMPDIR: "/tmp",
    };
    expect(
      scriptEnvironment(
        { ...parent, TERM: "xterm", LC_ALL: "C.UTF-8", LC_CTYPE: undefined },
        given,
      ),
    ).toEqual({
      PATH: "/usr/bin:/bin",
      HOME: "/home/ann",
      LANG: "de_DE.UTF-8",
      TZ: "Europe/Berlin",
      TMPDIR: "/tmp",
      TERM: "xterm",
      LC_ALL: "C.UTF-8",
      PROJECT_DIR: "/home/ann/project",
      SKILL_DIR: "/home/ann/skills/notes",
      NO_COLOR: "1",
      PYTHONUTF8: "1",
      PYTHONIOENCODING: "utf-8",
      PYTHONDONTWRITEBYTECODE: "1",
      PYTHONPYCACHEPREFIX: "/dev/null",
    });
  });

  test("has no secrets, and nothing that changes how an interpreter starts", () => {
    const parent = {
      AWS_SECRET_ACCESS_KEY: "s",
      AWS_PROFILE: "s",
      ANTHROPIC_API_KEY: "s",
      GITHUB_TOKEN: "s",
      SERVICE_KEY: "s",
      HTTPS_PROXY: "http://ann:secret@proxy",
      NODE_OPTIONS: "--require x",
      NODE_EXTRA_CA_CERTS: "x",
      PYTHONPATH: "x",
      PYTHONSTARTUP: "x",
      LD_PRELOAD: "x",
      DYLD_INSERT_LIBRARIES: "x",
      PROJECT_DIR: "elsewhere",
      UNKNOWN: "x",
    };
    expect(scriptEnvironment(parent, given)).toEqual({
      PROJECT_DIR: "/home/ann/project",
      SKILL_DIR: "/home/ann/skills/notes",
      NO_COLOR: "1",
      PYTHONUTF8: "1",
      PYTHONIOENCODING: "utf-8",
      PYTHONDONTWRITEBYTECODE: "1",
      PYTHONPYCACHEPREFIX: "/dev/null",
    });
  });

  test("keeps what Windows cannot do without", () => {
    const parent = {
      SystemRoot: "C:\\Windows",
      Path: "C:\\bin",
      PATHEXT: ".EXE",
      USERPROFILE: "C:\\Users\\ann",
    };
    expect(scriptEnvironment(parent, given)).toMatchObject(parent);
  });
});
