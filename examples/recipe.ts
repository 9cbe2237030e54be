/**
 * The short way: the skills that ship, a backend, one call per turn.
 * It runs a conversation of two turns without a language model and checks what came out.
 */
import assert from "node:assert/strict";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  codeblock,
  createHarness,
  createOfflineBackend,
  loadSkills,
  newConversation,
} from "../src/index.ts";

const projectDir = await mkdtemp(join(tmpdir(), "recipe-"));
await writeFile(join(projectDir, "notes.txt"), "Buy milk.\n");

// Whatever is in a folder that ships with a program may run; of any other folder a person is asked first.
const shipped = fileURLToPath(new URL("../skills", import.meta.url));
const skills = await loadSkills({ folders: [shipped], bundled: [shipped] });
const backend = createOfflineBackend({ skills: skills.skills, contract: codeblock });
const harness = createHarness({ skills, backend, projectDir });

const first = await harness.run({ ...newConversation(), question: "what's in notes.txt?" });
assert.deepEqual(first.outcome, { kind: "answered", text: "Buy milk.", ended_early: null });
assert.deepEqual(first.loaded_skills, ["file-ops"]);

// The state that came out goes in again; what was true for the first turn only is flushed.
const second = await harness.run({ ...first, question: "delete notes.txt" });
assert.equal(
  second.outcome?.kind,
  "needs_input",
  "a destructive call waits for a person, and here is none",
);

console.log("recipe: both turns went as expected");
