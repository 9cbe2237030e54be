import { describe, expect, test } from "vitest";
import type { Call } from "../../src/contracts/call.ts";
import { effectsHappened, ledger } from "../../src/guardrails/ledger.ts";
import type { Effect, Entry, Notice } from "../../src/session/entry.ts";

const call = (name: string): Call => ({ name, input: { title: "plan" } });
const result = (name: string, effect: Effect, output: string): Entry => ({
  kind: "result",
  call: call(name),
  effect,
  observation: { output, exit_code: 0, signal: null, duration_ms: 5 },
});
const failure = (name: string, effect: Effect = "write"): Entry => ({
  kind: "failure",
  call: call(name),
  effect,
  problem: { code: "script_timed_out", tool: name, timeout_ms: 1_000 },
  observation: null,
  attempt: 1,
});
const notice = (value: Notice): Entry => ({ kind: "notice", notice: value });

describe("the ledger", () => {
  test("lists what became of each call, in order", () => {
    const log: Entry[] = [
      { kind: "skill", name: "notes" },
      result("find", "read", "No notes found."),
      result("read", "read", "milk"),
      result("save", "write", "saved"),
      failure("send"),
      notice({ code: "dropped", calls: [call("list")] }),
      notice({ code: "denied", call: call("delete") }),
      { kind: "reply", text: "no" },
      notice({ code: "max_steps", undone: [call("rename"), call("copy")] }),
    ];
    expect(ledger(log)).toEqual([
      { call: call("find"), effect: "read", outcome: "empty", detail: null },
      { call: call("read"), effect: "read", outcome: "done", detail: null },
      { call: call("save"), effect: "write", outcome: "done", detail: null },
      { call: call("send"), effect: "write", outcome: "failed", detail: "script_timed_out" },
      { call: call("list"), effect: "write", outcome: "not_run", detail: null },
      { call: call("delete"), effect: "write", outcome: "denied", detail: null },
      { call: call("rename"), effect: "write", outcome: "not_run", detail: null },
      { call: call("copy"), effect: "write", outcome: "not_run", detail: null },
    ]);
  });

  test("leaves out an ill-formed call once its tool was called well, and only then", () => {
    const slip = (name: string): Entry => ({
      kind: "failure",
      call: call(name),
      effect: "read",
      problem: { code: "bad_argument", tool: name, faults: [] },
      observation: null,
      attempt: 1,
    });
    expect(ledger([slip("read"), result("read", "read", "milk")])).toEqual([
      { call: call("read"), effect: "read", outcome: "done", detail: null },
    ]);
    expect(ledger([result("read", "read", "milk"), slip("read"), slip("find")])).toEqual([
      { call: call("read"), effect: "read", outcome: "done", detail: null },
      { call: call("read"), effect: "read", outcome: "failed", detail: "bad_argument" },
      { call: call("find"), effect: "read", outcome: "failed", detail: "bad_argument" },
    ]);
  });

  test("of nothing is empty", () => {
    expect(ledger([])).toEqual([]);
    expect(ledger([notice({ code: "max_asks", question: "Which one?" })])).toEqual([]);
  });

  test("leaves out the harness's own tools", () => {
    const log = ["load_skill", "load_skill_extension", "load_tool", "ask_user_question"].flatMap(
      (name) => [
        result(name, "read", "text"),
        failure(name, "read"),
        notice({ code: "dropped", calls: [call(name)] }),
      ],
    );
    expect(ledger(log)).toEqual([]);
  });

  test("lists a call that was put off only if it was not done before or after, and once", () => {
    const dropped = notice({ code: "dropped", calls: [call("save"), call("list")] });
    const going = notice({ code: "going_round", calls: [call("read"), call("list")] });
    expect(
      ledger([result("read", "read", "milk"), dropped, result("save", "write", "saved"), going]),
    ).toEqual([
      { call: call("read"), effect: "read", outcome: "done", detail: null },
      { call: call("list"), effect: "write", outcome: "not_run", detail: null },
      { call: call("save"), effect: "write", outcome: "done", detail: null },
    ]);
  });

  test("lists a call that failed and was then done with both", () => {
    expect(
      ledger([failure("save"), result("save", "write", "saved")]).map(({ outcome }) => outcome),
    ).toEqual(["failed", "done"]);
  });

  test("does not list a repeat that was skipped", () => {
    const skipped = notice({ code: "already_done", call: call("read") });
    const repeats = notice({ code: "only_repeats", calls: [call("read")] });
    expect(ledger([result("read", "read", "milk"), skipped, repeats])).toHaveLength(1);
  });

  test("takes a change that printed nothing for done, and a read for empty", () => {
    expect(ledger([result("delete", "destructive", "\n"), result("read", "read", "\n")])).toEqual([
      { call: call("delete"), effect: "destructive", outcome: "done", detail: null },
      { call: call("read"), effect: "read", outcome: "empty", detail: null },
    ]);
  });
});

describe("effects happened", () => {
  test.each([
    ["a write that was done", [result("save", "write", "saved")], true],
    ["a destructive call that printed nothing", [result("delete", "destructive", "")], true],
    ["only a read", [result("read", "read", "milk")], false],
    ["a write that found nothing to change", [result("replace", "write", "0 matches")], false],
    ["a write that failed", [failure("save")], false],
    ["a write the user refused", [notice({ code: "denied", call: call("delete") })], false],
    ["nothing", [], false],
  ] satisfies [string, Entry[], boolean][])("with %s", (_what, log, happened) => {
    expect(effectsHappened(log)).toBe(happened);
  });
});
