import type { Tool } from "../../skills/skill.ts";
import type { Slot } from "./slots.ts";

/** One step of a pattern. `place`: "in" and a folder, or "here". */
export type Item =
  | { kind: "word"; word: string }
  | { kind: "slot"; slot: Slot }
  | { kind: "place"; slot: Slot };

/** One way to ask for a tool, made of an example request or of the tool's name. */
export interface Pattern {
  items: Item[];
  /** Switches that are on because the pattern's words name them: "append" in an example. */
  switches: string[];
}

/** Words that patterns of one tool use for one another, as stems, and the properties that those patterns fill. */
export interface Exchange {
  words: ReadonlySet<string>;
  fills: string;
}

/** All that the matcher knows about a tool. */
export interface KnownTool {
  tool: Tool;
  slots: Slot[];
  patterns: Pattern[];
  /** What its examples use for one another. Nothing for a tool that does more than read. */
  exchanges: readonly Exchange[];
  /** Stems of everything that is said about it. */
  vocabulary: ReadonlySet<string>;
  isReadOnly: boolean;
}
