import type { Run, StepView } from "../src/inspector/protocol.ts";

/** Where two runs part: the index of the first step that one has and the other has not, or has otherwise. Null: nowhere. */
export function firstDifference(one: Run, other: Run): number | null {
  const most = Math.max(one.steps.length, other.steps.length);
  for (let at = sharedStart(one, other); at < most; at++) {
    const left = one.steps[at];
    const right = other.steps[at];
    if (!left || !right || !isSameStep(left, right)) return at;
  }
  return null;
}

/** Before its fork a run is a copy: nothing to compare there. */
function sharedStart(one: Run, other: Run): number {
  if (one.fork?.run === other.id) return one.fork.step;
  if (other.fork?.run === one.id) return other.fork.step;
  return one.fork && one.fork.run === other.fork?.run
    ? Math.min(one.fork.step, other.fork.step)
    : 0;
}

/** Whether the same came and led to the same states. When it came and how long it took make no difference. */
export function isSameStep(one: StepView, other: StepView): boolean {
  if (one === other) return true;
  return (
    one.type === other.type &&
    one.title === other.title &&
    one.ok === other.ok &&
    one.to.join() === other.to.join() &&
    withoutTimes(one.output) === withoutTimes(other.output)
  );
}

const withoutTimes = (output: StepView["output"]): string =>
  JSON.stringify(output, (key, value: unknown) => (key === "duration_ms" ? undefined : value));
