import { controlled } from "./control.ts";
import { el } from "./dom.ts";
import type { Panel } from "./panel.ts";
import type { Player } from "./player.ts";
import { createRunControls } from "./run-controls.ts";
import { positionText } from "./step-text.ts";
import type { Store } from "./store.ts";

/** Goes through the steps there are, and has a turn at work make more. */
export function createTransport(store: Store, player: Player): Panel {
  const first = iconButton("first", "First step (Home)", () => store.goTo(0));
  const back = iconButton("back", "One step back (←)", () => store.goTo(store.step - 1));
  const play = iconButton("play", "Play (Space)", () => player.toggle());
  const forward = iconButton("forward", "One step forward (→)", () => store.goTo(store.step + 1));
  const last = iconButton("last", "Last step (End)", () => store.goTo(store.lastStep));
  const slider = el("input", { type: "range", class: "slider", min: 1, "aria-label": "Step" });
  slider.addEventListener("input", () => store.goTo(Number(slider.value) - 1));
  const counter = el("output", { class: "counter", "aria-live": "off" });
  const controls = createRunControls(store);
  const element = el(
    "section",
    { class: "transport", "aria-label": "Steps" },
    el("div", { class: "step-buttons" }, first, back, play, forward, last),
    slider,
    counter,
    controls.element,
  );

  const update = (): void => {
    const { step, lastStep, shownRun, recording } = store;
    const isPast = shownRun.steps.length > 0;
    for (const button of [first, back]) button.disabled = step === 0;
    for (const button of [forward, last]) button.disabled = step >= lastStep;
    const isLive = controlled(store) !== null;
    element.classList.toggle("is-live", isLive);
    play.hidden = isLive;
    play.disabled = lastStep === 0;
    name(play, player.isPlaying ? "Pause (Space)" : "Play (Space)");
    play.classList.toggle("is-playing", player.isPlaying);
    slider.disabled = lastStep === 0;
    slider.max = String(lastStep + 1);
    slider.value = String(step + 1);
    slider.setAttribute("aria-valuetext", positionText(recording.chart, shownRun.steps, step));
    slider.style.setProperty("--done", String(lastStep === 0 ? 0 : step / lastStep));
    counter.textContent = isPast ? `${step + 1} / ${lastStep + 1}` : "";
    controls.update();
  };
  return { element, update };
}

function iconButton(icon: string, title: string, onclick: () => void): HTMLButtonElement {
  const button = el(
    "button",
    { type: "button", class: "icon-button", onclick },
    el("span", { class: `icon icon-${icon}`, "aria-hidden": "true" }),
  );
  name(button, title);
  return button;
}

/** "Play (Space)" is the tip; the key is no part of the name. */
function name(button: HTMLButtonElement, title: string): void {
  if (button.title === title) return;
  button.title = title;
  button.setAttribute("aria-label", title.replace(/ \(.*\)$/, ""));
}
