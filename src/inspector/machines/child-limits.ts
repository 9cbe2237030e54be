import type { AnyStateMachine } from "xstate";
import { nodesOf } from "./traced-machine.ts";

/** Of microsteps in a child's first step. */
const ITERATIONS_MAX = 1000;

/**
 * A child's first snapshot is computed as soon as its parent lists it, and a child that goes round for ever would never
 * give one. So every machine below this one gets a limit, unless it sets a lower one.
 */
export function limitChildren(machine: AnyStateMachine, seen = new Set<unknown>()): void {
  for (const { config } of nodesOf(machine.root))
    for (const { src } of [config.invoke ?? []].flat() as { src: unknown }[]) limit(src, seen);
  for (const logic of Object.values(machine.implementations.actors)) limit(logic, seen);
}

function limit(logic: unknown, seen: Set<unknown>): void {
  if (!isMachine(logic) || seen.has(logic)) return;
  seen.add(logic);
  const { maxIterations = Infinity } = logic.options ?? {};
  logic.options = { ...logic.options, maxIterations: Math.min(maxIterations, ITERATIONS_MAX) };
  limitChildren(logic, seen);
}

/** By its shape: another copy of XState has another class. */
export const isMachine = (value: unknown): value is AnyStateMachine =>
  typeof value === "object" &&
  value !== null &&
  "provide" in value &&
  "getInitialSnapshot" in value &&
  "implementations" in value &&
  "root" in value;
