import { replyOf } from "../machine/turn.guards.ts";
import type { TurnEvent, TurnInput } from "../machine/turn.types.ts";
import { abstract } from "./abstract.ts";
import { MODEL_THOUGHTS, type Invariant } from "./invariants.ts";
import type { TurnMachine, TurnSnapshot } from "../machine/turn.machine.ts";
import { choices } from "./outcomes.ts";
import type { Step } from "./step-facts.ts";
import { stepsOf, withChanges, type Steps } from "../machine/step.ts";

/** One step and how it was come to. `choice` is in the words of outcomes.ts; null for the first. */
interface Reached extends Step {
  choice: string | null;
  from: Reached | null;
}

/** The shortest turn that breaks an invariant; its last step is the one that does. */
export interface Counterexample {
  invariant: Invariant;
  steps: (Step & { choice: string | null })[];
}

export interface Checked {
  invariant: Invariant;
  /** Steps that it was asked of, over all inputs. */
  steps: number;
  counterexample: Counterexample | null;
}

/** Far more than any shipped limits of a few steps need; a machine with more of them does not end. */
const CONFIGURATIONS_MAX = 20_000;

/**
 * Asks each invariant of every step that a machine can take, breadth first: a counterexample is as short as can be.
 * Configurations that the chart cannot tell apart are gone on from once; budgets count exactly. Nothing is asked of what
 * comes after a broken step: it need not end. Throws if there is no end to the configurations.
 */
export function checkInvariants(
  machine: TurnMachine,
  inputs: readonly TurnInput[],
  invariants: readonly Invariant[],
): Checked[] {
  const checked = invariants.map((invariant): Checked => ({
    invariant,
    steps: 0,
    counterexample: null,
  }));
  const look = (reached: Reached): boolean => {
    let holds = true;
    for (const entry of checked) {
      entry.steps += 1;
      if (entry.invariant.holds(reached)) continue;
      holds = false;
      entry.counterexample ??= { invariant: entry.invariant, steps: pathTo(reached) };
    }
    return holds;
  };
  explore(machine, inputs, look);
  return checked;
}

function pathTo(last: Reached): Counterexample["steps"] {
  const steps: Reached[] = [];
  for (let step: Reached | null = last; step; step = step.from) steps.unshift(step);
  return steps.map(({ before, event, after, choice }) => ({ before, event, after, choice }));
}

/** Shows every step to `look`, the shortest turns first; goes on from where it says yes. */
function explore(
  machine: TurnMachine,
  inputs: readonly TurnInput[],
  look: (reached: Reached) => boolean,
): void {
  const steps = stepsOf(machine);
  const known = new Set<string>();
  const waiting: Reached[] = [];
  const visit = (reached: Reached) => {
    if (!look(reached) || reached.after.status !== "active") return;
    const key = keyOf(reached.after);
    if (known.has(key)) return;
    if (known.size === CONFIGURATIONS_MAX)
      throw new Error(`more than ${CONFIGURATIONS_MAX} configurations: do the turns end?`);
    known.add(key);
    waiting.push(reached);
  };
  for (const input of inputs) {
    const after = steps.first(input);
    visit({ before: null, event: null, after, choice: null, from: null });
  }
  for (const from of waiting)
    for (const { name, event: plain } of choices(from.after)) {
      const event = withThoughts(plain);
      const after = stepOrError(steps, from.after, event);
      visit({ before: from.after, event, after, choice: name, from });
    }
}

/** What the chart can tell apart, and what an invariant may look at besides. */
function keyOf(snapshot: TurnSnapshot): string {
  const { budget, allowed, problem, ended_early, log } = snapshot.context;
  const besides = [budget, allowed.length, problem?.code, ended_early, log.at(-1)?.kind];
  return JSON.stringify([abstract(snapshot), besides]);
}

/** A changed machine may break on a step; that is for the invariants to find. */
function stepOrError({ next }: Steps, before: TurnSnapshot, event: TurnEvent): TurnSnapshot {
  try {
    return next(before, event);
  } catch (error) {
    return withChanges(before, { status: "error", error });
  }
}

function withThoughts(event: TurnEvent): TurnEvent {
  const reply = replyOf(event);
  const output = { ...reply, thinking: MODEL_THOUGHTS };
  return reply ? Object.assign({}, event, { output }) : event;
}

/** A choice as a sentence; what outcomes.ts may add later is shown as it is called there. */
const sentences: Record<string, string> = {
  "no call": "the model asks for no call",
  "one call": "the model asks for one call",
  "two calls": "the model asks for two calls",
  "the failed call again": "the model asks for the failed call again",
  "only a repeat": "the model asks for what has run already",
  "in a circle": "the model goes round in a circle",
  "an earlier call again": "the model asks for an earlier call once more",
  "a question": "the model has a question",
  "two questions": "the model has two questions",
  "no good reply": "the model's reply is refused",
  "the same no good reply": "the model's reply is refused, the same as before",
  "an answer": "the model answers",
  "a claim": "the model claims what did not happen",
  "service down for now": "the model's service is down for now",
  "service down for good": "the model's service is down for good",
  "it ran (read)": "the call runs and reads",
  "it ran (write)": "the call runs and writes",
  "it ran (destructive)": "the call runs and destroys",
  "skill loaded": "the skill is loaded",
  "already done": "the call had run already",
  "needs permission": "the call needs permission",
  "bad argument": "the call has a bad argument",
  "script failed": "the script fails",
  "unknown tool": "there is no such tool",
  "unknown skill": "there is no such skill",
  interrupted: "the script was interrupted",
  "a reply": "the user replies",
  yes: "the user says yes",
  no: "the user says no",
  "nobody there": "nobody is there to ask",
  waited: "the wait is over",
  crash: "the actor crashes",
  abort: "the user stops the turn",
};

/** A counterexample as a turn to read: one line a step, then what broke and what the last step changed. */
export function describeCounterexample({ invariant, steps }: Counterexample): string {
  const lines = steps.map(({ before, after, choice }) =>
    before && choice !== null
      ? `${before.value} — ${sentences[choice] ?? choice} → ${after.value}`
      : `the turn begins → ${after.value}`,
  );
  const last = steps.at(-1);
  const broken = `broken: ${invariant.name}. ${invariant.says}`;
  return [...lines, broken, ...(last ? factsOf(last) : [])].join("\n");
}

/** Counted apart, and never the reason. */
const unread = new Set(["usage", "messages"]);

function factsOf({ before, after }: Step): string[] {
  const was = new Map(Object.entries(before?.context ?? {}));
  return Object.entries(after.context)
    .filter(
      ([key, value]) => !unread.has(key) && JSON.stringify(was.get(key)) !== JSON.stringify(value),
    )
    .map(([key, value]) =>
      before ? `  ${key}: ${short(was.get(key))} → ${short(value)}` : `  ${key}: ${short(value)}`,
    );
}

const SHORT = 60;

function short(value: unknown): string {
  if (Array.isArray(value) && value.length > 1) return `${value.length} entries`;
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > SHORT ? `${text.slice(0, SHORT)}…` : text;
}
