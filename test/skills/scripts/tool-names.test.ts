import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { nameTools } from "../../../src/skills/scripts/tool-names.ts";

const script = (skill: string, stem: string, ...command: string[]) => ({ skill, stem, command });

test.each([
  ["a stem that is free", [script("tea", "make")], ["make"]],
  [
    "sub-commands",
    [script("tea", "make", "green"), script("tea", "make", "oo", "long")],
    ["make_green", "make_oo_long"],
  ],
  [
    "other characters",
    [script("tea", "make tea.now"), script("tea", "für")],
    ["make_tea_now", "f_r"],
  ],
  ["no letter that can stay", [script("tea", "天气")], ["script"]],
  ["a sub-folder", [script("tea", "pots/clean")], ["clean"]],
  [
    "two skills",
    [script("tea", "make"), script("cake", "make"), script("cake", "eat")],
    ["tea__make", "cake__make", "eat"],
  ],
  [
    "two skills, in other case",
    [script("tea", "Make"), script("cake", "make")],
    ["tea__Make", "cake__make"],
  ],
  [
    "two folders",
    [script("tea", "pots/clean"), script("tea", "cups/clean")],
    ["tea__pots_clean", "tea__cups_clean"],
  ],
  [
    "a folder and none",
    [script("tea", "clean"), script("tea", "cups/clean")],
    ["tea__clean", "tea__cups_clean"],
  ],
  [
    "two skills and two folders",
    [script("tea", "a/x"), script("tea", "b/x"), script("cake", "x")],
    ["tea__a_x", "tea__b_x", "cake__x"],
  ],
  [
    "a call of the harness",
    [script("tea", "load_skill"), script("tea", "ask_user_question")],
    ["tea__load_skill", "tea__ask_user_question"],
  ],
  ["two languages", [script("tea", "make"), script("tea", "make")], ["tea__make", "tea__make_2"]],
  [
    "a number that is taken",
    [script("tea", "make"), script("tea", "make"), script("a", "tea__make_2")],
    ["tea__make", "tea__make_3", "tea__make_2"],
  ],
  [
    "a stem that looks like a full name",
    [script("tea", "make"), script("cake", "make"), script("a", "tea__make")],
    ["tea__make", "cake__make", "a__tea__make"],
  ],
  ["a long stem", [script("tea", "x".repeat(80))], ["x".repeat(64)]],
  [
    "long skills",
    [script("a".repeat(64), "make"), script("b".repeat(64), "make")],
    [`${"a".repeat(58)}__make`, `${"b".repeat(58)}__make`],
  ],
])("%s", (_what, scripts, names) => {
  expect(nameTools(scripts)).toEqual(names);
});

const words = fc.constantFrom(
  "a",
  "b",
  "A",
  "a_b",
  "a__b",
  "load_tool",
  "d/a",
  "e/a",
  "x".repeat(70),
  "é",
  "",
);

property.prop([
  fc.array(fc.record({ skill: words, stem: words, command: fc.array(words, { maxLength: 2 }) }), {
    maxLength: 20,
  }),
])("names are always unique, short and writable, and never those of the harness", (scripts) => {
  const names = nameTools(scripts);
  expect(names).toHaveLength(scripts.length);
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(scripts.length);
  for (const name of names) expect(name).toMatch(/^(?!load_tool$)[A-Za-z0-9_-]{1,64}$/);
  expect(nameTools(scripts)).toEqual(names);
});
