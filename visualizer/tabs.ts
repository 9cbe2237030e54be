import { el } from "./dom.ts";
import type { Panel } from "./panel.ts";

interface Tab {
  name: string;
  panels: Panel[];
  /** Whether there is something to show in it now. */
  isOffered: () => boolean;
}

/** Panels of which one is seen. Only that one is kept up to date: the others would ask for what nobody looks at. */
export function createTabs(label: string, tabs: readonly Tab[]): Panel {
  const buttons = tabs.map(({ name }) =>
    el(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${name.toLowerCase()}`,
        class: "tab",
        "aria-controls": `panel-${name.toLowerCase()}`,
      },
      name,
    ),
  );
  const places = tabs.map(({ name, panels }) =>
    el(
      "div",
      {
        role: "tabpanel",
        id: `panel-${name.toLowerCase()}`,
        class: "tab-panel",
        "aria-labelledby": `tab-${name.toLowerCase()}`,
        tabindex: 0,
      },
      ...panels.map(({ element }) => element),
    ),
  );
  const list = el("div", { role: "tablist", class: "tab-list", "aria-label": label }, ...buttons);
  let chosen = 0;

  const update = (): void => {
    if (!tabs[chosen]?.isOffered()) chosen = 0;
    for (const [index, button] of buttons.entries()) {
      button.hidden = !tabs[index]?.isOffered();
      button.setAttribute("aria-selected", String(index === chosen));
      button.tabIndex = index === chosen ? 0 : -1;
    }
    for (const [index, place] of places.entries()) place.hidden = index !== chosen;
    for (const panel of tabs[chosen]?.panels ?? []) panel.update();
  };
  const choose = (index: number): void => {
    chosen = index;
    update();
  };
  for (const [index, button] of buttons.entries())
    button.addEventListener("click", () => choose(index));
  list.addEventListener("keydown", (event) => {
    const offered = tabs.flatMap((tab, index) => (tab.isOffered() ? [index] : []));
    const to = neighbour(offered, chosen, event.key);
    if (to === undefined) return;
    event.preventDefault();
    choose(to);
    buttons[to]?.focus();
  });
  return {
    element: el("section", { class: "tabs", "aria-label": label }, list, ...places),
    update,
  };
}

/** The tab that a key leads to; undefined for keys that lead nowhere. */
function neighbour(offered: readonly number[], chosen: number, key: string): number | undefined {
  const at = offered.indexOf(chosen);
  if (key === "ArrowRight") return offered[(at + 1) % offered.length];
  if (key === "ArrowLeft") return offered.at(at - 1);
  if (key === "Home") return offered[0];
  return key === "End" ? offered.at(-1) : undefined;
}
