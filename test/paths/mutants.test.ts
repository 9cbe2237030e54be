import { expect, test } from "vitest";
import { turnMachine } from "../../src/machine/turn.machine.ts";
import { prove } from "../../src/proof/prove.ts";
import { misguarded, retargeted, unspent, type Mutant } from "./mutants.ts";
import { golden, read, retell } from "./words.ts";

/** Mutants that nothing can tell from the chart, each with the reason. */
const equivalent: Record<string, string> = {
  "skill_call always #1 nothing_at_hand: to tool_call":
    "With nothing at hand tool_call goes on to the answer before it does anything.",
  "skill_call onDone #3 wants_nothing: to tool_call":
    "With tools at hand wants_no_skill comes first; without, tool_call goes on to the answer at once.",
  "skill_call onDone #8 fails_for_good: always true":
    "The last of its list: every other kind of reply was asked about before it.",
  "tool_call onDone #9 fails_for_good: always true":
    "The last of its list: every other kind of reply was asked about before it.",
  "tool_use onDone #5 ran_all: always true":
    "The last of its list: a call that ran with more behind it was asked about before it.",
  "ask_user_question onDone #7 replied_in_answer: always true":
    "The last of its list: a reply to any other task was asked about before it.",
  "fail_recovery onDone #2 back_to_answer: always true":
    "The last of its list: the two other tasks to go back to were asked about before it.",
  "answer onDone #6 fails_for_good: always true":
    "The last of its list: every other kind of reply was asked about before it.",
};

const paths = [...golden("golden.txt"), ...golden("more.txt")].map((words) => ({
  words,
  told: read(words),
}));
const limits = { max_retries: 3, max_steps: 12, max_asks: 3 };

/** Whether anything finds a mutant out. The proof is asked last, and not about the known ones: it takes seconds. */
function isKilled({ name, machine: build }: Mutant): boolean {
  const machine = build();
  for (const { words, told } of paths)
    try {
      if (retell(machine, told) !== words) return true;
    } catch {
      return true; // The changed chart cannot even run.
    }
  return !(name in equivalent) && prove({ limits, machine }).cycle !== null;
}

test("the chart that ships passes what the mutants must fail", () => {
  expect(paths.filter(({ words, told }) => retell(turnMachine, told) !== words)).toStrictEqual([]);
});

const known = Object.keys(equivalent);
const knownOf = (what: string) => known.filter((name) => name.includes(what));

test.each([
  // Of 448 changed targets 446 are found out, and so on.
  ["targets", retargeted(), knownOf(": to "), 448, 446],
  ["guards", misguarded(), knownOf(": always "), 98, 92],
  ["budgets", unspent(), [], 7, 7],
])(
  "%s changed one at a time: every mutant is killed or known",
  (_what, mutants, same, all, killed) => {
    const survivors = mutants.filter((mutant) => !isKilled(mutant)).map(({ name }) => name);
    expect(survivors).toStrictEqual(same);
    expect([mutants.length, mutants.length - survivors.length]).toStrictEqual([all, killed]);
  },
);
