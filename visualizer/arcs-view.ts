import type { Chart, ChartArc } from "../src/inspector/chart/chart.ts";
import type { StepView } from "../src/inspector/protocol.ts";
import { el } from "./dom.ts";
import { stateNames } from "./step-text.ts";

/** The ways that were looked at, in order: those whose guard said no, and the ones taken with what they did. */
export function arcsView(chart: Chart, step: StepView): HTMLElement | null {
  if (step.arcs.length === 0) return null;
  const rows = step.arcs.map(({ id, allowed }) => {
    const arc = chart.arcs.find((candidate) => candidate.id === id);
    return el(
      "li",
      { class: allowed ? "arc is-taken" : "arc is-refused" },
      el("span", { class: "arc-mark" }, allowed ? "taken" : "no"),
      ...(arc ? arcParts(chart, arc, allowed) : [el("span", { class: "arc-guard" }, id)]),
    );
  });
  return el(
    "section",
    { class: "part" },
    el("h3", {}, "Ways considered"),
    el("ol", { class: "arcs" }, ...rows),
    otherActions(chart, step),
  );
}

function arcParts(chart: Chart, arc: ChartArc, allowed: boolean): HTMLElement[] {
  const target = arc.to.length > 0 ? stateNames(chart, arc.to) : "stays";
  return [
    el(
      "span",
      { class: "arc-way" },
      el("span", { class: "arc-guard" }, arc.guard === "" ? arc.label : arc.guard),
      el("span", { class: "arc-target" }, `→ ${target}`),
    ),
    ...(allowed && arc.actions.length > 0
      ? [el("span", { class: "arc-actions" }, arc.actions.join(", "))]
      : []),
  ];
}

/** Actions of states that were entered or left. */
function otherActions(chart: Chart, step: StepView): HTMLElement | null {
  const taken = new Set(step.arcs.filter(({ allowed }) => allowed).map(({ id }) => id));
  const ofArcs = new Set(chart.arcs.flatMap(({ id, actions }) => (taken.has(id) ? actions : [])));
  const others = step.actions.filter((action) => !ofArcs.has(action));
  return others.length === 0
    ? null
    : el("p", { class: "arc-others" }, `on entry and exit: ${others.join(", ")}`);
}
