import { command, controlled } from "./control.ts";
import { el } from "./dom.ts";
import type { Player } from "./player.ts";
import type { Store } from "./store.ts";
import { toggleTheme } from "./theme.ts";

const HELP: [keys: string[], does: string][] = [
  [["←", "k"], "One step back"],
  [["→", "j"], "One step forward"],
  [["Home"], "First step"],
  [["End"], "Last step"],
  [["Space"], "Take the next transition when a turn is held; else play or pause"],
  [["r"], "Run the turn on"],
  [["p"], "Hold the turn before its next transition"],
  [["f"], "Fit the chart"],
  [["t"], "Light or dark theme"],
  [["?"], "This list"],
];

/** The keys of the whole page. They are the typing's own wherever something is typed or chosen. */
export function listenToKeys(store: Store, player: Player, dialog: HTMLDialogElement): void {
  const actions = keyActions(store, player, dialog);
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]") || isTakenBy(event.target, event.key)) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

function keyActions(
  store: Store,
  player: Player,
  dialog: HTMLDialogElement,
): Record<string, () => void> {
  const move = (by: number) => () => store.goTo(store.step + by);
  const order = (type: "go" | "pause") => () => {
    if (controlled(store)) command(store, { type, run: store.run });
  };
  return {
    ArrowLeft: move(-1),
    k: move(-1),
    ArrowRight: move(1),
    j: move(1),
    Home: () => store.goTo(0),
    End: () => store.goTo(store.lastStep),
    " ": () => {
      if (controlled(store)?.phase === "held") command(store, { type: "step", run: store.run });
      else if (store.lastStep > 0) player.toggle();
    },
    r: order("go"),
    p: order("pause"),
    f: () => document.dispatchEvent(new CustomEvent("chart-fit")),
    t: toggleTheme,
    "?": () => dialog.showModal(),
  };
}

/** Whether what has the focus makes something of a key itself. */
function isTakenBy(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement && target.type === "range")
    return key.startsWith("Arrow") || key === "Home" || key === "End";
  if (target.isContentEditable || target.matches("input, textarea, select")) return true;
  return key === " " && target.matches("button:not(.row-button), summary, a");
}

/** The list of keys, not open yet. */
export function createKeysDialog(): HTMLDialogElement {
  const dialog = el(
    "dialog",
    { class: "keys", "aria-labelledby": "keys-title" },
    el("h2", { id: "keys-title" }, "Keys"),
    el(
      "dl",
      {},
      ...HELP.flatMap(([keys, does]) => [
        el("dt", {}, ...keys.map((key) => el("kbd", {}, key))),
        el("dd", {}, does),
      ]),
    ),
    el("button", { type: "button", class: "button", onclick: () => dialog.close() }, "Close"),
  );
  return dialog;
}
