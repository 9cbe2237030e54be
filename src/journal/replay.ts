import { initialTransition, transition } from "xstate";
import type { TurnLimits } from "../machine/turn.limits.ts";
import { turnMachine, type TurnMachine, type TurnSnapshot } from "../machine/turn.machine.ts";
import type { TurnEvent } from "../machine/turn.types.ts";
import { checksum } from "./checksum.ts";
import type { Folded, FoldedTurn } from "./fold.ts";
import type { JournalFault } from "./line.ts";

/** The first turn that is another when it is taken again, or null. Call it with a session that folds without fault. */
export function replayFault({ turns }: Folded): JournalFault | null {
  for (const { end, snapshot, record } of turns) {
    const digest = checksum(JSON.stringify(snapshot.context));
    if (end?.digest && end.digest !== digest)
      return {
        line: record.n,
        why: `the turn that begins here ends as another (${digest}, was ${end.digest}): this version of broharness does something else on the way`,
      };
  }
  return null;
}

/** A machine or limits to hold a session's recorded answers against. */
export interface Other {
  machine?: TurnMachine;
  limits?: Partial<TurnLimits>;
}

/** A turn that takes another way, or ends otherwise, with the same answers. */
export interface ChangedTurn {
  line: number;
  question: string;
  /** The number of the first state that is another, from 1; the last one where only what came out is another. */
  step: number;
  path_was: string[];
  path_now: string[];
  end_was: string;
  end_now: string;
}

/** Plays the recorded answers of each turn through another machine: the turns that change, and nothing for the rest. */
export function compare({ turns }: Pick<Folded, "turns">, other: Other): ChangedTurn[] {
  return turns.flatMap((turn) => {
    const path_was = [turn.first, ...turn.steps.map(({ after }) => after)].map(
      ({ value }) => value,
    );
    const { path: path_now, last } = playAgain(turn, other);
    const isSamePath = path_was.join(" ") === path_now.join(" ");
    if (isSamePath && outcomeText(turn.snapshot) === outcomeText(last)) return [];
    const [end_was, end_now] = endsOf(turn.snapshot, last);
    const index = path_was.findIndex((state, position) => state !== path_now[position]);
    const firstOther = index < 0 ? path_was.length : index;
    const step = isSamePath ? path_was.length : firstOther + 1;
    const { question } = turn.input;
    return [{ line: turn.line, question, step, path_was, path_now, end_was, end_now }];
  });
}

/** Once the way is another, each actor is given its own next answer; a turn whose answers are used up stays where it is. */
function playAgain({ input, steps }: FoldedTurn, { machine = turnMachine, limits = {} }: Other) {
  const left = steps.map(({ event }) => event);
  let [snapshot] = initialTransition(machine, { ...input, limits: { ...input.limits, ...limits } });
  const path: string[] = [snapshot.value];
  while (snapshot.status === "active") {
    const index = left.findIndex((event) => isFor(snapshot, event));
    const [event] = index < 0 ? [] : left.splice(index, 1);
    if (!event || !snapshot.can(event)) break;
    [snapshot] = transition(machine, snapshot, event);
    path.push(snapshot.value);
  }
  return { path, last: snapshot };
}

const isFor = ({ children }: TurnSnapshot, event: TurnEvent) =>
  event.type === "abort" || Object.hasOwn(children, event.actorId);

const outcomeText = ({ status, context }: TurnSnapshot): string =>
  `${status} ${JSON.stringify(context.outcome)}`;

/** Both ends in words; with all that came out of the turn where the words alone are the same. */
function endsOf(was: TurnSnapshot, now: TurnSnapshot): [string, string] {
  const [before, after] = [endOf(was), endOf(now)];
  return before === after && outcomeText(was) !== outcomeText(now)
    ? [JSON.stringify(was.context.outcome), JSON.stringify(now.context.outcome)]
    : [before, after];
}

function endOf({ status, value, context: { outcome } }: TurnSnapshot): string {
  if (status === "active") return `waits in ${value}`;
  const early = outcome?.kind === "answered" ? outcome.ended_early : null;
  return early ? `${value} (${early})` : value;
}
