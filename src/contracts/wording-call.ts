import { argumentFaults } from "./wording-argument.ts";
import { quoted } from "./quote.ts";
import { nameList, oneLine, type WordsFor } from "./wording.ts";

type JsonCode = "bad_json" | "duplicate_key" | "forbidden_key" | "wrong_shape";
type CallCode =
  | "question_not_alone"
  | "unknown_tool"
  | "unknown_skill"
  | "skill_not_loaded"
  | "unknown_reference"
  | "unsafe_reference"
  | "bad_argument";
type ScriptCode = "script_failed" | "script_timed_out" | "script_not_started" | "interrupted";

/** What is wrong inside a block. */
export const jsonWords: WordsFor<JsonCode> = {
  bad_json: ({ reason, line, column }) => ({
    summary: `the JSON was broken at line ${line}, column ${column}: ${oneLine(reason, 120)}`,
    fault: `The JSON is broken at line ${line}, column ${column}: ${oneLine(reason, 120)}.`,
    fix: "Correct that place.",
    shows: "call",
  }),
  duplicate_key: ({ key, line, column }) => ({
    summary: `the key ${quoted(key, 40)} came twice in one object`,
    fault: `The key ${quoted(key, 40)} comes a second time at line ${line}, column ${column}.`,
    fix: "Write each key once.",
    shows: "call",
  }),
  forbidden_key: ({ key, line, column }) => ({
    summary: `the key ${quoted(key, 40)} is not allowed`,
    fault: `The key ${quoted(key, 40)} at line ${line}, column ${column} is not allowed.`,
    fix: "Leave it out.",
    shows: "call",
  }),
  wrong_shape: ({ at, expected, found }) => ({
    summary: `${oneLine(at, 40)} should be ${oneLine(expected, 80)}, but was ${oneLine(found, 120)}`,
    fault: `In your JSON, ${oneLine(at, 40)} must be ${oneLine(expected, 80)}, but it was ${oneLine(found, 120)}.`,
    fix: "Keep to the form.",
    shows: "call",
  }),
};

/** What the calls of a well-written reply ask for. */
export const callWords: WordsFor<CallCode> = {
  question_not_alone: () => ({
    summary: "the question to the user did not come alone",
    fault: "You asked the user and called a tool in one list.",
    fix: "The reply may change the rest, so ask first and alone.",
    shows: "call",
  }),
  unknown_tool: ({ name, known, nearest }) => ({
    summary: `no tool named ${quoted(name, 60)}`,
    fault: `There is no tool named ${quoted(name, 60)}.`,
    effect: "That call did not run.",
    fix: choice("The tools are", known, nearest),
    shows: "call",
  }),
  unknown_skill: ({ name, known, nearest }) => ({
    summary: `no skill named ${quoted(name, 60)}`,
    fault: `There is no skill named ${quoted(name, 60)}.`,
    effect: "It was not loaded.",
    fix: choice("The skills are", known, nearest),
    shows: "call",
  }),
  skill_not_loaded: ({ name, loaded }) => ({
    summary: `the skill ${quoted(name, 60)} is not loaded`,
    fault: `The skill ${quoted(name, 60)} is not loaded.`,
    effect: "Nothing was read.",
    fix: choice("Loaded are", loaded, undefined),
    shows: "call",
  }),
  unknown_reference: ({ skill, path, known, nearest }) => ({
    summary: `the skill ${quoted(skill, 60)} has no reference ${quoted(path)}`,
    fault: `The skill ${quoted(skill, 60)} has no reference ${quoted(path)}.`,
    effect: "Nothing was read.",
    fix: choice("Its references are", known, nearest),
    shows: "call",
  }),
  unsafe_reference: ({ skill, path }) => ({
    summary: `the path ${quoted(path)} leads out of the skill ${quoted(skill, 60)}`,
    fault: `The path ${quoted(path)} leads out of the skill ${quoted(skill, 60)}.`,
    effect: "Nothing was read.",
    fix: "Use a path from the skill's list of references, exactly as it stands there.",
    shows: "call",
  }),
  bad_argument: ({ tool, faults }) => ({
    summary: `wrong input for ${quoted(tool, 60)}: ${argumentFaults(faults)}`,
    fault: `The input for ${quoted(tool, 60)} is wrong: ${argumentFaults(faults)}.`,
    effect: "That call did not run.",
    fix: "Keep the other values.",
    shows: "call",
  }),
};

/** "Did you mean …? The tools are: …" */
function choice(intro: string, known: readonly string[], nearest: string | undefined): string {
  const hint = nearest === undefined ? "" : `Did you mean ${quoted(nearest, 60)}? `;
  return `${hint}${intro}: ${nameList(known)}.`;
}

/** What running a call did. */
export const scriptWords: WordsFor<ScriptCode> = {
  script_failed: ({ tool, exit_code, signal }) => {
    const how = ending(exit_code, signal);
    return {
      summary: `the script ${how}`,
      fault: `The script ${quoted(tool, 60)} ${how}. It may have done a part of its work.`,
      fix: "If its output says what was wrong with the input, call it again with a corrected input.",
      shows: "end",
    };
  },
  script_timed_out: ({ tool, timeout_ms }) => ({
    summary: `the script was stopped after ${timeout_ms / 1000} seconds`,
    fault: `The script ${quoted(tool, 60)} was stopped after ${timeout_ms / 1000} seconds. It may have done a part of its work.`,
    fix: "Call it again only with a smaller task.",
    shows: "end",
  }),
  script_not_started: ({ tool, reason }) => ({
    summary: `the script could not be started: ${oneLine(reason, 160)}`,
    fault: `The script ${quoted(tool, 60)} could not be started: ${oneLine(reason, 160)}. It did not run.`,
    fix: "Call it again only with an input that mends this; otherwise use another tool if there is one.",
    shows: "end",
  }),
  interrupted: ({ tool }) => ({
    summary: "it was interrupted, and its outcome is unknown",
    fault: `The script ${quoted(tool, 60)} was interrupted. Nobody knows whether it did its work, a part of it or nothing.`,
    fix: "Look first at what is there now, if a tool can show it. Do not call it again before you know.",
    shows: "end",
  }),
};

function ending(exitCode: number | null, signal: string | null): string {
  if (exitCode !== null) return `failed with exit code ${exitCode}`;
  return signal === null ? "failed" : `was ended by the signal ${quoted(signal, 20)}`;
}
