import { assign, StateMachine } from "xstate";
import type { updates } from "../../src/machine/turn.actions.ts";
import type { guards } from "../../src/machine/turn.guards.ts";
import { turnMachine } from "../../src/machine/turn.machine.ts";
import type { Turn, TurnEvent } from "../../src/machine/turn.types.ts";
import type { TurnMachine, TurnSnapshot } from "../../src/machine/turn.machine.ts";

/** Changed copies of the chart that ships: each holds one bug, put there on purpose. */

export type StateName = TurnSnapshot["value"];
export type On = "always" | "onDone" | "onError";
type Action = string | ((...args: never[]) => unknown);

export interface Arc {
  guard?: string;
  target?: string;
  reenter?: boolean;
  actions?: Action | Action[];
}
interface StateConfig {
  type?: "final";
  entry?: string | undefined;
  always?: Arc | Arc[] | undefined;
  invoke?: { id: string; src: string; onDone: Arc | Arc[]; onError: Arc | Arc[] } | undefined;
}
export interface TurnConfig {
  entry: string[];
  on: Record<string, Arc>;
  states: Record<StateName, StateConfig>;
}

/** A deep copy that keeps functions; `structuredClone` refuses them. */
function copy<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(copy) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]): [string, unknown] => [key, copy(item)]),
  ) as Value;
}

export const configCopy = (): TurnConfig => copy(turnMachine.config) as unknown as TurnConfig;

/** The shipped machine with a changed copy of its config. */
export function changed(change: (config: TurnConfig) => void): TurnMachine {
  const config = configCopy();
  change(config);
  return new StateMachine(config as never, turnMachine.implementations as never) as never;
}

/** The arcs of a state for one kind of event, in the order in which their guards are asked. */
export function arcsOf(config: TurnConfig, state: StateName, on: On): Arc[] {
  const { always, invoke } = config.states[state];
  const arcs = on === "always" ? always : invoke?.[on];
  return arcs === undefined ? [] : Array.isArray(arcs) ? arcs : [arcs];
}

/** Changes one arc in place. `index` counts from 0. */
export function withArc(
  state: StateName,
  on: On,
  index: number,
  change: (arc: Arc) => void,
): TurnMachine {
  return changed((config) => {
    const arc = arcsOf(config, state, on)[index];
    if (!arc) throw new Error(`${state} has no arc ${index} for ${on}`);
    change(arc);
  });
}

/** `reenter` is set, so that an arc to its own state starts its actor again. */
export const retarget = (state: StateName, on: On, index: number, target: StateName): TurnMachine =>
  withArc(state, on, index, (arc) => Object.assign(arc, { target, reenter: true }));

/** Without a guard the arc is always taken. */
export const withoutGuard = (state: StateName, on: On, index: number): TurnMachine =>
  withArc(state, on, index, (arc) => delete arc.guard);

export const withoutAction = (
  state: StateName,
  on: On,
  index: number,
  action: string,
): TurnMachine =>
  withArc(state, on, index, (arc) => {
    const actions = [arc.actions ?? []].flat();
    if (!actions.includes(action)) throw new Error(`that arc of ${state} has no action ${action}`);
    arc.actions = actions.filter((name) => name !== action);
  });

/** The arc is gone. */
export const withoutArc = (state: StateName, on: On, index: number): TurnMachine =>
  changed((config) => {
    const arcs = arcsOf(config, state, on).toSpliced(index, 1);
    const owner = config.states[state];
    if (on === "always") owner.always = arcs;
    else if (owner.invoke) owner.invoke[on] = arcs;
  });

export const withoutEntry = (state: StateName): TurnMachine =>
  changed((config) => delete config.states[state].entry);

type ActionName = keyof typeof updates;
type Change = (turn: Turn, event: TurnEvent) => object;

/** An action that changes something else than it should. `change` may write what no Turn holds. */
export const withAction = (name: ActionName, change: Change): TurnMachine =>
  turnMachine.provide({
    actions: {
      [name]: assign<Turn, TurnEvent, undefined, TurnEvent, never>(({ context, event }) =>
        change(context, event),
      ),
    },
  });

/** A guard that decides differently. */
export const withGuardThat = (
  name: keyof typeof guards,
  decides: (turn: Turn, event: TurnEvent) => boolean,
): TurnMachine =>
  turnMachine.provide({
    guards: {
      [name]: ({ context, event }: { context: Turn; event: TurnEvent }) => decides(context, event),
    },
  });
