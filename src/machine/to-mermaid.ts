import { firstState, turnMachine } from "./turn.machine.ts";

interface Arc {
  from: string;
  to: string;
  label: string;
}

/** Every transition of the chart, in order of the states: what happened, and the guard that chose it. */
function arcs(): Arc[] {
  return Object.values(turnMachine.root.states).flatMap((node) => {
    const onEvent = [...node.transitions.values()].flat();
    return [...(node.always ?? []), ...onEvent].flatMap(({ target, guard, eventType }) => {
      const label = eventType.startsWith("xstate.error") ? "crash" : guardName(guard);
      return (target ?? []).map((to) => ({ from: node.key, to: to.key, label }));
    });
  });
}

/** The name of an arc's guard; "" for an arc without one. */
export const guardName = (guard: unknown): string =>
  typeof guard === "string"
    ? guard
    : typeof guard === "object" && guard && "type" in guard
      ? String(guard.type)
      : "";

/** The turn as a Mermaid state diagram, made from the machine that runs: arcs between two states share one line. */
export function toMermaid(): string {
  const lines = ["stateDiagram-v2", `  [*] --> ${firstState}`];
  for (const { from, to, labels } of group(arcs()))
    lines.push(`  ${from} --> ${to}: ${labels.join(" · ")}`);
  for (const node of Object.values(turnMachine.root.states)) {
    if (node.type === "final") lines.push(`  ${node.key} --> [*]`);
    else lines.push(`  ${node.key} --> stopped: abort`);
  }
  return lines.join("\n");
}

function group(all: readonly Arc[]): { from: string; to: string; labels: string[] }[] {
  const groups = new Map<string, { from: string; to: string; labels: string[] }>();
  for (const { from, to, label } of all) {
    const key = `${from} ${to}`;
    const entry = groups.get(key) ?? { from, to, labels: [] };
    if (label !== "" && !entry.labels.includes(label)) entry.labels.push(label);
    groups.set(key, entry);
  }
  return [...groups.values()];
}
