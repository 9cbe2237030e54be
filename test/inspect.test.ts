import { createInspector } from "@statelyai/inspect";
import { expect, test } from "vitest";
import { block, loadNotes, nothing, play, raw, read } from "./helpers/notes.ts";

const replies = [loadNotes, block(read("plan")), nothing, raw("Buy milk.")];

test("Stately's inspector is told of every state of a turn", async () => {
  const seen: string[] = [];
  const inspector = createInspector({
    send: (event) => {
      if (event.type === "@xstate.snapshot" && "value" in event.snapshot)
        seen.push(String(event.snapshot.value));
    },
  });
  await play(replies, { inspect: (event) => inspector.inspect.next?.(event) });
  // The package sends on a timer of its own.
  await expect
    .poll(() => [...new Set(seen)])
    .toEqual(["skill_call", "tool_use", "tool_call", "answer", "answered"]);
});

test("XState's raw events show flush_turn by its name", async () => {
  const actions: string[] = [];
  await play(replies, {
    inspect: (event) => {
      if (event.type === "@xstate.action") actions.push(event.action.type);
    },
  });
  expect(actions.filter((name) => name === "flush_turn")).toHaveLength(1);
});

test("an observer with a bug does not steer the turn: the run rejects with the bug", async () => {
  await expect(
    play(replies, {
      inspect: () => {
        throw new TypeError("my observer");
      },
    }),
  ).rejects.toThrow("my observer");
});
