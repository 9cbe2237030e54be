/** What the code of a shell script shows of its command line, by patterns: no shell is started, nothing is expanded. */

/** How the code takes a flag. */
export interface CodeFlag {
  /** All spellings in one arm: ["-l", "--level"]. */
  flags: string[];
  takesValue: boolean;
  /** Only as `--flag=value`, in one word. */
  equalsOnly: boolean;
}

export interface ShellCode {
  flags: CodeFlag[];
  /** Words of `case` arms that are no flags: "start", "stop". */
  words: string[];
  /** Whether `--` ends the options. */
  knowsSeparator: boolean;
  /** Whether `$1` is read before the options are: then options stand behind it. */
  takesFirst: boolean;
  /** Whether any argument is read at all. */
  readsArguments: boolean;
  /** Whether there is nothing but functions and constants: a file for `source`. */
  onlyDefines: boolean;
  /** What the script says its effect is; null where it says nothing. */
  effect: string | null;
}

const ARMS_MAX = 500;
const ARM =
  /^[ \t]*\(?((?:["']?[-\w?*=.:+]+["']?)(?:[ \t]*\|[ \t]*["']?[-\w?*=.:+]+["']?)*)[ \t]*\)(?!\))/gm;
const GETOPTS = /\bgetopts[ \t]+(?:"([^"\n]*)"|'([^'\n]*)'|([\w:?]+))[ \t]/g;
const GETOPT_LINE = /\bgetopt[ \t]+[^\n]*/g;
const READS = /\$[1-9@*#]|\$\{(?:[1-9@*#]|#@|!#)|\bshift\b|\bgetopts?\b/;
const TAKES_VALUE = /\$\{?2\b|\bshift[ \t]+2\b|\$\{1#|\bOPTARG\b|\bshift\b[^]*\$\{?1\b/;

/** Reads the code; comments and here-documents are no part of it. */
export function shellCode(source: string): ShellCode {
  const code = codeOf(source);
  const lines = linesOf(code);
  const arms = armsOf(code);
  const options = [...getoptsFlags(code), ...getoptFlags(code)];
  const flags = [...options, ...armFlags(arms).filter((one) => isNew(one, options))];
  const separates = arms.some(({ patterns }) => patterns.includes("--"));
  return {
    flags,
    words: arms.flatMap(({ patterns }) => patterns).filter((word) => /^\w[\w.-]*$/.test(word)),
    knowsSeparator: separates || options.length > 0,
    takesFirst: takesFirst(lines),
    // In a function these are its own.
    readsArguments: lines.some(({ text, inside }) => inside === 0 && READS.test(text)),
    onlyDefines: onlyDefines(lines),
    effect: effectOf(source),
  };
}

/** The source without comments and here-documents; lines that go on are joined. */
function codeOf(source: string): string {
  const kept: string[] = [];
  let end: string | null = null;
  for (const line of source.replaceAll("\\\n", " ").split("\n")) {
    if (end !== null) {
      if (line.trim() === end) end = null;
      continue;
    }
    if (/^\s*#/.test(line)) continue;
    kept.push(line.replace(/\s#\s.*$/, ""));
    end = /(?<!<)<<-?\s*["'\\]?([A-Za-z_]\w*)["']?/.exec(line)?.[1] ?? null;
  }
  return kept.join("\n");
}

interface Arm {
  patterns: string[];
  body: string;
}

function armsOf(code: string): Arm[] {
  return [...code.matchAll(ARM)].slice(0, ARMS_MAX).map((match) => {
    const from = match.index + match[0].length;
    const end = code.indexOf(";;", from);
    const patterns = (match[1] ?? "")
      .split("|")
      .map((one) => one.trim().replace(/^["']|["']$/g, ""));
    return { patterns, body: code.slice(from, end < 0 ? from : end) };
  });
}

function armFlags(arms: readonly Arm[]): CodeFlag[] {
  const plain = arms.flatMap(({ patterns, body }) => {
    const flags = patterns.filter((one) => /^--?[\w?][\w-]*$/.test(one));
    return flags.length === 0
      ? []
      : [{ flags, takesValue: TAKES_VALUE.test(body), equalsOnly: false }];
  });
  // "--level=*" stands in an arm of its own, beside "--level" or instead of it.
  const withEquals = arms.flatMap(({ patterns }) => {
    const flags = patterns.filter((one) => /^--?\w[\w-]*=\*$/.test(one));
    return flags.map((flag) => ({
      flags: [flag.slice(0, -2)],
      takesValue: true,
      equalsOnly: true,
    }));
  });
  return [...plain, ...withEquals.filter((one) => isNew(one, plain))];
}

function isNew(one: CodeFlag, others: readonly CodeFlag[]): boolean {
  return !others.some(({ flags }) => flags.some((flag) => one.flags.includes(flag)));
}

/** "ab:c": the letters; ":" behind one says that it takes a value, at the front how errors are told. */
function getoptsFlags(code: string): CodeFlag[] {
  return [...code.matchAll(GETOPTS)].flatMap((match) =>
    lettersOf(match[1] ?? match[2] ?? match[3] ?? ""),
  );
}

function lettersOf(letters: string): CodeFlag[] {
  return [...letters.replace(/^[:+-]+/, "").matchAll(/([\w?])(:?)/g)].map(([, letter, colon]) => ({
    flags: [`-${letter}`],
    takesValue: colon === ":",
    equalsOnly: false,
  }));
}

/** The program getopt: `getopt -o ab: --long level:,dry-run -- "$@"`. */
function getoptFlags(code: string): CodeFlag[] {
  return [...code.matchAll(GETOPT_LINE)].flatMap(([line]) => {
    const short = /(?:-o|--options)[ =]?["']?([\w:+]+)/.exec(line)?.[1] ?? "";
    const long = [...line.matchAll(/(?:-l|--long(?:options)?)[ =]?["']?([\w:,-]+)/g)];
    const names = long.flatMap(([, list = ""]) => list.split(",")).filter((name) => name !== "");
    return [
      ...lettersOf(short),
      ...names.map((name) => ({
        flags: [`--${name.replace(/:+$/, "")}`],
        takesValue: name.endsWith(":"),
        equalsOnly: name.endsWith("::"),
      })),
    ];
  });
}

/** A line of code, and the number of the function it stands in; 0 outside of all. */
interface CodeLine {
  text: string;
  inside: number;
}

/** Functions end with a "}" at the begin of a line, as they are written nearly everywhere. */
function linesOf(code: string): CodeLine[] {
  const lines: CodeLine[] = [];
  let count = 0;
  let isInside = false;
  for (const text of code.split("\n")) {
    const opens = /^(?:function[ \t]+[\w:.-]+|[\w:.-]+[ \t]*\(\))/.test(text) && !isInside;
    if (opens) count += 1;
    lines.push({ text, inside: opens || isInside ? count : 0 });
    if (opens) isInside = !/\}\s*$/.test(text);
    else if (text.startsWith("}")) isInside = false;
  }
  // A function without an end that is recognised would hide the rest of the file.
  return isInside ? lines.map(({ text }) => ({ text, inside: 0 })) : lines;
}

const LOOP =
  /\bwhile\b.*(?:\$#|\$\{?1|getopts)|\bfor\b.*(?:"\$@"|\$\*|\$@)|\bfor[ \t]+\w+[ \t]*(?:;|$)|\bgetopt\b/;

/** Whether an argument is used by its number before the loop over the options, if there is one. */
function takesFirst(lines: readonly CodeLine[]): boolean {
  const loop = lines.findIndex(({ text }) => LOOP.test(text));
  const within = lines[loop]?.inside;
  return lines
    .slice(0, Math.max(0, loop))
    .some(({ text, inside }) => (inside === 0 || inside === within) && /\$\{?1\b/.test(text));
}

const DEFINES =
  /^(?:set|shopt|export|readonly|declare|typeset|local|unset|return|alias|source|true)\b|^[:.]\s|^\w+\+?=|^[)}]|^(?:\[|\[\[|test\b).*\breturn\b/;

function onlyDefines(lines: readonly CodeLine[]): boolean {
  return (
    lines.some(({ inside }) => inside > 0) &&
    lines.every(({ text, inside }) => inside > 0 || text.trim() === "" || DEFINES.test(text.trim()))
  );
}

function effectOf(source: string): string | null {
  const written = /^(?:#\s*effect:\s*|(?:readonly\s+)?EFFECT=)["']?([^"'\n#]*)/im.exec(source);
  return written === null ? null : (written[1] ?? "").trim();
}
