import { appendFileSync, chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { defineSkill } from "../../src/skills/library.ts";
import { openTrust } from "../../src/skills/save-trust.ts";
import type { Origin } from "../../src/skills/skill.ts";
import { project } from "../helpers/project.ts";

const nothing = { network: false, environment: [], unsandboxed: false };

function skillIn(folder: string, origin: Origin = "project", name = "mine") {
  return defineSkill({
    name,
    description: "x",
    origin,
    folder,
    needs: { network: true, environment: ["TOKEN"] },
  });
}

/** A skill and an empty place for trust. */
function make() {
  const folder = project({ "SKILL.md": "hi\n" });
  const configFolder = path.join(project(), "config");
  return { skill: skillIn(folder), configFolder, file: path.join(configFolder, "trust.json") };
}

function hashOf(trust: ReturnType<typeof openTrust>, skill: ReturnType<typeof skillIn>) {
  const found = trust.stateOf(skill);
  if (found.state === "unpinnable" || found.hash === null) throw new Error("no hash");
  return found.hash;
}

describe("trust", () => {
  test("is kept for just the content that it was given to, for its owner's eyes only, until it is taken back", () => {
    const { skill, configFolder, file } = make();
    const trust = openTrust({ configFolder });
    const hash = hashOf(trust, skill);
    expect(trust.stateOf(skill)).toEqual({ state: "new", hash });
    trust.grant(skill, hash, nothing);
    expect(openTrust({ configFolder }).stateOf(skill)).toEqual({
      state: "trusted",
      hash,
      grant: nothing,
    });
    expect([statSync(file).mode & 0o777, statSync(configFolder).mode & 0o777]).toEqual([
      0o600, 0o700,
    ]);
    appendFileSync(path.join(skill.folder, "SKILL.md"), "!");
    expect(openTrust({ configFolder }).stateOf(skill).state).toBe("changed");
    expect(trust.revoke(skill)).toBe(true);
    expect(trust.revoke(skill)).toBe(false);
    expect(openTrust({ configFolder }).stateOf(skill).state).toBe("new");
  });

  test("is not given to a content that nobody was shown", () => {
    const { skill, configFolder } = make();
    const trust = openTrust({ configFolder });
    const hash = hashOf(trust, skill);
    appendFileSync(path.join(skill.folder, "SKILL.md"), "!");
    expect(() => trust.grant(skill, hash, nothing)).toThrow(
      "the folder of the skill mine has changed since it was shown; look at it again",
    );
    expect(trust.stateOf(skill).state).toBe("new");
  });

  test.each<[Origin, string]>([
    ["program", "trusted"],
    ["bundled", "trusted"],
    ["flag", "new"],
    ["project", "new"],
    ["user", "new"],
  ])("a skill of origin %s is %s at first", (origin, state) => {
    const { skill, configFolder } = make();
    expect(openTrust({ configFolder }).stateOf(skillIn(skill.folder, origin)).state).toBe(state);
  });

  test("for one run holds with all that is asked for, is not kept, and ends with a change", () => {
    const { skill, configFolder } = make();
    const trust = openTrust({ configFolder, names: ["mine"] });
    expect(trust.stateOf(skill)).toMatchObject({
      state: "trusted",
      grant: { network: true, environment: ["TOKEN"], unsandboxed: true },
    });
    expect(openTrust({ configFolder }).stateOf(skill).state).toBe("new");
    expect(trust.stateOf(skillIn(project({ "SKILL.md": "" }), "project", "other")).state).toBe(
      "new",
    );
    appendFileSync(path.join(skill.folder, "SKILL.md"), "!");
    expect(trust.stateOf(skill).state).toBe("changed");
  });

  test("without a place to keep it holds as long as the process", () => {
    const { skill } = make();
    const trust = openTrust({ configFolder: null });
    trust.grant(skill, hashOf(trust, skill), nothing);
    expect(trust.stateOf(skill).state).toBe("trusted");
    expect(openTrust({ configFolder: null }).stateOf(skill).state).toBe("new");
  });

  test.each([
    ["no JSON", "{"],
    ["no object", "null"],
    ["another format", '{"format":2,"folders":{}}'],
    [
      "a grant that is none",
      '{"format":1,"folders":{"/x":{"hash":"0","grant":{"network":"yes"}}}}',
    ],
    ["nothing at all", ""],
  ])("a file with %s trusts nobody, is named, and stays as it is", (_what, text) => {
    const { skill, configFolder, file } = make();
    const trust = openTrust({ configFolder: project() });
    const hash = hashOf(trust, skill);
    const broken = openTrust({ configFolder });
    trust.grant(skill, hash, nothing);
    openTrust({ configFolder }).grant(skill, hash, nothing);
    writeFileSync(file, text);
    const message = `${file} is not what broharness wrote: put it right, or remove it and trust your skills again`;
    expect(() => broken.stateOf(skill)).toThrow(message);
    expect(() => broken.grant(skill, hash, nothing)).toThrow(message);
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  test("of several processes at once is all kept", async () => {
    const { configFolder, file } = make();
    const folders = Array.from({ length: 6 }, (_, index) => project({ "SKILL.md": `${index}` }));
    const code = fileURLToPath(new URL("../fixtures/scripts/grant-trust.mjs", import.meta.url));
    await Promise.all(
      folders.map((folder) =>
        execa(process.execPath, ["--import", "tsx", code, configFolder, folder]),
      ),
    );
    const kept = JSON.parse(readFileSync(file, "utf8")) as { folders: object };
    expect(Object.keys(kept.folders).toSorted()).toEqual(folders.toSorted());
  });

  test("cannot be kept where a file is in the way, and that is said", () => {
    const { skill } = make();
    const configFolder = path.join(project({ file: "" }), "file");
    chmodSync(path.dirname(configFolder), 0o755);
    const trust = openTrust({ configFolder });
    expect(() => trust.stateOf(skill)).toThrow(
      `${configFolder}/trust.json cannot be read: a part of the path is not a folder`,
    );
  });
});
