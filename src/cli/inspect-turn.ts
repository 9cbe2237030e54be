import { version, type Asker, type HarnessOptions, type Journal } from "../index.ts";
import { TurnHub, type WatchOptions } from "../inspector.ts";
import type { Flags } from "./flags.ts";
import { breakpointsOf, hubOptions, openPage } from "./inspect-page.ts";
import type { Session } from "./session.ts";
import { untilStopped, type Stop } from "./stop.ts";

/** A turn that is about to begin, and the page that shows it. */
export interface InspectedTurn {
  journal: Journal;
  pause: NonNullable<HarnessOptions["pause"]>;
  asker: (person: Asker) => Asker;
  /** Of everything that ends the turn, the page among it. */
  signal: AbortSignal;
  /** For the command `inspect`: resolves when the last page is closed, or with a signal; at once after a turn that ended by one. */
  stay: () => Promise<void>;
  /** Tells the pages that it is over, and lets them go. */
  close: () => Promise<void>;
}

interface InspectedOptions {
  /** Left out for a turn that goes on. */
  question: string | undefined;
  session: Session | null;
  stop: Stop;
  isGiven: (flag: string) => boolean;
}

/** Opens a page that shows the turn that is about to begin. */
export async function inspectTurn(flags: Flags, options: InspectedOptions): Promise<InspectedTurn> {
  const { session, stop } = options;
  const breakpoints = breakpointsOf(flags);
  const stays = flags.inspect === "stay";
  const { hub, svg } = await hubOf(flags, options);
  const [stopped, left] = [new AbortController(), new AbortController()];
  const { live, journal } = hub.watch({
    breakpoints,
    stop: () => stopped.abort("user"),
    onHold: stop.holdClock,
    journal: session?.journal ?? null,
    session: firstRecord(session),
    isPageComing: stays || flags.break !== undefined,
  });
  const onEmpty = () => {
    left.abort();
    // Who closes the last page of `inspect` is done; any other turn goes on as if there had been none.
    if (stays) stopped.abort("user");
    else hub.leftAlone();
  };
  const server = await openPage(flags, { hub, title: hub.title, svg, stays, onEmpty });
  return {
    journal,
    pause: live.pause,
    // A page does not ask either where nobody is to be asked.
    asker: (person) => (flags.print ? person : live.asker(person)),
    signal: AbortSignal.any([stop.signal, stopped.signal]),
    async stay() {
      live.ended();
      const isTimeout = stop.signal.reason instanceof Error;
      if (stays && (!stop.signal.aborted || isTimeout)) await untilStopped(left.signal);
    },
    async close() {
      live.ended();
      await hub.close();
      await server.close();
    },
  };
}

async function hubOf(flags: Flags, { question, session, isGiven }: InspectedOptions) {
  const { svg, ...options } = await hubOptions(flags, isGiven);
  const hub = new TurnHub({
    ...options,
    source: "live",
    title: question ?? session?.last?.input.question ?? "",
    records: session?.records ?? [],
    session: session?.id ?? null,
  });
  return { hub, svg };
}

/** How a new session begins; a turn that is kept nowhere has one that nobody can find. */
const firstRecord = (session: Session | null): WatchOptions["session"] => ({
  type: "session",
  format: 1,
  id: session?.id ?? "none",
  version,
  cwd: process.cwd(),
  forked_from: null,
});
