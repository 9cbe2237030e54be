import {
  createRedactor,
  HarnessError,
  newSessionId,
  secretsOf,
  sessionsFolder,
  turnMachine,
} from "../index.ts";
import {
  breakpointFault,
  drawChart,
  openBrowser,
  startServer,
  type Hub,
  type InspectorServer,
  type TurnHubOptions,
} from "../inspector.ts";
import { harnessOptions } from "./config.ts";
import { withKept, type Flags } from "./flags.ts";

interface PageOptions {
  hub: Hub;
  title: string;
  svg: string;
  /** Whether the process goes on until the last page is closed. */
  stays: boolean;
  onEmpty: () => void;
}

/** Serves a page, says where, and opens it where somebody sits. */
export async function openPage(
  { stately = false, open }: Flags,
  { stays, ...served }: PageOptions,
): Promise<InspectorServer> {
  const server = await startServer({ ...served, stately });
  const { address, statelyAddress } = server;
  process.stderr.write(`broharness: inspector: ${address}\n`);
  if (statelyAddress !== null)
    process.stderr.write(`broharness: Stately's inspector: ${statelyAddress}\n`);
  if (stays)
    process.stderr.write("broharness: it ends when its last page is closed, or with Ctrl-C\n");
  const { CI = "", BROWSER } = process.env;
  if (open && process.stderr.isTTY && CI === "") openBrowser(address, BROWSER);
  return server;
}

/** What a hub of turns needs of this process. */
export async function hubOptions(
  flags: Flags,
  isGiven: (flag: string) => boolean,
): Promise<Omit<TurnHubOptions, "source" | "title" | "records" | "session"> & { svg: string }> {
  // What is asked again in a what-if is not what `--record` was given for.
  const { record: _, ...rest } = flags;
  const of = (settings: object) => withKept(rest, settings, isGiven);
  return {
    ...(await drawChart(turnMachine)),
    optionsOf: (settings) => harnessOptions(of(settings)),
    promptOptionsOf: (settings) =>
      harnessOptions({ ...of(settings), model: "offline", roleModel: [] }),
    folder: flags.session ? sessionsFolder(process.env) : null,
    newId: () => newSessionId(Date.now(), Math.random()),
    newRedactor: () => createRedactor(secretsOf(process.env)),
    now: () => Date.now(),
  };
}

/** Where the turn is held: before everything, for the command `inspect`. Throws HarnessError "usage" for what is no place. */
export function breakpointsOf({ break: given, inspect }: Flags): string[] {
  const points = given ?? (inspect === "stay" ? ["start"] : []);
  const fault = breakpointFault(points, ["start", "none"]);
  if (fault !== null) throw new HarnessError("usage", `--break: ${fault}`);
  return points.filter((point) => point !== "none");
}
