import { parentPort, workerData } from "node:worker_threads";
import type { TurnLimits } from "../../machine/turn.limits.ts";
import { turnMachine } from "../../machine/turn.machine.ts";
import { explore } from "../../proof/quotient.ts";
import { remainingTable } from "../../proof/remaining.ts";

// Runs in a thread of its own, see load-remaining.ts.
const table = remainingTable(explore(turnMachine), workerData as TurnLimits);
// What is handed over need not be copied.
const handedOver = Object.values(table.longest).map(({ buffer }) => buffer);
parentPort?.postMessage(table, handedOver);
