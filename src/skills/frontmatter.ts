import matter from "gray-matter";
import { describeBody } from "./body-text.ts";
import { cutFrontmatter, readKeyLines, type Remark } from "./frontmatter-lines.ts";
import { type SkillFields, fieldsOf, textOf } from "./skill-fields.ts";
import { codePointName, cutAtWord, isName, oneLine, usableName, visible } from "./text.ts";
import { type YamlReading, readYaml } from "./yaml-fields.ts";

/** One SKILL.md, read. With a remark of level "error" it is not a skill and must be left out. */
export interface SkillFile {
  fields: SkillFields;
  instructions: string;
  remarks: Remark[];
}

const FRONT_LENGTH_MAX = 16_384; // far beyond any real one, and what `yaml` reads in a moment
const DESCRIPTION_FROM_BODY_MAX = 1_024;

// gray-matter brings engines of its own, among them one that evaluates JavaScript, and merges ours over them. So every
// name it knows is taken, though a language that is not YAML never gets as far as the call.
const refuse = (): never => {
  throw new Error("only YAML frontmatter is read");
};
const ENGINES = {
  yaml: (text: string) => ({ reading: readYaml(text) }),
  json: refuse,
  javascript: refuse,
  js: refuse,
  coffee: refuse,
  toml: refuse,
};

const warning = (code: string, message: string): Remark => ({ level: "warning", code, message });
const error = (code: string, message: string): Remark => ({ level: "error", code, message });

/**
 * Reads a SKILL.md as people write them: never throws, on any text, and runs nothing. What had to be repaired is said
 * in `remarks`; `folderName` is the name of a skill that does not tell its own.
 */
export function readSkillFile(source: string, folderName: string): SkillFile {
  const cut = cutFrontmatter(source);
  const remarks = [...cut.remarks];
  if (cut.front === null) {
    remarks.push(
      warning(
        "no_frontmatter",
        'no frontmatter: write name and description between two "---" lines at the top',
      ),
    );
    return finish({}, cut.body, folderName, remarks);
  }
  if (!["", "yaml", "yml"].includes(cut.language)) {
    remarks.push(
      error(
        "forbidden_engine",
        `frontmatter in "${oneLine(cut.language)}" is not read, only YAML is; write "---" alone on line ${cut.openingLine}`,
      ),
    );
    return {
      fields: fieldsOf({}, { name: usableFolder(folderName), description: "" }),
      instructions: "",
      remarks,
    };
  }
  const { data, body } = split(cut.front, cut.body, cut.openingLine, remarks);
  return finish(data, body, folderName, remarks);
}

function split(
  front: string,
  body: string,
  openingLine: number,
  remarks: Remark[],
): { data: Record<string, unknown>; body: string } {
  if (front.length > FRONT_LENGTH_MAX) {
    remarks.push(
      warning(
        "bad_yaml",
        `the frontmatter has ${front.length} characters, at most ${FRONT_LENGTH_MAX} are read as YAML; read line by line`,
      ),
    );
    return { data: readKeyLines(front, () => undefined), body };
  }
  // Options on every call: without them gray-matter answers from a cache that holds {} for a text that failed before.
  const file = matter(`---\n${front}\n---\n${body}`, { engines: ENGINES });
  const reading = file.data["reading"] as YamlReading | undefined;
  if (!reading) return { data: {}, body: file.content }; // gray-matter asks no engine when there are only comments
  if (!reading.ok) {
    const line = openingLine + reading.line - 1;
    remarks.push(
      warning(
        "bad_yaml",
        `line ${line} is not YAML (${reading.reason}); put the value in double quotes. Read line by line`,
      ),
    );
    return { data: readKeyLines(front, readBlock), body: file.content };
  }
  for (const key of reading.doubled) {
    remarks.push(
      warning("duplicate_key", `"${oneLine(key)}" is written more than once; the last one counts`),
    );
  }
  return { data: reading.value, body: file.content };
}

function readBlock(block: string): unknown {
  const reading = readYaml(block);
  return reading.ok ? reading.value : undefined;
}

function finish(
  data: Record<string, unknown>,
  body: string,
  folderName: string,
  remarks: Remark[],
): SkillFile {
  const name = nameOf(textOf(data["name"]), folderName, remarks);
  const description = descriptionOf(textOf(data["description"]), body, remarks);
  const instructions = visible(body.replace(/^(?:[ \t]*\n)+/, "").trimEnd());
  if (instructions.length > body.length) {
    remarks.push(
      warning(
        "hidden_characters",
        "the instructions hold invisible characters; they are shown as \\u{…}",
      ),
    );
  }
  return { fields: fieldsOf(data, { name, description }), instructions, remarks };
}

function nameOf(written: string, folderName: string, remarks: Remark[]): string {
  if (written === "") {
    const folder = usableFolder(folderName);
    if (!remarks.some(({ code }) => code === "no_frontmatter")) {
      remarks.push(warning("no_name", `no name is given; the folder's is taken: "${folder}"`));
    }
    return folder;
  }
  const shown = oneLine(written);
  if (shown !== written) {
    remarks.push(
      warning(
        "hidden_characters",
        `the name holds invisible characters or line breaks: "${cutAtWord(shown, 80)}"`,
      ),
    );
  }
  if (isName(shown)) {
    if (shown !== folderName) {
      remarks.push(
        warning(
          "name_not_folder",
          `the skill is named "${shown}", its folder "${oneLine(folderName)}"`,
        ),
      );
    }
    return shown;
  }
  const name = usableName(shown) || usableFolder(folderName);
  remarks.push(
    warning(
      "bad_name",
      `"${cutAtWord(shown, 80)}" cannot be a name (letters, digits, "-" and "_", at most 64); "${name}" is taken`,
    ),
  );
  return name;
}

function usableFolder(folderName: string): string {
  return isName(folderName)
    ? folderName
    : usableName(visible(folderName)) || codePointName(folderName);
}

function descriptionOf(written: string, body: string, remarks: Remark[]): string {
  const shown = oneLine(written);
  if (visible(written) !== written) {
    remarks.push(
      warning(
        "hidden_characters",
        "the description holds invisible characters; they are shown as \\u{…}",
      ),
    );
  }
  if (shown !== "") return shown;
  const found = describeBody(body);
  if (found === null) {
    remarks.push(
      error(
        "no_description",
        "neither a description nor a text to take one from; write description: in the frontmatter",
      ),
    );
    return "";
  }
  remarks.push(
    warning(
      "description_from_body",
      `no description is given; the first ${found.from} of the text is taken`,
    ),
  );
  return cutAtWord(oneLine(found.text), DESCRIPTION_FROM_BODY_MAX);
}
