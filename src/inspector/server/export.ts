import { HarnessError } from "../../errors.ts";
import { pageWith, type PageParts } from "./page.ts";
import type { ExportedPrompts, PromptView, Recording } from "../protocol.ts";

const MIB = 1024 * 1024;
const TEXTS_MAX_MIB = 16;

export interface ExportOptions extends PageParts {
  recording: Recording;
  /** The prompt of the model at work after a step; null where it cannot be made again. */
  promptOf: (run: number, step: number) => PromptView | null;
}

/**
 * A page that holds a recording, all of its steps and the prompts, and needs no server. Throws HarnessError "too_large" for
 * a recording that no file can hold.
 */
export function exportPage({ recording, svg, title, promptOf }: ExportOptions): string {
  try {
    const prompts = internPrompts(recording, promptOf);
    return pageWith({ title, svg, recording: { ...recording, prompts } }).html;
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new HarnessError("too_large", "the recording is too large for one HTML file", { cause });
  }
}

/** Most of a prompt stands in the one before: each text is kept once. */
function internPrompts(
  { runs }: Recording,
  promptOf: ExportOptions["promptOf"],
  mebibytes = TEXTS_MAX_MIB,
): ExportedPrompts {
  const texts = new Texts(mebibytes * MIB);
  const prompts: ExportedPrompts["prompts"] = {};
  const leftOut = {
    system: texts.add("") ?? 0,
    messages: [],
    note: `left out: the file would be over ${mebibytes} MB`,
  };
  for (const { id, steps } of runs)
    for (const [step, { asks_model }] of steps.entries()) {
      if (!asks_model) continue;
      const key = `${id} ${step}`;
      const prompt = texts.isFull ? null : promptOf(id, step);
      if (texts.isFull) prompts[key] = leftOut;
      else if (prompt) prompts[key] = interned(prompt, texts) ?? leftOut;
    }
  return { texts: texts.kept, prompts };
}

function interned(
  { system, messages, note }: PromptView,
  texts: Texts,
): ExportedPrompts["prompts"][string] | null {
  const own = texts.add(system);
  const others: { role: string; text: number }[] = [];
  for (const message of messages) {
    const text = texts.add(message.text);
    if (text !== null) others.push({ role: message.role, text });
  }
  return own === null || texts.isFull ? null : { system: own, messages: others, note };
}

/** Texts, each once, up to a number of bytes. Once one had no room, there is none for any other. */
class Texts {
  readonly kept: string[] = [];
  isFull = false;
  readonly #numbers = new Map<string, number>();
  #room: number;

  constructor(room: number) {
    this.#room = room;
  }

  /** The number of a text; null where there is no room. */
  add(text: string): number | null {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#room -= Buffer.byteLength(text);
    this.isFull ||= this.#room < 0;
    if (this.isFull) return null;
    this.#numbers.set(text, this.kept.length);
    return this.kept.push(text) - 1;
  }
}
