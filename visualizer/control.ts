import type { FromPage, Status } from "../src/inspector/protocol.ts";
import type { Store } from "./store.ts";

/** Where the shown run is, if it can be stepped, held and stopped from here; else null. */
export function controlled(store: Store): Status | null {
  const status = store.canControl ? store.statusOf(store.run) : null;
  return status && status.phase !== "ended" && status.phase !== "gone" ? status : null;
}

type Command = Extract<FromPage, { type: "step" | "go" | "pause" | "go_to" }>;

/** Asks the process to go on or to hold, and shows the newest step: that is where the result comes. */
export function command(store: Store, message: Command): void {
  store.ask(message);
  store.goTo(store.lastStep);
}
