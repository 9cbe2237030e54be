import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";

/** The path of a fixture script. */
export const scriptPath = (name: string) =>
  fileURLToPath(new URL(`../fixtures/scripts/${name}`, import.meta.url));

/** Goes before a command. Root may read everything; without its capabilities it has to heed the modes of files like anybody else. */
export const withoutPrivileges =
  process.getuid?.() === 0 ? ["setpriv", "--inh-caps=-all", "--bounding-set=-all"] : [];

const patience = { timeout: 30_000, interval: 10 };

/** A dead process stays visible as a zombie until its new parent asks for it. */
function isGone(id: number): boolean {
  try {
    process.kill(id, 0);
  } catch {
    return true;
  }
  const stat = existsSync(`/proc/${id}/stat`) ? readFileSync(`/proc/${id}/stat`, "utf8") : "";
  return /\) [ZX] /.test(stat);
}

/** Waits until all these processes are gone, and gives how many that were; throws when one stays. */
export function gone(ids: readonly number[]): Promise<number> {
  return vi.waitFor(() => {
    const left = ids.filter((id) => !isGone(id));
    if (left.length > 0) throw new Error(`still running: ${left.join(", ")}`);
    return ids.length;
  }, patience);
}

/** The process ids that a fixture script writes into this file, once it has done so. */
export function idsIn(file: string): Promise<number[]> {
  return vi.waitFor(() => JSON.parse(readFileSync(file, "utf8")), patience);
}
