import { isMapping } from "./frontmatter-lines.ts";
import { cutAtWord, oneLine } from "./text.ts";

const KNOWN_KEYS = [
  "name",
  "description",
  "version",
  "tags",
  "status",
  "default",
  "examples",
  "license",
  "compatibility",
  "allowed-tools",
  "disable-model-invocation",
];
// "Read, Bash(git add *)" and "Read Bash(git add *)": what stands in parentheses belongs to the word before it.
const TOOL_WORD = /[^\s,()]+(?:\([^()]*\))?/g;
const EXAMPLE = /^([A-Za-z][\w-]{0,63}): (.+)$/;
const EXAMPLES_MAX = 100;
const EXAMPLE_LENGTH_MAX = 300;

/** What the frontmatter says, put in order. `extra` holds the keys that are not ours, as YAML reads them. */
export interface SkillFields {
  name: string;
  description: string;
  version: string | null;
  tags: string[];
  /** As written; "active" when absent. */
  status: string;
  isDefault: boolean;
  examples: { tool: string | null; request: string }[];
  license: string | null;
  compatibility: string | null;
  /** `allowed-tools`, from a list or one text. */
  allowedTools: string[];
  /** `disable-model-invocation`. */
  userOnly: boolean;
  extra: Record<string, unknown>;
}

/** The fields of a skill whose name and description have been settled. */
export function fieldsOf(
  data: Record<string, unknown>,
  { name, description }: { name: string; description: string },
): SkillFields {
  return {
    name,
    description,
    version: oneLine(textOf(data["version"])) || null,
    tags: tagsOf(data["tags"]),
    status: oneLine(textOf(data["status"])) || "active",
    isDefault: isYes(data["default"]),
    examples: examplesOf(data["examples"]),
    license: oneLine(textOf(data["license"])) || null,
    compatibility: oneLine(textOf(data["compatibility"])) || null,
    allowedTools: oneLine(textOf(data["allowed-tools"])).match(TOOL_WORD) ?? [],
    userOnly: isYes(data["disable-model-invocation"]),
    extra: Object.fromEntries(Object.entries(data).filter(([key]) => !KNOWN_KEYS.includes(key))),
  };
}

const isYes = (value: unknown) => ["true", "yes", "on", "1"].includes(textOf(value).toLowerCase());

function tagsOf(value: unknown): string[] {
  const words = Array.isArray(value)
    ? value.map(textOf)
    : textOf(value)
        .replace(/^\[|\]$/g, "")
        .split(",");
  return [...new Set(words.map(oneLine).filter((word) => word !== ""))];
}

/** A scalar, or a list of scalars, as one text; "" for everything else. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value.trim();
  if (Array.isArray(value))
    return value
      .filter((item) => typeof item === "string")
      .join(" ")
      .trim();
  return "";
}

/** `- "tool: request"`, with or without the quotes, or only the request. */
function examplesOf(value: unknown): SkillFields["examples"] {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items.slice(0, EXAMPLES_MAX).flatMap((item) => {
    const pairs = isMapping(item)
      ? Object.entries(item).map(([key, text]) => `${key}: ${textOf(text)}`)
      : [textOf(item)];
    return pairs.map(oneLine).flatMap((line) => {
      const [, tool = null, request = line] = EXAMPLE.exec(line) ?? [];
      return request === "" ? [] : [{ tool, request: cutAtWord(request, EXAMPLE_LENGTH_MAX) }];
    });
  });
}
