// Everything a terminal obeys instead of showing it, and what turns the reading direction around. Accents, joiners and
// other invisible letters stay: languages need them.
const OBEYED = /(?![\t\n])[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;

/**
 * A text from a model, script, file or name, as it may be written to a terminal: control characters but tab and line
 * feed are shown as `\u{…}`, so that it can neither move the cursor nor hide or fake a line. CR LF becomes LF.
 */
export function terminalText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(OBEYED, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
