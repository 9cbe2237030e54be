import { closingTag, createOrphanScan, tagAt, thinkingTags, type ThinkingTag } from "./thinking.ts";

const OPENING_FENCE = "```json";
const DEPTH_CHANGES: Record<string, number> = { "{": 1, "[": 1, "}": -1, "]": -1 };
const TAG_CHARS_MAX = Math.max(...thinkingTags.map(({ open }) => open.length));

/** Watches a text, piece by piece, for one moment. `write` is true from then on. */
interface Watch {
  write(piece: string): boolean;
}

/**
 * Watches a reply for the moment when its one block is complete: after the thinking a block opens, its JSON value has
 * closed, and the third back-tick of a fence line has come. A reply in which anything stands before the block is never
 * complete: where the chat template opens the thinking itself, that block may still turn out to be part of it.
 */
export function createBlockWatch(): Watch {
  const gate = createThinkingGate();
  let block = createVisibleWatch();
  let orphan = createOrphanScan();
  let line = "";
  let isComplete = false;

  /** Takes a visible text up to where thinking that nothing opened is closed; gives what then starts anew. */
  function takeVisible(text: string): string[] {
    for (let at = 0; at < text.length && !isComplete;) {
      const newline = text.indexOf("\n", at);
      const end = newline < 0 ? text.length : newline + 1;
      const part = text.slice(at, end);
      isComplete = block.write(part);
      line += part;
      at = end;
      if (newline < 0) break;
      const ended = line;
      line = "";
      const found = orphan(ended.slice(0, -1));
      if (found === undefined || found === "none") continue;
      block = createVisibleWatch();
      orphan = createOrphanScan();
      gate.reset();
      return [text.slice(at), ended.slice(found.end)];
    }
    return [];
  }

  return {
    write(piece) {
      const waiting = [piece]; // last first
      for (let text = waiting.pop(); text !== undefined && !isComplete; text = waiting.pop()) {
        waiting.push(...takeVisible(gate.write(text)));
      }
      return isComplete;
    },
  };
}

/** Lets only the visible part of a reply through, as soon as it is certain that it is visible. */
function createThinkingGate(): { write(piece: string): string; reset(): void } {
  let held = ""; // what a tag may be hidden in
  let tag: ThinkingTag | undefined;
  let isVisible = false;

  /** Moves over one mark, or to the visible part; false when more text is needed to tell. */
  function advance(): boolean {
    if (tag) {
      const end = closingTag(held, 0, tag);
      held = end < 0 ? held.slice(-tag.close.length) : held.slice(end + tag.close.length);
      if (end >= 0) tag = undefined;
      return end >= 0;
    }
    held = held.trimStart();
    tag = tagAt(held, 0);
    if (tag) held = held.slice(tag.open.length);
    else isVisible = !mayBecomeTag(held);
    return tag !== undefined;
  }

  return {
    write(piece) {
      held += piece;
      while (!isVisible && advance());
      if (!isVisible) return "";
      const visible = held;
      held = "";
      return visible;
    },
    reset() {
      isVisible = false;
    },
  };
}

function mayBecomeTag(text: string): boolean {
  if (text.length >= TAG_CHARS_MAX) return false;
  const head = text.toLowerCase();
  return thinkingTags.some(({ open }) => open.startsWith(head));
}

function createVisibleWatch(): Watch {
  let state: "opening" | "json" | "complete" | "never" = "opening";
  let opening = "";
  let ticks = 0; // of a fence at the start of the current line; -1 elsewhere in a line
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  let hasValue = false;

  function takeOpening(character: string): void {
    if (character !== "\n") opening += character;
    else state = opening.trimEnd() === OPENING_FENCE ? "json" : "never";
    // Only white space may follow the fence; so a long line is given up at once, and `opening` stays short.
    if (!OPENING_FENCE.startsWith(opening) && opening.trimEnd() !== OPENING_FENCE) state = "never";
    if (opening.length > OPENING_FENCE.length) opening = `${OPENING_FENCE} `;
  }

  function takeInString(character: string): void {
    if (isEscaped) isEscaped = false;
    else if (character === "\\") isEscaped = true;
    else if (character === '"') inString = false;
  }

  function takeJson(character: string): void {
    if (character === "\n") {
      ticks = 0;
      return;
    }
    ticks = character === "`" && ticks >= 0 ? ticks + 1 : -1;
    if (ticks === 3) state = hasValue && depth <= 0 ? "complete" : "never";
    if (ticks > 0 || /\s/.test(character)) return;
    hasValue = true;
    inString = character === '"';
    depth += DEPTH_CHANGES[character] ?? 0;
  }

  return {
    write(piece) {
      for (let at = 0; at < piece.length && (state === "opening" || state === "json"); at += 1) {
        const character = piece.charAt(at);
        if (state === "opening") takeOpening(character);
        else if (inString) takeInString(character);
        else takeJson(character);
      }
      return state === "complete";
    },
  };
}
