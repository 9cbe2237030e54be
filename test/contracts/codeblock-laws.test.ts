import { fc } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { Call, Json, JsonObject } from "../../src/contracts/call.ts";
import { codeblock } from "../../src/contracts/codeblock.ts";
import type { Expects, Finish } from "../../src/contracts/contract.ts";
import { replyCases } from "./cases.ts";
import { completeAfter, read, readPieces } from "./read.ts";

const block = '```json\n{"tool_use":[{"name":"a","input":{"t":"```\\n"}}]}\n```';

/** Texts made of what replies are made of: fences, JSON, tags, markers, line ends, odd characters. */
const fragment = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      "```json\n",
      "```\n",
      "```",
      "\n",
      "\r\n",
      " ",
      "~~~",
      "`",
      "````",
      "```js\n",
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '{"tool_use":[',
      '{"name":"a","input":{}}',
      "]}",
      "[",
      "{",
      '"',
      "\\",
      '"a":',
      ",",
      block,
      "[]",
      "1",
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      "<think>",
      "</think>",
      "<THOUGHT>",
      "</thought>",
      "<|channel>thought",
      "<channel|>",
      "so\n</think>\n\n",
      "<thi",
      "[THINK]",
      "[/THINK]",
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "<tool_call>",
      "CALL a b=1",
      "Action: a\nAction Input: {}",
      "<a_b><c>1</c></a_b>",
      "[TOOL_CALLS]",
      "<|python_tag|>",
      "<function=a>",
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "\nUser: hi",
      "<|im_end|>",
      "<eos>",
      "\uFEFF",
      "\ud800",
      "\u2028",
      "好。",
      "I will check. ",
      "Sure.",
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 6 }) },
  { weight: 1, arbitrary: fc.nat({ max: 70 }).map((count) => "go on ".repeat(count)) },
);
const reply = fc.array(fragment, { maxLength: 14 }).map((parts) => parts.join(""));
const expects = fc.constantFrom<Expects>("calls", "text");
const finish = fc.constantFrom<Finish>("stop", "length", "content_filter");

function split(text: string, cuts: readonly number[]): string[] {
  const at = [
    0,
    ...cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b),
    text.length,
  ];
  return at.slice(1).map((end, index) => text.slice(at[index], end));
}

const cuts = fc.array(fc.nat(), { maxLength: 8 });

describe("any split of a text is read as the whole", () => {
  test("generated texts", () => {
    fc.assert(
      fc.property(reply, cuts, expects, finish, (text, places, wants, ended) => {
        const whole = read(text, wants, ended);
        expect(readPieces(split(text, places), wants, ended)).toEqual(whole);
        expect(readPieces(text.split(""), wants, ended)).toEqual(whole);
      }),
      { numRuns: 2000 },
    );
  });

  test.each(replyCases)("$id at every place, and letter by letter", ({ output }) => {
    for (const wants of ["calls", "text"] as const) {
      const whole = read(output, wants);
      for (let cut = 0; cut <= output.length; cut += 1) {
        expect(readPieces([output.slice(0, cut), output.slice(cut)], wants)).toEqual(whole);
      }
      expect(readPieces(output.split(""), wants)).toEqual(whole);
    }
  });
});

function kindOf(text: string): string {
  const { verdict } = read(text, "calls");
  return verdict.kind === "refused" ? verdict.problem.code : verdict.kind;
}

describe("complete", () => {
  test("does not depend on the split, and stays", () => {
    fc.assert(
      fc.property(reply, cuts, (text, places) => {
        const reader = codeblock.reader("calls");
        const flags = split(text, places).map((piece) => reader.write(piece).complete);
        expect(flags.includes(true)).toBe(completeAfter(text) !== null);
        expect(flags.slice(flags.indexOf(true)).includes(false)).toBe(!flags.includes(true));
      }),
      { numRuns: 1000 },
    );
  });

  test("comes with the first readable block, or when none can come any more", () => {
    const unreadable = ["bad_json", "duplicate_key", "wrong_shape", "schema_echo", "degenerate"];
    fc.assert(
      fc.property(reply, (text) => {
        const after = completeAfter(text);
        // A block can only become readable with a back-tick, so only there it is worth looking.
        const ends = [...text.matchAll(/`/g)].map(({ index }) => index + 1);
        const readable = ends.find((end) => kindOf(text.slice(0, end)) === "calls");
        const kind = kindOf(text.slice(0, after ?? 0));
        expect(after === null || kind === "calls" || unreadable.includes(kind)).toBe(true);
        expect(readable ?? after).toBe(after);
      }),
      { numRuns: 1000 },
    );
  });
});

const json = fc
  .jsonValue({ stringUnit: "binary", maxDepth: 4 })
  .map((value) => JSON.parse(JSON.stringify(value)) as Json);
const content = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("```\n", "\n```json\n", "\u2028", "🙂", "</think>", "<tool_call>", "<|im_end|>"),
  fc.constantFrom(String.raw`\d`, "\ud800", '"', "\\"),
);
const input = fc
  .dictionary(content, fc.oneof(content, json), { maxKeys: 5, noNullPrototype: true })
  .filter((object) => !/"__proto__"|"constructor"/.test(JSON.stringify(object)))
  .map((object): JsonObject => object);
const name = content.filter((text) => text !== "");
const call: fc.Arbitrary<Call> = fc.record({ name, input }, { noNullPrototype: true });

describe("the contract's own form", () => {
  test("is read back as it was written, and complete at its end", () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 4 }), (list) => {
        const written = codeblock.format(list);
        expect(read(written, "calls").verdict).toEqual({ kind: "calls", calls: list });
        expect(completeAfter(written)).toBe(written.length);
      }),
      { numRuns: 500 },
    );
  });

  test("is no answer", () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 3 }), (list) => {
        expect(read(codeblock.format(list), "text").verdict).toEqual({
          kind: "refused",
          problem: { code: "block_in_answer" },
        });
      }),
    );
  });
});

test("no text makes a reader throw", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 300 }),
      expects,
      finish,
      (any, wants, ended) => {
        expect(["calls", "text", "refused"]).toContain(read(any, wants, ended).verdict.kind);
      },
    ),
  );
});

test("an answer never holds an envelope, and a reply to a task that wants calls is never text", () => {
  fc.assert(
    fc.property(reply, finish, (any, ended) => {
      const { verdict } = read(any, "text", ended);
      expect(verdict.kind).not.toBe("calls");
      const shown = verdict.kind === "text" ? verdict.text : "";
      expect(shown).not.toMatch(/^\{\s*"tool_use"/m);
      expect(read(any, "calls", ended).verdict.kind).not.toBe("text");
    }),
    { numRuns: 1000 },
  );
});
