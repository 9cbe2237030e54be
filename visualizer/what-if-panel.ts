import type { Draft } from "../src/inspector/protocol.ts";
import { el, fill } from "./dom.ts";
import { createOutcomeForm } from "./outcome-form.ts";
import type { Panel } from "./panel.ts";
import type { Store } from "./store.ts";
import { createWatch } from "./watch.ts";

/** The step panel holds it, and opens it for the shown step. */
export interface WhatIfPanel extends Panel {
  open: () => void;
  focus: () => void;
  /** Whether the form for another outcome of the shown step is open. */
  isEditing: () => boolean;
}

/** Another outcome for the shown step; and, while a run waits for a person to be its actor, the outcome it waits for. */
export function createWhatIfPanel(store: Store): WhatIfPanel {
  const fork = createForkForm(store);
  const hand = createHandForm(store);
  return {
    element: el("div", { class: "detail-body" }, hand.element, fork.element),
    update() {
      hand.update();
      fork.update();
    },
    open: fork.open,
    focus: fork.focus,
    isEditing: () => !fork.element.hidden,
  };
}

/** Stays as it was left for its step while other steps are looked at, until it is sent or cancelled. */
function createForkForm(store: Store): Pick<WhatIfPanel, "element" | "update" | "open" | "focus"> {
  const form = createOutcomeForm("what-if");
  const title = el("h2", {}, "");
  const sending = createSending(store, "Fork", "The other run begins…");
  let at: { run: number; step: number } | null = null;
  const update = (): void => {
    if (at && sending.isWaiting() && store.run !== at.run) at = null;
    element.hidden = at?.run !== store.run || at.step !== store.step;
    sending.update();
  };
  const close = (): void => {
    at = null;
    store.changed();
  };
  const send = (event: Event): void => {
    event.preventDefault();
    const value = form.value();
    if (!at || !value) return form.focus();
    store.ask({ type: "fork", ...at, ...value });
    sending.begin();
  };
  const element = el(
    "form",
    { class: "detail-form", "aria-label": "What if", hidden: true, onsubmit: send },
    title,
    el(
      "p",
      { class: "quiet" },
      "Another outcome in the place of this step's. The run that is shown stays as it is.",
    ),
    form.element,
    el(
      "div",
      { class: "actions" },
      sending.button,
      el("button", { type: "button", class: "button", onclick: close }, "Cancel"),
      sending.message,
    ),
  );
  return {
    element,
    update,
    open() {
      const step = store.shownStep;
      if (!step) return;
      at = { run: store.run, step: store.step };
      title.textContent = `What if: ${step.title}`;
      sending.end();
      form.set(step.output, "recorded");
    },
    focus: form.focus,
  };
}

/** For a run in `by_hand`. */
function createHandForm(store: Store): Panel {
  const form = createOutcomeForm("by-hand");
  const title = el("h2", {}, "");
  const choice = el("select", { id: "by-hand-draft" });
  const sending = createSending(store, "Continue", "Sent…");
  const isOther = createWatch();
  let drafts: Draft[] = [];
  const take = (): void => {
    const draft = drafts[choice.selectedIndex];
    if (draft) form.set(draft.output, form.value()?.remainder ?? "hand");
  };
  choice.addEventListener("change", take);
  const send = (event: Event): void => {
    event.preventDefault();
    const value = form.value();
    if (!value) return form.focus();
    store.ask({ type: "outcome", run: store.run, ...value });
    sending.begin();
  };
  const why = el("p", { class: "quiet" });
  const element = el(
    "form",
    { class: "detail-form is-above", "aria-label": "By hand", hidden: true, onsubmit: send },
    title,
    why,
    el(
      "div",
      { class: "field" },
      el("label", { for: "by-hand-draft" }, "What it gives back"),
      choice,
    ),
    form.element,
    el("div", { class: "actions" }, sending.button, sending.message),
  );
  const update = (): void => {
    const status = store.statusOf(store.run);
    const isAsked = status?.phase === "by_hand" && store.step === store.lastStep;
    element.hidden = !isAsked;
    sending.update();
    // Other news about the same wait must not undo what has been typed.
    if (!isAsked || !isOther(store.run, store.lastStep, status.state)) return;
    ({ drafts } = status);
    title.textContent = `You are ${status.state}`;
    why.textContent =
      status.why === "" ? "Say what it gives back." : `Say what it gives back: ${status.why}.`;
    fill(choice, ...drafts.map(({ name }) => el("option", {}, name)));
    choice.disabled = drafts.length < 2;
    form.set(drafts[0]?.output ?? null, "hand");
    sending.end();
  };
  return { element, update };
}

/** A button that is off from the request until it was met or refused, and what it says beside it. */
function createSending(
  store: Store,
  label: string,
  waiting: string,
): {
  button: HTMLButtonElement;
  message: HTMLElement;
  begin(): void;
  end(): void;
  isWaiting(): boolean;
  update(): void;
} {
  const button = el("button", { type: "submit", class: "button is-main" }, label);
  const message = el("p", { class: "sending", role: "status" });
  let isWaiting = false;
  const show = (says: string): void => {
    if (message.textContent !== says) message.textContent = says;
    button.disabled = isWaiting;
  };
  return {
    button,
    message,
    begin() {
      isWaiting = true;
      show(waiting);
    },
    end() {
      isWaiting = false;
      show("");
    },
    isWaiting: () => isWaiting,
    update() {
      if (!isWaiting || store.trouble === "") return;
      isWaiting = false;
      show(store.trouble);
    },
  };
}
