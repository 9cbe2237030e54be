import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { encode } from "gpt-tokenizer";
import {
  codeblock,
  createHarness,
  createScriptedBackend,
  loadSkills,
  newConversation,
  type Skill,
} from "../src/index.ts";

const block = (name: string, input: Record<string, string>) => ({
  text: codeblock.format([{ name, input }]),
});

/** Tokens (o200k_base) of all prompts of one turn that loads a skill, runs its script and answers. */
export async function promptTokens() {
  const shipped = fileURLToPath(new URL("../skills", import.meta.url));
  const { skills } = await loadSkills({ folders: [shipped], bundled: [shipped] });
  const fileOps = skills.filter(({ name }) => name === "file-ops");
  return [
    await rowOf("one skill installed", fileOps),
    await rowOf("the four skills that ship", skills),
  ];
}

async function rowOf(what: string, skills: Skill[]) {
  const sent: string[] = [];
  const harness = createHarness({
    skills: { skills, diagnostics: [], python: null },
    projectDir: mkdtempSync(join(tmpdir(), "broharness-tokens-")),
    backend: createScriptedBackend([
      block("load_skill", { skill_name: "file-ops" }),
      block("list_files", { path: "." }),
      { text: codeblock.format([]) },
      { text: "There is nothing in this folder." },
    ]),
    nonce: () => "7f3a",
    onEvent: (event) => {
      if (event.type === "request")
        sent.push(
          [event.system, ...event.messages.map(({ role, text }) => `${role}\n${text}`)].join(
            "\n\n",
          ),
        );
    },
  });
  await harness.run({ ...newConversation(), question: "What is in this folder?" });
  const counts = sent.map((prompt) => encode(prompt).length);
  const fresh = sent.map((prompt, index) => freshTokens(prompt, sent[index - 1] ?? ""));
  return {
    what: `prompt tokens of a turn, ${what} (${counts.join(" + ")})`,
    value: `${sum(counts)}`,
    ratio: `${sum(fresh)} fresh: not a prefix of the request before`,
  };
}

const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);

/** What a prefix cache has to read anew: the tokens after the longest common beginning. */
function freshTokens(prompt: string, before: string): number {
  const [now, then] = [encode(prompt), encode(before)];
  const firstNew = now.findIndex((token, index) => token !== then[index]);
  return firstNew < 0 ? 0 : now.length - firstNew;
}
