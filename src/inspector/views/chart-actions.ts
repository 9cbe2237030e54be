import type { Chart, ChartArc, ChartNode } from "../chart/chart.ts";
import type { StepView } from "../protocol.ts";

/** Which actions of a chart without nested states run on the way along its arcs, by name. */
export class ChartActions {
  readonly #root: ChartNode | undefined;
  readonly #nodes: Map<string, ChartNode>;
  readonly #arcs: Map<string, ChartArc>;

  constructor({ nodes, arcs }: Chart) {
    [this.#root] = nodes;
    this.#nodes = new Map(nodes.map((node) => [node.id, node]));
    this.#arcs = new Map(arcs.map((arc) => [arc.id, arc]));
  }

  /** Of the start and of the arcs without an event that were taken at once. */
  atStart(arcs: StepView["arcs"]): string[] {
    const first = [...this.#nodes.values()].find(({ initial }) => initial);
    const entered = [...(this.#root?.entry ?? []), ...(first?.entry ?? [])];
    return [...entered, ...this.along(first?.id ?? "", arcs)];
  }

  /** From a state along the arcs that were taken: what runs as each state is left, on the arc, and as the next is entered. */
  along(from: string, arcs: StepView["arcs"]): string[] {
    let at = from;
    return arcs.flatMap(({ id, allowed }) => {
      const arc = this.#arcs.get(id);
      if (!allowed || !arc) return [];
      const left = at;
      const [to = left] = arc.to;
      at = to;
      if (to === left && !arc.reenter) return arc.actions;
      return [
        ...(this.#nodes.get(left)?.exit ?? []),
        ...arc.actions,
        ...(this.#nodes.get(to)?.entry ?? []),
      ];
    });
  }
}
