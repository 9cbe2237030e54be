import { signature } from "../../contracts/call.ts";
import type { Json } from "../../contracts/call.ts";
import type { HarnessOptions, StandIn } from "../../harness.ts";
import type { Step } from "../../journal/fold.ts";
import { outcomeFault } from "../../journal/outcome-fault.ts";
import type { ActorName } from "../../journal/record.ts";
import type { TurnSnapshot } from "../../machine/turn.machine.ts";
import type { Remainder } from "../protocol.ts";

interface StandInsOptions {
  /** What the first actor gives back, or what a model writes. */
  output: Json;
  /** What the task at work makes of what a model writes. */
  judge: (reply: string) => Promise<Json>;
  remainder: Remainder;
  /** What came after that in the turn as it was. */
  recorded: readonly Step[];
  /** Where the run is. */
  snapshot: () => TurnSnapshot;
  /** Told when a person has to say what the actor gives back, and why if that was not wanted; null once it is said. */
  onHand: (waits: { why: string } | null) => void;
}

/** What stands in for the actors of a what-if: an edited outcome, and then recorded ones, a person, or nothing. */
export class StandIns {
  readonly #options: StandInsOptions;
  readonly #recorded: Step[];
  #isFirst = true;
  #remainder: Remainder;
  #say: ((output: Json) => void) | null = null;

  constructor(options: StandInsOptions) {
    this.#options = options;
    this.#recorded = [...options.recorded];
    this.#remainder = options.remainder;
  }

  /** For the harness. */
  readonly standIn: NonNullable<HarnessOptions["standIn"]> = async ({ of }, signal) => {
    if (this.#isFirst) {
      this.#isFirst = false;
      return { output: await this.#read(this.#options.output), by: "hand" };
    }
    if (this.#remainder === "live") return null;
    if (this.#remainder === "hand") return this.#byHand("", signal);
    const why = this.#misfit(of);
    const next = why === null ? this.#recorded.shift() : undefined;
    if (next) return { output: outputOf(next), by: "recording" };
    // A wait gives nothing back: there is nothing to make up.
    return of === "fail_recovery" ? null : this.#byHand(why ?? "", signal);
  };

  /** Why the next recorded outcome is none of this actor, or null. What was only waited for is passed over. */
  #misfit(of: ActorName): string | null {
    if (of !== "fail_recovery") this.#passOverWaits();
    const [next] = this.#recorded;
    if (!next) return "nothing more was recorded";
    const { record, before } = next;
    if (record.type === "abort") return "here the recorded turn was stopped";
    if (record.of !== of)
      return `${of} is at work, but what was recorded next came from ${record.of}`;
    if (record.type === "crash") return `here ${record.of} broke in the recorded turn`;
    const snapshot = this.#options.snapshot();
    const [now, was] = [callOf(snapshot), callOf(before)];
    if (of === "tool_use" && now !== was)
      return `the next call is ${now}, but what was recorded next came from ${was}`;
    return outcomeFault(snapshot, of, outputOf(next));
  }

  #passOverWaits(): void {
    while (this.#recorded[0]?.before.value === "fail_recovery") this.#recorded.shift();
  }

  async #byHand(why: string, signal: AbortSignal): Promise<StandIn> {
    const said = new Promise<Json>((resolve) => {
      this.#say = resolve;
    });
    signal.addEventListener("abort", () => (this.#say = null), { once: true });
    this.#options.onHand({ why });
    return { output: await this.#read(await said), by: "hand" };
  }

  /** What a model writes is judged as it would be from a model. */
  #read(said: Json): Promise<Json> | Json {
    const reply = replyIn(said);
    return reply === null ? said : this.#options.judge(reply);
  }

  /** Takes what a person says that the actor at work gives back. Gives back why it cannot be, or null. */
  say(output: Json, remainder: Remainder): string | null {
    if (!this.#say) return "no actor waits to be told what it gives back";
    const snapshot = this.#options.snapshot();
    const fault = saidFault(snapshot, output);
    if (fault !== null) return fault;
    // It stands in the place of what this actor gave back then, so that the recording can go on behind it.
    if (this.#recorded[0]?.before.value === snapshot.value) this.#recorded.shift();
    this.#remainder = remainder;
    this.#options.onHand(null);
    this.#say(output);
    this.#say = null;
    return null;
  }
}

/** The text of `{ "reply": "…" }`: not what an actor gives back, but what a model writes, still to be judged. */
function replyIn(said: Json): string | null {
  if (typeof said !== "object" || said === null || Array.isArray(said)) return null;
  const { reply, ...rest } = said;
  return typeof reply === "string" && Object.keys(rest).length === 0 ? reply : null;
}

/** Why a person cannot say this of the actor at work, in a sentence; null if it can be. */
export function saidFault(snapshot: TurnSnapshot, said: Json): string | null {
  const of = snapshot.value as ActorName;
  const isModel = ["skill_call", "tool_call", "answer"].includes(of);
  return isModel && replyIn(said) !== null ? null : outcomeFault(snapshot, of, said);
}

const outputOf = ({ record }: Step): Json =>
  record.type === "outcome" && "output" in record ? (record.output as unknown as Json) : null;

function callOf({ context }: TurnSnapshot): string {
  const [call] = context.queue;
  return call ? signature(call) : "";
}
