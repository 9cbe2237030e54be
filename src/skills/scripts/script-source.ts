import { Parser, getLineInfo, type Comment, type Expression, type Program } from "acorn";
import type { Remark } from "../frontmatter-lines.ts";
import { oneLine } from "../text.ts";

const NOT_A_DESCRIPTION =
  /^(?:@|eslint|oxlint|prettier|biome|tslint|jshint|global |spdx|copyright|\(c\)|licen[sc]e)/i;

// acorn looks each declared name up in a list of all others, which takes seconds for some ten thousand. Whether a name
// is declared twice does not matter here: node says so when the script runs.
const QuickParser = Parser.extend(
  (Base) =>
    class extends Base {
      declareName(): void {}
      checkLocalExport(): void {}
    },
);

/** A script's syntax tree, and what is remarked about the script while it is read. */
export interface Source {
  text: string;
  program: Program;
  comments: Comment[];
  /** The initial values of `export const` and of exported constants, by exported name. */
  exported: Map<string, Expression>;
  remarks: Remark[];
}

/** Parses a script, as a module if it can be one. Nothing of it runs. */
export function parseScript(text: string): Source | { fault: Remark } {
  const comments: Comment[] = [];
  // The constants are exports, so a module; a script that is none can still be one that reads process.argv.
  for (const sourceType of ["module", "script"] as const) {
    comments.length = 0;
    try {
      const program = QuickParser.parse(text, {
        ecmaVersion: "latest",
        sourceType,
        allowHashBang: true,
        allowReturnOutsideFunction: sourceType === "script",
        onComment: comments,
      });
      return { text, program, comments, exported: exportsOf(program), remarks: [] };
    } catch (cause) {
      if (sourceType === "module" && !/^[ \t]*(?:import|export)\b/m.test(text)) continue;
      return {
        fault: {
          level: "error",
          code: "syntax_error",
          message: `No tool: ${whereOf(cause)}. Correct it.`,
        },
      };
    }
  }
  throw new Error("unreachable: the second round returns");
}

function whereOf(cause: unknown): string {
  const message =
    cause instanceof Error ? cause.message.replace(/ \(\d+:\d+\)$/, "") : "it cannot be read";
  const place =
    cause instanceof SyntaxError && "loc" in cause
      ? (cause.loc as { line: number; column: number })
      : null;
  const where = place
    ? `line ${place.line}, column ${place.column + 1} is not valid JavaScript`
    : "not valid JavaScript";
  return `${where} (${oneLine(message).slice(0, 200)})`;
}

type TopLevel = Program["body"][number];

function exportsOf(program: Program): Map<string, Expression> {
  const exported = new Map(program.body.flatMap((statement) => exportedConstants(statement)));
  const constants = new Map(program.body.flatMap((statement) => constantsOf(statement)));
  for (const statement of program.body) {
    if (statement.type !== "ExportNamedDeclaration" || statement.source) continue;
    for (const { local, exported: outer } of statement.specifiers) {
      const value = constants.get(String(nameOf(local)));
      if (value) exported.set(String(nameOf(outer)), value);
    }
  }
  return exported;
}

function exportedConstants(statement: TopLevel): [string, Expression][] {
  const { declaration } =
    statement.type === "ExportNamedDeclaration" ? statement : { declaration: null };
  return declaration ? constantsOf(declaration) : [];
}

function constantsOf(statement: TopLevel): [string, Expression][] {
  if (statement.type !== "VariableDeclaration" || statement.kind !== "const") return [];
  return statement.declarations.flatMap(({ id, init }): [string, Expression][] =>
    id.type === "Identifier" && init ? [[id.name, init]] : [],
  );
}

/** The first comment before the first statement that is about the script, not about a licence or a linter; or "". */
export function leadingComment({ text, program, comments }: Source): string {
  const end = program.body[0]?.start ?? text.length;
  const leading = comments.filter(
    ({ start }) => start < end && !(start === 0 && text.startsWith("#!")),
  );
  return (
    blocksOf(leading, text).find((words) => words !== "" && !NOT_A_DESCRIPTION.test(words)) ?? ""
  );
}

/** What comments say up to a blank line or a tag; line comments that follow each other are one. */
function blocksOf(comments: readonly Comment[], text: string): string[] {
  const blocks: string[] = [];
  let lineEnd: number | null = null;
  for (const { type, value, start, end } of comments) {
    const words = value.replace(/^[ \t]*\*+/gm, "").trim();
    const follows =
      type === "Line" &&
      lineEnd !== null &&
      !/\n[ \t]*\n/.test(text.slice(lineEnd, start).replaceAll("\r", ""));
    if (follows) blocks.push(`${blocks.pop() ?? ""}\n${words}`);
    else blocks.push(words);
    lineEnd = type === "Line" ? end : null;
  }
  return blocks.map((words) => (words.split(/\n[ \t]*\n|\n[ \t]*@/)[0] ?? "").trim());
}

/** Whether `process.argv` (or `argv` of node:process) occurs. A loop over the tree: it may be deep. */
export function readsArguments(source: Source): boolean {
  const waiting: unknown[] = [source.program];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (typeof node !== "object" || node === null) continue;
    if (isArgv(node)) return true;
    for (const child of Object.values(node))
      if (typeof child === "object" && child !== null) waiting.push(child);
  }
  return false;
}

function isArgv(node: object): boolean {
  if (!("type" in node)) return false;
  if (node.type === "ImportSpecifier" && "imported" in node)
    return nameOf(node.imported) === "argv";
  if (node.type !== "MemberExpression" || !("object" in node) || !("property" in node))
    return false;
  return nameOf(node.object) === "process" && nameOf(node.property) === "argv";
}

function nameOf(node: unknown): unknown {
  if (typeof node !== "object" || node === null) return undefined;
  if ("name" in node) return node.name;
  return "value" in node ? node.value : undefined;
}

/** Where an offset lies, for a person: "line 3, column 7". */
export function placeOf({ text }: Source, offset: number): string {
  const { line, column } = getLineInfo(text, offset);
  return `line ${line}, column ${column + 1}`;
}
