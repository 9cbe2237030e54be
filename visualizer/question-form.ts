import type { Status } from "../src/inspector/protocol.ts";
import { el, fill } from "./dom.ts";
import type { Panel } from "./panel.ts";
import type { Store } from "./store.ts";
import { createWatch } from "./watch.ts";

/** The question that the shown run waits with. No key says yes unasked: the buttons have no default and take no focus. */
export function createQuestionForm(store: Store): Panel {
  const element = el("section", {
    class: "question-form",
    "aria-label": "Question",
    "aria-live": "polite",
    hidden: true,
  });
  const isOther = createWatch();
  const sent = el("p", { class: "sending" });
  let controls: HTMLElement & { disabled: boolean } = el("fieldset", {});

  const answer = (text: string): void => {
    store.ask({ type: "answer", run: store.run, text });
    controls.disabled = true;
    sent.textContent = "sent";
  };
  const update = (): void => {
    const status = store.statusOf(store.run);
    const question = status?.phase === "asking" ? status.question : null;
    element.hidden = question === null;
    if (question && isOther(store.run, status, store.canControl)) {
      const kept = element.querySelector("textarea")?.value ?? "";
      sent.textContent = "";
      controls = el(
        "fieldset",
        { disabled: !store.canControl },
        ...fieldsFor(question, answer, kept),
      );
      fill(
        element,
        el("h2", {}, "The turn asks you"),
        el("p", { class: "question-text" }, question.text),
        controls,
        sent,
      );
    } else if (question && controls.disabled && store.trouble !== "") {
      controls.disabled = !store.canControl;
      sent.textContent = store.trouble;
    }
  };
  return { element, update };
}

function fieldsFor(
  { kind }: NonNullable<Status["question"]>,
  answer: (text: string) => void,
  kept: string,
): HTMLElement[] {
  if (kind === "open") return [openField(answer, kept)];
  const button = (label: string, text: string): HTMLElement =>
    el("button", { type: "button", class: "button", onclick: () => answer(text) }, label);
  return [el("div", { class: "actions" }, button("Yes", "yes"), button("No", "no"))];
}

/** Enter sends; with Shift it is a line break, and while a letter is being composed it belongs to the keyboard. */
function openField(answer: (text: string) => void, kept: string): HTMLElement {
  const area = el("textarea", { id: "question-reply", rows: 2 });
  area.value = kept;
  const send = (): void => {
    if (area.value.trim() === "") return area.focus();
    answer(area.value.trim());
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  };
  area.addEventListener("keydown", onKey);
  return el(
    "div",
    { class: "field" },
    el("label", { for: "question-reply" }, "Your reply"),
    area,
    el(
      "div",
      { class: "actions" },
      el("button", { type: "button", class: "button is-main", onclick: send }, "Reply"),
    ),
  );
}
