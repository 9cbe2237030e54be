import { terminalText } from "../terminal-text.ts";

// JSON.stringify leaves these as they are; a terminal may obey them. Escaped, the value stays the same.
const UNESCAPED = /[\u007F-\u009F\u2028-\u202E\u2066-\u2069]/g;

/** JSON that is safe on a terminal and means the same. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    UNESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A text as it is for a file or pipe, byte by byte; for a terminal with its control characters made visible. */
export function print(text: string, stdout: NodeJS.WriteStream = process.stdout): void {
  stdout.write(`${stdout.isTTY ? terminalText(text) : text}${text.endsWith("\n") ? "" : "\n"}`);
}
