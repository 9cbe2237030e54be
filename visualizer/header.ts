import { el } from "./dom.ts";
import type { Panel } from "./panel.ts";
import { createRunTabs } from "./run-tabs.ts";
import { statusText } from "./step-text.ts";
import type { Store } from "./store.ts";
import { toggleTheme } from "./theme.ts";

/** What is looked at, where it is now, and the runs there are. */
export function createHeader(store: Store, showKeys: () => void): Panel {
  const title = el("h1", { class: "title" });
  const chip = el("p", { class: "chip", role: "status" });
  const notice = el("p", { class: "notice", role: "alert" });
  const runs = createRunTabs(store);
  const element = el(
    "header",
    { class: "header" },
    el("span", { class: "brand" }, "broharness"),
    title,
    chip,
    el(
      "div",
      { class: "header-tools" },
      el(
        "button",
        {
          type: "button",
          class: "icon-button",
          "aria-label": "Light or dark theme",
          title: "Light or dark theme (t)",
          onclick: toggleTheme,
        },
        el("span", { class: "icon icon-theme", "aria-hidden": "true" }),
      ),
      el(
        "button",
        {
          type: "button",
          class: "icon-button",
          "aria-label": "Keys",
          title: "Keys (?)",
          onclick: showKeys,
        },
        el("span", { "aria-hidden": "true" }, "?"),
      ),
    ),
    runs.element,
    notice,
  );
  return {
    element,
    update: () => {
      setText(title, store.recording.title);
      title.title = store.recording.title;
      const last = store.shownRun.steps.at(-1) ?? null;
      const { text, tone } = statusText(store.recording, store.statusOf(store.run), last);
      setText(chip, text);
      chip.dataset["tone"] = tone;
      setText(notice, store.trouble);
      notice.hidden = store.trouble === "";
      runs.update();
    },
  };
}

/** A live region is read out each time it is written to: only what is new is written. */
function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
