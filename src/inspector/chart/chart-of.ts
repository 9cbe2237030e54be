import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from "xstate";
import type { Chart, ChartArc, ChartNode } from "./chart.ts";

/** Any XState 5 machine as plain data. */
export function chartOf(machine: AnyStateMachine): Chart {
  const all = withDescendants(machine.root);
  return { id: machine.id, nodes: all.map(nodeOf), arcs: all.flatMap(arcsOf) };
}

const withDescendants = (node: AnyStateNode): AnyStateNode[] => [
  node,
  ...Object.values(node.states).flatMap((child) => withDescendants(child)),
];

function nodeOf(node: AnyStateNode): ChartNode {
  const { id, key, type, parent } = node;
  return {
    id,
    name: key,
    kind: type,
    parent: parent?.id ?? null,
    initial: parent?.initial?.target?.includes(node) ?? false,
    description: node.description ?? "",
    entry: node.entry.flatMap(actionName),
    exit: node.exit.flatMap(actionName),
    invoke: node.invoke.map((actor) => ({ id: actor.id, src: sourceName(actor.src) })),
    tags: [...node.tags],
  };
}

function arcsOf(node: AnyStateNode): ChartArc[] {
  const eventless: [string, readonly AnyTransitionDefinition[]] = ["", node.always ?? []];
  return [eventless, ...node.transitions].flatMap(([event, arcs]) =>
    arcs.map((arc, index) => arcOf(node, event, arc, index)),
  );
}

function arcOf(
  node: AnyStateNode,
  event: string,
  { target = [], guard, actions, reenter }: AnyTransitionDefinition,
  index: number,
): ChartArc {
  return {
    id: arcId(node.id, event, index),
    from: node.id,
    to: target.map(({ id }) => id),
    event,
    ...labelOf(event),
    guard: guardText(guard),
    actions: actions.flatMap(actionName),
    reenter,
  };
}

/** The same for everybody who speaks of an arc: its state, its event, and its place among the arcs of that event. */
export const arcId = (from: string, event: string, index: number): string =>
  `${from} ${event === "" ? "always" : event} #${index}`;

/** What XState's event types are called for people. The actor's name is told only where a state has it not. */
export function labelOf(event: string): Pick<ChartArc, "label" | "kind"> {
  if (event === "") return { label: "always", kind: "always" };
  const [, what, of = ""] = /^xstate\.(done|error|after|snapshot)\.(.*)$/.exec(event) ?? [];
  if (what === "after") return { label: `after ${delayText(of)}`, kind: "after" };
  if (what === "done") return { label: "done", kind: "done" };
  if (what === "error") return { label: "error", kind: "error" };
  return { label: what === "snapshot" ? "snapshot" : event, kind: "event" };
}

/** "1000.turn.waiting" → "1000 ms"; a delay may also have a name. */
function delayText(of: string): string {
  const delay = of.slice(0, of.indexOf("."));
  return /^\d+$/.test(delay) ? `${delay} ms` : delay;
}

/** A guard by its name; combined ones as `and(a, not(b))`; a function without a name as "(inline)". */
export function guardText(guard: unknown): string {
  if (guard === undefined || guard === null) return "";
  if (typeof guard === "string") return guard;
  if (typeof guard === "function") return combinedText(guard);
  if (typeof guard !== "object" || !("type" in guard)) return "(inline)";
  const { type } = guard;
  return typeof type === "function" ? combinedText(type) : `${String(type)}${paramsText(guard)}`;
}

function paramsText(guard: object): string {
  const params = "params" in guard ? guard.params : undefined;
  if (typeof params !== "object" || params === null) return "";
  return `(${Object.values(params).map(String).join(", ")})`;
}

/** XState's own and, or, not and stateIn are functions that carry what they combine. */
function combinedText(guard: object): string {
  const name = "name" in guard && typeof guard.name === "string" ? guard.name : "";
  if ("guards" in guard && Array.isArray(guard.guards))
    return `${name}(${guard.guards.map(guardText).join(", ")})`;
  if ("stateValue" in guard) return `stateIn(${JSON.stringify(guard.stateValue)})`;
  return name === "" || name === "guard" ? "(inline)" : name;
}

/** An action by its name. What XState built in is called by what it does; a function without a name has nothing to show. */
function actionName(action: unknown): string[] {
  if (typeof action === "string") return [action];
  if (typeof action !== "object" && typeof action !== "function") return [];
  const type = action !== null && "type" in action ? action.type : undefined;
  if (typeof type === "string") return [type.replace(/^xstate\./, "")];
  const name = action !== null && "name" in action ? action.name : "";
  // A function without a name is called after the key it stands at.
  const isNamed = typeof name === "string" && !["", "actions", "entry", "exit"].includes(name);
  return isNamed ? [name] : [];
}

const sourceName = (src: unknown): string =>
  typeof src === "string" && !src.startsWith("xstate.invoke.") ? src : "(inline)";
