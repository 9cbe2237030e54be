import { expect, test } from "vitest";
import { fold } from "../../src/journal/fold.ts";
import { readLines } from "../../src/journal/line.ts";
import { replayFault } from "../../src/journal/replay.ts";
import { machineHash } from "../../src/machine/machine-hash.ts";
import { journalText, session } from "../helpers/journal.ts";
import { input } from "../helpers/turn.ts";

const ended = (digest: string | null, machine = machineHash()) =>
  fold(
    readLines(
      journalText([
        session,
        {
          type: "turn",
          machine,
          models: { skill_call: "m", tool_call: "m", answer: "m" },
          contract: "codeblock",
          skills: [],
          input: input(),
          settings: {},
        },
        { type: "abort", by: "user" },
        { type: "end", state: "stopped", digest },
      ]),
    ),
  );

test("a turn that ends as another is told at its first line", () => {
  const folded = ended("0123456789abcd");
  expect(folded.fault).toBeNull();
  expect(replayFault(folded)).toMatchObject({
    line: 2,
    why: expect.stringContaining("was 0123456789abcd"),
  });
});

test("a turn without a digest is compared by its states alone", () => {
  expect(replayFault(ended(null))).toBeNull();
});

test("a turn of another machine is refused with advice", () => {
  expect(ended(null, "00000000deadbeef").fault).toStrictEqual({
    line: 2,
    why: `this turn was taken by another version of the machine (00000000deadbeef; this one is ${machineHash()}): use the version of broharness that wrote it`,
  });
});
