import { describe, expect, test } from "vitest";
import { isEmptyResult } from "../../src/guardrails/empty-result.ts";

const empty = [
  "",
  " ",
  "\n\n",
  "\r\n\t",
  "[]",
  "[ ]\n",
  "{}",
  "{\n}",
  '""',
  "''",
  "null",
  "NULL",
  "None",
  "nil",
  "undefined",
  "N/A",

  "nothing",
  "Nothing.",
  "(empty)",
  "<empty>",
  "(no output)",
  "No output",
  "no data",
  "Not found.",
  "not found",

  "0 matches",
  "0 matches.",
  "0 results",
  "0 rows",
  "(0 rows)",
  "zero results",
  "No matches",
  "no match",
  "No results.",
  "NO RESULTS",

  "No results found.",
  "No files found.",
  "No files found!",
  "no notes yet",
  "No such notes found",
  "No matching files found",

  "No notes were found.",
  "No entries available",
  "No text files found in notes/",
  "No results for foo",
  'No results found for "foo bar"',

  "No files match *.txt",
  "Found 0 matches",
  "Found no files.",
  "found nothing",
  "Returned no rows",
  "There are no notes.",
  "There are currently no tasks.",

  "Nothing found",
  "Nothing found.",
  "nothing found for foo",
  "Nothing was found.",
  "nothing to show",
  "None found.",

  "I could not find any notes.",
  "Couldn’t find anything.",
  "Could not find any files matching x.txt",
  "did not find anything",

  "matches: 0",
  "Total: 0",
  "Results: none",
  "files: []",
  "count = 0",
  "The folder is empty.",
  "The result list is empty",
  "Inbox is empty",

  '{"results": []}',
  '{"files": [], "count": 0}',
  '{"items": [], "next": null, "total": 0}',
  '{"data": {}}',
  "**No results found.**",
];

const notEmpty = [
  "0",
  "no",
  "No.",
  "false",
  "true",
  "-1",
  "0.0",
  "a",
  "x = 0",
  "[0]",
  "[null]",
  "[[1]]",
  '{"temperature": 0}',
  '{"ok": true}',
  '{"error": null}',

  "1 match",
  "10 matches",
  "20 results",
  "100 rows",
  "2 files found",
  "[1]",
  '{"results": [1]}',
  '{"count": 3, "files": []}',

  "No errors found.",
  "0 errors",
  "no problems",
  "No conflicts",
  "no changes",

  "No such file or directory",
  "No permission",
  "No problem!",
  "No meat, no milk",
  "None of your business",
  "nothing else matters",

  "No files found, but 3 notes match.",
  "No results found. Did you mean plan?",
  "No files found: error 13",
  "No results in a; 3 in b",

  "a.txt\nNo files found.",
  "No files found.\na.txt",
  "The note is about an empty folder.",
  "Nothing was found by Ann in 1922, they say. She went on.",

  "The list is empty. It was full once.",
  "null pointer",
  "None Smith",
  "empty the bin",
  "{broken",
  '{"results": [], "hint": "try again"}',

  `No results found for ${"x".repeat(300)}`,
];

describe("an output that stands for nothing", () => {
  test.each(empty)("%j", (output) => {
    expect(isEmptyResult(output)).toBe(true);
  });
});

describe("an output that says something", () => {
  test.each(notEmpty)("%j", (output) => {
    expect(isEmptyResult(output)).toBe(false);
  });
});

test.each(["[", "{", '{"a":', "no ", "(", " ", "0 matches "])(
  "200 kB of %j are read in one go",
  (piece) => {
    const long = piece.repeat(Math.ceil(200_000 / piece.length));
    expect(isEmptyResult(`${long}x`)).toBe(false);
  },
);
