import { Worker } from "node:worker_threads";
import type { TurnLimits } from "../../machine/turn.limits.ts";
import type { TurnSnapshot } from "../../machine/turn.machine.ts";
import { isCountable, remainingIn, type RemainingTable } from "../../proof/remaining.ts";
import type { StepView } from "../protocol.ts";

/**
 * Proves in a thread of its own what can still come in a turn with at most these limits, which takes some seconds; the
 * caller goes on meanwhile. Resolves to a look-up that is as quick as a step: `remainingIn` says what counts.
 * It gives null for a configuration that is unknown, and always for limits that are too large to count. Rejects with the
 * error that the thread broke on, a bug of ours.
 */
export async function loadRemaining(
  limits: TurnLimits,
): Promise<(snapshot: TurnSnapshot) => StepView["remaining"]> {
  return isCountable(limits) ? remainingIn(await tableOf(limits)) : () => null;
}

async function tableOf(limits: TurnLimits): Promise<RemainingTable> {
  const worker = workerFor(limits);
  try {
    return await new Promise<RemainingTable>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
      worker.once("exit", () => reject(new Error("the thread of the proof ended without a word")));
    });
  } finally {
    await worker.terminate();
  }
}

/** A new thread of Node 20 reads no TypeScript, so that one from source has to be taught it first. */
function workerFor(workerData: TurnLimits): Worker {
  const built = new URL("./load-remaining-worker.js", import.meta.url);
  if (!import.meta.url.endsWith(".ts")) return new Worker(built, { workerData });
  const entry = JSON.stringify(new URL("./load-remaining-worker.ts", import.meta.url));
  const tsx = JSON.stringify(import.meta.resolve("tsx/esm/api"));
  const code = `import(${tsx}).then(({ tsImport }) => tsImport(${entry}, ${entry}))`;
  return new Worker(code, { eval: true, workerData });
}
