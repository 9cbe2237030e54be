import { turnMachine } from "./turn.machine.ts";

/**
 * A word that changes whenever the chart does: its states, transitions, and the names of guards, actions and actors.
 * FNV-1a, 64 bits: it has to tell versions apart, not to withstand anyone.
 */
export function machineHash(config: unknown = turnMachine.config): string {
  let hash = 0xcbf29ce484222325n;
  for (const letter of JSON.stringify(config)) {
    hash ^= BigInt(letter.codePointAt(0) ?? 0);
    hash = (hash * 0x100000001b3n) & 0xffffffffffffffffn;
  }
  return hash.toString(16).padStart(16, "0");
}
