import type { Json, JsonObject } from "../src/contracts/call.ts";
import type { Accepted } from "../src/inspector/protocol.ts";
import { el, fill } from "./dom.ts";
import { createJsonField } from "./json-field.ts";
import type { Panel } from "./panel.ts";
import type { Store } from "./store.ts";
import { createWatch } from "./watch.ts";

/** What a machine that a person steps can be sent after the shown step: an event it accepts, or any other. */
export function createEventPanel(store: Store): Panel {
  const isOther = createWatch();
  const payload = createJsonField({
    id: "event-payload",
    label: "What the event brings, as a JSON object (may be empty)",
    rows: 3,
    placeholder: '{ "output": "…" }',
    empty: {},
    fault: (value) => (isObject(value) ? "" : 'a JSON object is wanted: { "name": value }'),
  });
  const send = (type: string): void => {
    const typed = payload.typed();
    if (!("value" in typed) || !isObject(typed.value)) {
      more.open = true;
      return payload.focus();
    }
    store.ask({ type: "send", run: store.run, step: store.step, event: { ...typed.value, type } });
  };
  const accepted = el("div", { class: "accepted" });
  const note = el("p", { class: "quiet" });
  const other = createOtherEvent(send);
  const more = el(
    "details",
    { class: "event-more" },
    el("summary", {}, "With data, or another event"),
    payload.element,
    other.element,
  );
  const element = el(
    "section",
    { class: "detail event-panel", "aria-label": "Events" },
    el("h2", {}, "Send an event"),
    note,
    accepted,
    more,
  );

  const update = (): void => {
    const isMachine = store.recording.source === "machine";
    element.hidden = !isMachine;
    if (!isMachine || !store.shownStep) return;
    const events = store.acceptedAt(store.run, store.step);
    const isLast = store.step === store.lastStep;
    if (!isOther(events, isLast, store.isConnected)) return;
    note.textContent = noteText(isLast, store.isConnected);
    other.button.disabled = !store.isConnected;
    fill(accepted, ...acceptedViews(events, send));
  };
  return { element, update };
}

function noteText(isLast: boolean, isConnected: boolean): string {
  if (!isConnected) return "The process is gone: nothing can be sent.";
  return isLast
    ? "The machine accepts these events now."
    : "The machine accepted these events after this step. Sending one from here begins another run; this one stays as it is.";
}

function acceptedViews(events: Accepted[] | "asked", send: (type: string) => void): HTMLElement[] {
  if (events === "asked") return [el("p", { class: "quiet", role: "status" }, "Looking…")];
  if (events.length === 0)
    return [el("p", { class: "quiet" }, "None: it has ended or only waits.")];
  return events.map(({ type, label, from, guards }) =>
    el(
      "button",
      { type: "button", class: "event-button", onclick: () => send(type) },
      el("span", { class: "event-label" }, label),
      label === type ? null : el("span", { class: "event-type" }, type),
      el("span", { class: "event-from" }, `in ${from}`),
      guards.length > 0 ? el("span", { class: "event-guards" }, `if ${guards.join(", ")}`) : null,
    ),
  );
}

function createOtherEvent(send: (type: string) => void): {
  element: HTMLElement;
  button: HTMLButtonElement;
} {
  const type = el("input", {
    id: "event-type",
    type: "text",
    required: true,
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
  });
  const button = el("button", { type: "submit", class: "button" }, "Send");
  const submit = (event: Event): void => {
    event.preventDefault();
    send(type.value.trim());
  };
  const element = el(
    "form",
    { class: "field", onsubmit: submit },
    el("label", { for: "event-type" }, "Any other event, by its type"),
    el("div", { class: "actions" }, type, button),
  );
  return { element, button };
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
