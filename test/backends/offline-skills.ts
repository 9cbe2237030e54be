import type { Effect } from "../../src/session/entry.ts";
import type { PropertySchema } from "../../src/session/offer.ts";
import { defineSkill } from "../../src/skills/library.ts";
import type { Skill, Tool } from "../../src/skills/skill.ts";

type Properties = Record<string, PropertySchema & { required?: true }>;

const text = (description: string): PropertySchema => ({ type: "string", description });
const required = <T extends PropertySchema>(schema: T) => ({ ...schema, required: true }) as const;

function schemaOf(property: Properties[string]): PropertySchema {
  const schema = { ...property };
  delete schema.required;
  return schema;
}

/** A tool with the given properties; the skill is named by its name. */
export function tool(
  owner: string,
  name: string,
  description: string,
  properties: Properties,
  effect: Effect = "read",
): Tool {
  const names = Object.keys(properties).filter((key) => properties[key]?.required === true);
  return {
    name,
    skill: owner,
    description,
    schema: {
      type: "object",
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, property]) => [key, schemaOf(property)]),
      ),
      required: names,
      additionalProperties: false,
    },
    effect,
    exclusive: [],
    runtime: "node",
    file: `/skills/${owner}/scripts/${name}.mjs`,
    command: [],
    arguments: [],
  };
}

export function skill(
  name: string,
  tools: Tool[],
  examples: string[],
  more: Partial<Skill> = {},
): Skill {
  return defineSkill({
    name,
    description: `${name} for tests.`,
    folder: `/skills/${name}`,
    tools,
    examples: examples.map((example) => {
      const [, toolName = null, request = example] = /^(\w+): (.*)$/.exec(example) ?? [];
      return { tool: toolName, request };
    }),
    ...more,
  });
}

const files = (...given: Parameters<typeof tool> extends [string, ...infer Rest] ? Rest : never) =>
  tool("file-ops", ...given);

export const fileOps = skill(
  "file-ops",
  [
    files("read_file", "Reads a text file, whole or some of its lines.", {
      path: required(text("the file, or its bare name")),
      from_line: { type: "integer", minimum: 1, description: "first line to read" },
      lines: { type: "integer", minimum: 1, description: "how many lines" },
    }),
    files("list_files", "Lists files and folders; folders end with /.", {
      path: { ...text("the folder"), default: "." },
      glob: text("only names like *.md"),
      depth: {
        type: "integer",
        minimum: 1,
        maximum: 20,
        description: "folder levels, 1 if absent",
      },
    }),
    files("find_file", "Finds files by name in all folders of the project.", {
      name: required({ ...text("file name, or a pattern like *.md"), minLength: 1 }),
    }),
    files(
      "create_file",
      "Creates a new text file, with its folders.",
      {
        path: required(text("the new file")),
        content: required({ ...text("the whole text"), maxLength: 30_000 }),
      },
      "write",
    ),
    files(
      "update_file",
      "Replaces the whole text of a file, or adds to its end.",
      {
        path: required(text("the exact path")),
        content: required(text("the whole new text, or the text to add")),
        append: { type: "boolean", description: "add content at the end as it is" },
      },
      "destructive",
    ),
    files(
      "delete_file",
      "Deletes one file.",
      { path: required(text("the exact path, no pattern")) },
      "destructive",
    ),
  ],
  [
    "read_file: what's in docs/notes.txt?",
    "read_file: show me the content of README.md",
    "list_files: list the .md files in docs",
    "list_files: which files are in this folder?",
    "find_file: find readme.md",
    "find_file: where is config.json?",
    'create_file: create notes.txt with "hello"',
    'create_file: make a new file todo.md that says "buy milk"',
    'update_file: replace the text of notes.txt with "goodbye"',
    'update_file: append "one more line" to notes.txt',
    "delete_file: delete notes.txt",
    "delete_file: remove the file docs/old.txt",
  ],
);

export const tellJoke = skill(
  "tell-joke",
  [
    tool("tell-joke", "tell_joke", "Gives one ready joke, at random or by number.", {
      kind: {
        type: "string",
        enum: ["dad", "pun", "knock-knock", "one-liner", "riddle"],
        description: "any kind if absent",
      },
      number: { type: "integer", minimum: 1, description: "always the same joke for a number" },
    }),
  ],
  [
    "tell_joke: tell me a joke",
    "tell_joke: tell me a dad joke",
    "tell_joke: I want to hear a pun",
    "tell_joke: give me a riddle",
    "tell_joke: do you know a good knock-knock joke?",
    "tell_joke: say something funny",
    "tell_joke: make me laugh",
  ],
  { references: ["references/dad-joke.md", "references/pun.md"] },
);

export const wordCount = skill(
  "word-count",
  [
    tool("word-count", "word_count", "Counts the lines, words and characters of a text file.", {
      path: required(text("the file, relative to the project")),
      top: {
        type: "integer",
        default: 0,
        description: "how many of the most frequent words to name, 1 to 1000",
      },
      ignore_case: { type: "boolean", description: "count The and the as one word" },
    }),
  ],
  [
    "word_count: how many words are in README.md?",
    "word_count: count the words in docs/notes.txt",
    "word_count: count the lines of notes.txt",
    "word_count: how long is README.md?",
    "word_count: how many characters does notes.txt have?",
    "word_count: what are the 5 most frequent words in README.md?",
    "word_count: show the top 10 words of notes.txt",
  ],
);

export const dsMentor = skill(
  "ds-mentor",
  [],
  ["what is a p-value?", "explain precision and recall"],
  {
    references: [
      "references/metrics.md",
      "references/pandas-gotchas.md",
      "references/statistics-basics.md",
    ],
  },
);

export const shippedLike = [dsMentor, fileOps, tellJoke, wordCount];
