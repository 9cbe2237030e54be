import { readFileSync } from "node:fs";
import { initialTransition, transition } from "xstate";
import type { TurnMachine, TurnSnapshot } from "../../src/machine/turn.machine.ts";
import { choices } from "../../src/proof/outcomes.ts";
import { inputOf, type Three } from "./paths.ts";

/**
 * A path in words that a person can review, and that can be played again. Three lines: the skills and the limits; each
 * state with what happened in it; what was left of the budgets and how the turn ended.
 */
export interface Told {
  deck: string;
  limits: Three;
  /** The states, the final one last. */
  states: string[];
  /** What happened in each state but the last. */
  choices: string[];
  end: string;
}

export const endOf = ({ context: { budget, outcome, ended_early } }: TurnSnapshot): string => {
  const how = ended_early ? `${outcome?.kind}, early by ${ended_early}` : outcome?.kind;
  return `left ${budget.retries} retries, ${budget.steps} steps, ${budget.asks} asks; ${how}`;
};

export function tell({ deck, limits, states, choices: made, end }: Told): string {
  const [retries, steps, asks] = limits;
  const way = states.map((state, index) =>
    made[index] === undefined ? state : `${state}: ${made[index]}`,
  );
  return `${deck} | ${retries} retries, ${steps} steps, ${asks} asks\n  ${way.join(" → ")}\n  ${end}`;
}

export function read(words: string): Told {
  const [head = "", way = "", end = ""] = words.split("\n").map((line) => line.trim());
  const [deck = "", given = ""] = head.split(" | ");
  const [retries = 0, steps = 0, asks = 0] = given.split(", ").map((part) => Number.parseInt(part));
  const parts = way.split(" → ").map((part) => part.split(": "));
  return {
    deck,
    limits: [retries, steps, asks],
    states: parts.map(([state = ""]) => state),
    choices: parts.flatMap(([, choice]) => (choice === undefined ? [] : [choice])),
    end,
  };
}

/** The paths of one golden list; lines that begin with # are for people. */
export function golden(name: "golden.txt" | "more.txt"): string[] {
  const text = readFileSync(new URL(name, import.meta.url), "utf8");
  return text
    .replaceAll(/^#.*\n/gm, "")
    .split("\n\n")
    .map((block) => block.trim())
    .filter((block) => block !== "");
}

/**
 * Plays what is told on a machine by pure transitions, and says what the machine makes of it: its own states, budgets
 * and end. A choice that cannot be made there ends the play.
 */
export function retell(machine: TurnMachine, told: Told): string {
  let [snapshot] = initialTransition(machine, inputOf(told.deck, told.limits));
  const states: string[] = [snapshot.value];
  const made: string[] = [];
  for (const name of told.choices) {
    const choice = choices(snapshot).find((candidate) => candidate.name === name);
    if (!choice) break;
    [snapshot] = transition(machine, snapshot, choice.event);
    made.push(name);
    states.push(snapshot.value);
    if (snapshot.value !== told.states[made.length]) break;
  }
  return tell({ ...told, states, choices: made, end: endOf(snapshot) });
}
