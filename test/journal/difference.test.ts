import { expect, test } from "vitest";
import { differences } from "../../src/journal/difference.ts";
import { after, input, loadSkill, wants } from "../helpers/turn.ts";

test("what a step changed: parts of records by name, new items of lists on their own", () => {
  const before = after(input());
  const { context } = after(input(), wants("skill_call", loadSkill));
  const changed = differences(before.context, context);
  expect(changed).toContain("budget.steps 12 → 11");
  expect(changed).toContain('queue + {"name":"load_skill","input":{"skill_name":"file-ops"}}');
  expect(changed).toContain("usage.skill_call.calls 0 → 1");
  expect(differences(context, context)).toStrictEqual([]);
});

test("a long value is cut", () => {
  const { context } = after(input());
  const [line = ""] = differences(context, { ...context, attachment: "x".repeat(500) });
  expect(line).toBe(`attachment "" → "${"x".repeat(159)} …`);
});
