import { expect, test } from "vitest";
import { clipOutput } from "../../src/prompts/clip.ts";
import { callLine, noticeText } from "../../src/prompts/notice.ts";
import { render } from "../../src/prompts/render.ts";

test("holes are filled once, with the text as it is", () => {
  expect(render("a {{x}} b {{y}}\n", { x: "{{y}} $& $1", y: "2" })).toBe("a {{y}} $& $1 b 2");
});

test("a hole without a value is a bug", () => {
  expect(() => render("{{x}}", {})).toThrow("prompt hole {{x}} has no value");
});

test("a value without a hole is a bug", () => {
  expect(() => render("x", { y: "1" })).toThrow("prompt has no hole for: y");
});

test("a long output keeps its head and its tail and says what is missing", () => {
  expect(clipOutput("abcdefghijkl", 8)).toBe(
    "abcdef\n[… 4 characters left out; a call for a smaller part may show them …]\nkl",
  );
  expect(clipOutput("abcdefgh", 8)).toBe("abcdefgh");
});

test("a call in one line cuts long values at whole letters", () => {
  expect(callLine({ name: "save", input: { text: `${"x".repeat(78)}😀y` } })).toBe(
    `save text="${"x".repeat(78)}😀…`,
  );
});

test("a long output is not cut inside a letter", () => {
  expect(clipOutput(`${"a".repeat(5)}😀bcdef😀`, 8)).toBe(
    "aaaaa\n[… 7 characters left out; a call for a smaller part may show them …]\n😀",
  );
  expect(clipOutput(`${"a".repeat(9)}😀b`, 8)).toBe(
    "aaaaaa\n[… 5 characters left out; a call for a smaller part may show them …]\nb",
  );
});

test("a call in one line stays one line, whatever its names are", () => {
  expect(callLine({ name: "a\nb", input: { "x\n- y": 1 } })).toBe(String.raw`"a\nb" "x\n- y"=1`);
  const many = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`k${index}`, index]));
  expect(callLine({ name: "a", input: many })).toMatch(/k19=19 \(\+5 more\)$/);
});

test("each notice says what did not happen", () => {
  const call = { name: "delete_file", input: { path: "a.txt" } };
  const other = { name: "read_file", input: { path: "b.txt" } };
  const problem = { code: "empty" } as const;
  expect([
    noticeText({ code: "denied", call }),
    noticeText({ code: "dropped", calls: [call, other] }),
    noticeText({ code: "already_done", call }),
    noticeText({ code: "only_repeats", calls: [call] }),
    noticeText({ code: "going_round", calls: [call] }),
    noticeText({ code: "max_steps", undone: [call] }),
    noticeText({ code: "max_asks", question: "Which\none?" }),
    noticeText({ code: "max_retries", problem }),
    noticeText({ code: "no_progress", problem }),
  ]).toEqual([
    'The user said no to delete_file path="a.txt". It did not run. Do not ask for it again.',
    'These calls of the same list did not run: delete_file path="a.txt"; read_file path="b.txt".',
    'delete_file path="a.txt" is not new: what came of it stands above.',
    "Nothing in that list is new: what came of each call stands above, and none runs twice.",
    'You are calling the same things in a circle (delete_file path="a.txt"), so no more calls will run.',
    'No more calls can run in this turn. Left undone: delete_file path="a.txt". Say so in the answer.',
    'No more questions can be put to the user in this turn. Not asked: "Which\\none?"',
    expect.stringMatching(
      /^This was given up after several tries: .+\. Say so honestly in the answer\.$/,
    ),
    expect.stringMatching(
      /^This was given up, because the same reply came again and again: .+\. Say so honestly in the answer\.$/,
    ),
  ]);
});
