import { fc } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { createMatcher } from "../../src/backends/matcher/match.ts";
import { fileOps, shippedLike, skill, tellJoke, tool } from "./offline-skills.ts";

const match = createMatcher(shippedLike);

describe("every decline has its reason", () => {
  test.each<[string, string, object]>([
    ["a verb of no tool", "summarise README.md", { code: "unknown_words", words: ["summarise"] }],
    [
      "a known word out of place",
      "delete notes.txt and a.txt",
      { code: "not_understood", word: "and" },
    ],
    [
      "text without quotes",
      "create notes.txt with hello",
      { code: "missing", tool: "create_file", property: "content", isQuoted: true },
    ],
    [
      "no path",
      "delete",
      { code: "missing", tool: "delete_file", property: "path", isQuoted: false },
    ],
    [
      "a question about a change",
      "delete notes.txt?",
      { code: "only_asked_about", tool: "delete_file" },
    ],
    ["nothing", "", { code: "not_understood", word: null }],
    ["220,000 characters", "read a.txt ".repeat(20_000), { code: "too_long" }],
    ["one hundred words", "a.txt ".repeat(100), { code: "too_long" }],
  ])("%s", (_title, request, reason) => {
    expect(match(request)).toEqual({ kind: "declined", reason });
  });

  test("two tools that both fit are named, and neither runs", () => {
    const other = skill(
      "rival",
      [tool("rival", "rival__tell_joke", "Tells jokes.", {})],
      ["rival__tell_joke: tell me a joke"],
    );
    expect(createMatcher([tellJoke, other])("tell me a joke")).toEqual({
      kind: "declined",
      reason: {
        code: "several",
        calls: [
          { name: "tell_joke", input: {} },
          { name: "rival__tell_joke", input: {} },
        ],
      },
    });
  });
});

describe("skills of any kind are matched by their own words", () => {
  const weather = skill(
    "weather",
    [
      tool("weather", "get_weather", "Gives the weather for a city.", {
        city: { type: "string", description: "the city", required: true },
        unit: {
          type: "string",
          enum: ["celsius", "fahrenheit"],
          default: "celsius",
          required: true,
        },
        days: { type: "integer", minimum: 1, maximum: 7 },
      }),
    ],
    [
      "get_weather: what's the weather in Paris?",
      "get_weather: how warm is it in Oslo?",
      "get_weather: how cold is it in Oslo?",
    ],
  );
  const ask = createMatcher([weather, fileOps]);

  test('a capitalised name after "in" is a text, and a required property with a default is filled', () => {
    expect(ask("what is the weather in New York?")).toEqual({
      kind: "call",
      skill: "weather",
      call: { name: "get_weather", input: { city: "New York", unit: "celsius" } },
    });
  });

  test.each([
    "what's the weather?",
    "what's the weather in Paris and Rome?",
    "what was the weather in Paris?",
  ])("%s is declined", (request) => {
    expect(ask(request).kind).toBe("declined");
  });

  test("a tool whose script says nothing of its effect is taken at its exact words", () => {
    const lamp = skill(
      "lamp",
      [
        tool(
          "lamp",
          "switch_on",
          "Switches a lamp on.",
          { lamp: { type: "string", required: true } },
          "write",
        ),
      ],
      ['switch_on: turn on the "desk" lamp'],
    );
    const turn = createMatcher([lamp]);
    expect(turn('turn on the "hall" lamp').kind).toBe("call");
    expect(turn('turn off the "hall" lamp').kind).toBe("declined");
    expect(turn('turn the "hall" lamp on').kind).toBe("declined");
  });

  test("a number outside of its limits is not taken", () => {
    expect(match("list the files in docs with depth 20").kind).toBe("call");
    expect(match("list the files in docs with depth 21").kind).toBe("declined");
  });

  test("properties that exclude each other are not given together", () => {
    const picky = tool("p", "show_part", "Shows a part.", {
      head: { type: "boolean" },
      tail: { type: "boolean" },
    });
    const part = createMatcher([
      skill("p", [{ ...picky, exclusive: [{ names: ["head", "tail"], required: true }] }], []),
    ]);
    expect(part("show part head")).toMatchObject({ call: { input: { head: true } } });
    expect(part("show part head tail").kind).toBe("declined");
    expect(part("show part").kind).toBe("declined");
  });
});

describe("references of a skill without tools", () => {
  test.each([
    ["what are pandas gotchas?", "references/pandas-gotchas.md"],
    ["show me the statistics basics", "references/statistics-basics.md"],
    ["read the metrics reference", "references/metrics.md"],
  ])("%s names one in full", (request, path) => {
    expect(match(request)).toEqual({ kind: "reference", skill: "ds-mentor", path });
  });
});

describe("whatever is asked", () => {
  test("any text gives a match, always the same one", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 300 });
    fc.assert(
      fc.property(text, (given) => {
        expect(match(given)).toEqual(match(given));
      }),
    );
  });

  test("one unknown word, before or behind, is enough to decline", () => {
    const request = fc.constantFrom(
      "delete notes.txt",
      "read a.md",
      "tell me a joke",
      "list the files in docs",
    );
    const word = fc
      .stringMatching(/^[b-hj-z]{4,9}$/)
      .filter((given) => !/^(?:please|thanks|kindly|here)$/.test(given));
    fc.assert(
      fc.property(request, word, (asked, unknown) => {
        expect(match(`${unknown} ${asked}`).kind).toBe("declined");
        expect(match(`${asked} ${unknown}`).kind).toBe("declined");
      }),
    );
  });
});
