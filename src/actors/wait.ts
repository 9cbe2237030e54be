import { setTimeout as after } from "node:timers/promises";
import type { WaitInput } from "../machine/turn.types.ts";

/** Waits, or throws the signal's AbortError as soon as the state is left. No timer for a wait of nothing. */
export async function wait({ wait_ms }: WaitInput, signal: AbortSignal): Promise<undefined> {
  signal.throwIfAborted();
  if (wait_ms > 0) await after(wait_ms, undefined, { signal });
  return undefined;
}
