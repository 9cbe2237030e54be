import type { TurnMachine } from "../../src/machine/turn.machine.ts";
import {
  arcsOf,
  changed,
  configCopy,
  retarget,
  withoutAction,
  withoutArc,
  withoutEntry,
  withoutGuard,
  type Arc,
  type On,
  type StateName,
} from "../helpers/mutant.ts";

/** A chart with one bug, by what was done to it. Built only when it is asked for. */
export interface Mutant {
  name: string;
  machine: () => TurnMachine;
}

interface Place {
  state: StateName;
  on: On;
  index: number;
  arc: Arc;
  name: string;
}

const stateNames = Object.keys(configCopy().states) as StateName[];
const budgetActions = ["spend_step", "spend_ask", "spend_retry"];

function places(): Place[] {
  const config = configCopy();
  return stateNames.flatMap((state) =>
    (["always", "onDone", "onError"] as const).flatMap((on) =>
      arcsOf(config, state, on).map((arc, index) => ({
        state,
        on,
        index,
        arc,
        name: `${state} ${on} #${index} ${arc.guard ?? "(no guard)"}`,
      })),
    ),
  );
}

/** Every arc, the one for an abort too, to every other state. */
export function retargeted(): Mutant[] {
  const onAbort = stateNames
    .filter((target) => target !== "stopped")
    .map((target) => ({
      name: `abort: to ${target}`,
      machine: () =>
        changed(({ on }) => Object.assign(on["abort"] ?? {}, { target: `.${target}` })),
    }));
  const others = places().flatMap(({ state, on, index, arc, name }) =>
    stateNames
      .filter((target) => target !== arc.target)
      .map((target) => ({
        name: `${name}: to ${target}`,
        machine: () => retarget(state, on, index, target),
      })),
  );
  return [...onAbort, ...others];
}

/** Every guard at each place, true whatever happens, and never true. */
export function misguarded(): Mutant[] {
  return places()
    .filter(({ arc }) => arc.guard !== undefined)
    .flatMap(({ state, on, index, name }) => [
      { name: `${name}: always true`, machine: () => withoutGuard(state, on, index) },
      { name: `${name}: never true`, machine: () => withoutArc(state, on, index) },
    ]);
}

/** Each spending of a budget forgotten at each place. */
export function unspent(): Mutant[] {
  const onArcs = places().flatMap(({ state, on, index, arc, name }) =>
    [arc.actions ?? []]
      .flat()
      .filter((action) => typeof action === "string" && budgetActions.includes(action))
      .map((action) => ({
        name: `${name}: without ${String(action)}`,
        machine: () => withoutAction(state, on, index, String(action)),
      })),
  );
  const config = configCopy();
  const onEntry = stateNames
    .filter((state) => budgetActions.includes(config.states[state].entry ?? ""))
    .map((state) => ({
      name: `${state} entry: without ${config.states[state].entry ?? ""}`,
      machine: () => withoutEntry(state),
    }));
  return [...onArcs, ...onEntry];
}
