import type { PromptView, StepView } from "../src/inspector/protocol.ts";
import { blockView } from "./block-view.ts";
import { el, fill } from "./dom.ts";
import type { Panel } from "./panel.ts";
import type { Store } from "./store.ts";
import { counted, inFigures } from "./figures.ts";
import { textView } from "./text-view.ts";
import { createWatch } from "./watch.ts";

const MESSAGES_MAX = 30;
/** Only English prose comes near it: good for a feeling of size, not for a bill. */
const CHARACTERS_PER_TOKEN = 4;

/** The exact prompt of a model step and its reply; in a state that asks a model, the prompt that is being answered. */
export function createPromptPanel(store: Store): Panel {
  const element = el("section", { class: "detail prompt-panel", "aria-label": "Prompt" });
  const isOther = createWatch();
  const update = (): void => {
    const step = store.shownStep;
    // A reply answers the prompt of the state before it.
    const isReply = step?.kind === "model";
    const prompt = step ? store.promptAt(store.run, isReply ? store.step - 1 : store.step) : null;
    const isNow = store.isConnected && store.step === store.lastStep && step?.ended === null;
    if (!isOther(step, prompt, isNow, store.isConnected)) return;
    const heading = isReply
      ? "Prompt sent"
      : isNow
        ? "Prompt that is being answered"
        : "Prompt sent next";
    fill(
      element,
      ...promptParts(prompt, heading, whyNone(store, step)),
      ...(isReply ? replyParts(step) : []),
    );
  };
  return { element, update };
}

function whyNone(store: Store, step: StepView | null): string {
  const asks = step?.kind === "model" || step?.asks_model === true;
  if (!asks) return "No model is asked here.";
  return store.isConnected || store.recording.prompts
    ? "This prompt could not be made again."
    : "The process is gone that could tell the prompt.";
}

function promptParts(
  prompt: PromptView | null | "asked",
  heading: string,
  why: string,
): HTMLElement[] {
  if (prompt === "asked")
    return [el("p", { class: "quiet", role: "status" }, "The prompt is on its way…")];
  if (prompt === null) return [el("p", { class: "quiet" }, why)];
  const { system, messages, note } = prompt;
  const characters = messages.reduce((sum, { text }) => sum + text.length, system.length);
  const list = messageList(messages);
  return [
    el(
      "header",
      { class: "detail-head" },
      el("div", { class: "detail-title" }, el("h2", {}, heading), ...promptButtons(prompt, list)),
      el(
        "p",
        { class: "detail-facts" },
        el("span", {}, counted(characters, "character")),
        el("span", {}, `roughly ${inFigures(Math.ceil(characters / CHARACTERS_PER_TOKEN))} tokens`),
        el("span", {}, counted(messages.length, "message")),
      ),
    ),
    ...(note === ""
      ? []
      : [el("p", { class: "warning" }, `Perhaps not the exact prompt: ${note}.`)]),
    el(
      "details",
      { class: "message role-system" },
      el(
        "summary",
        {},
        el("span", { class: "role" }, "system"),
        el("span", { class: "block-fact" }, counted(system.length, "character")),
      ),
      textView(system, "is-code"),
    ),
    list,
  ];
}

function promptButtons(prompt: PromptView, list: HTMLElement): HTMLElement[] {
  const says = el("span", { class: "sending", role: "status" });
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(wholeText(prompt));
      says.textContent = "copied";
    } catch {
      says.textContent = "The browser does not let this page copy.";
    }
  };
  const jump = (): void => list.lastElementChild?.scrollIntoView({ block: "start" });
  return [
    says,
    el("button", { type: "button", class: "button", onclick: () => void copy() }, "Copy"),
    el("button", { type: "button", class: "button", onclick: jump }, "Last message"),
  ];
}

function messageList(messages: PromptView["messages"]): HTMLElement {
  const hidden = messages.slice(0, -MESSAGES_MAX);
  const list = el("div", { class: "messages" });
  const showHidden = (): void => {
    more.remove();
    list.prepend(...hidden.map((message) => messageView(message)));
  };
  const more = el(
    "button",
    { type: "button", class: "more", onclick: showHidden },
    `show the ${inFigures(hidden.length)} before`,
  );
  const shown = messages.slice(-MESSAGES_MAX).map((message) => messageView(message));
  fill(list, hidden.length > 0 ? more : null, shown);
  return list;
}

const messageView = ({ role, text }: PromptView["messages"][number]): HTMLElement =>
  el(
    "div",
    { class: `message role-${role === "assistant" ? "assistant" : "user"}` },
    el("p", { class: "role" }, role),
    textView(text, "is-code"),
  );

const replyParts = ({ blocks }: StepView): HTMLElement[] => [
  el("h2", { class: "reply-head" }, "Reply"),
  ...blocks.map((block) => blockView(block)),
];

function wholeText({ system, messages }: PromptView): string {
  const parts = [{ role: "system", text: system }, ...messages];
  return parts.map(({ role, text }) => `[${role}]\n${text}`).join("\n\n");
}
