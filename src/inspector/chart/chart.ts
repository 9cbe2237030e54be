/** A statechart as plain data: what is drawn, and what the page looks transitions up in. */
export interface Chart {
  /** The machine's id. */
  id: string;
  /** In document order, the root first. */
  nodes: ChartNode[];
  /** In document order: of each state its eventless arcs first, then those of its events. */
  arcs: ChartArc[];
}

export interface ChartNode {
  /** XState's id of the state: "turn.skill_call". */
  id: string;
  /** The state's own name: "skill_call". */
  name: string;
  kind: "atomic" | "compound" | "parallel" | "final" | "history";
  parent: string | null;
  /** Whether its parent begins in it. */
  initial: boolean;
  description: string;
  entry: string[];
  exit: string[];
  /** The actors that work while the state is active. */
  invoke: { id: string; src: string }[];
  tags: string[];
}

export interface ChartArc {
  /** `${source id} ${event type or "always"} #${index among the arcs of that event}`. */
  id: string;
  from: string;
  /** Ids of the states it leads to; none for an arc that stays where it is. */
  to: string[];
  /** XState's type of the event; "" for an eventless arc. */
  event: string;
  /** The event for people: "done", "error", "after 100 ms", "always", "abort". */
  label: string;
  kind: "done" | "error" | "after" | "always" | "event";
  /** The guard's name; "" without one. */
  guard: string;
  actions: string[];
  /** Whether it leaves and enters a state that it stays in. */
  reenter: boolean;
}
