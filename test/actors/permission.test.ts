import { describe, expect, test } from "vitest";
import { permissionFor } from "../../src/actors/permission.ts";
import type { Sandbox } from "../../src/actors/sandbox.ts";
import { signature, type Call } from "../../src/contracts/call.ts";
import { startingTurn } from "../../src/machine/turn.start.ts";
import { defaultLimits } from "../../src/machine/turn.limits.ts";
import type { Turn } from "../../src/machine/turn.types.ts";
import { defineSkill } from "../../src/skills/library.ts";
import type { Effect } from "../../src/session/entry.ts";
import type { Tool } from "../../src/skills/skill.ts";
import type { Grant, Trust, TrustState } from "../../src/skills/trust.ts";

const call: Call = { name: "wipe", input: { path: "a.txt" } };
const inBubblewrap: Sandbox = { kind: "bubblewrap", file: "/usr/bin/bwrap" };
const inNothing: Sandbox = { kind: "none", why: "it is switched off" };
const nothing: Grant = { network: false, environment: [], unsandboxed: false };
const hash = "0123456789abcdef";

const toolOf = (effect: Effect): Tool => ({
  name: "wipe",
  skill: "cleaner",
  description: "Wipes.",
  schema: { type: "object", properties: {}, required: [], additionalProperties: false },
  effect,
  exclusive: [],
  runtime: "python",
  file: "/skills/cleaner/scripts/wipe.py",
  command: [],
  arguments: [],
});

function ask(
  state: TrustState,
  given: {
    effect?: Effect;
    sandbox?: Sandbox;
    allowed?: string[];
    allowedTools?: string[];
    allow?: string[];
  } = {},
) {
  const skill = defineSkill({
    name: "cleaner",
    description: "Cleans.",
    origin: "project",
    folder: "/skills/cleaner",
    allowedTools: given.allowedTools ?? [],
    needs: { network: true, environment: ["TOKEN"] },
  });
  const granted: [string, Grant][] = [];
  const trust: Trust = {
    stateOf: () => state,
    grant: (_skill, what, grant) => granted.push([what, grant]),
    revoke: () => false,
  };
  const start = startingTurn({
    messages: [],
    loaded_skills: [],
    question: "?",
    nonce: "0",
    skills: [],
    limits: defaultLimits,
  });
  const turn: Turn = { ...start, allowed: given.allowed ?? [] };
  const known = {
    call,
    tool: toolOf(given.effect ?? "read"),
    skill,
    sandbox: given.sandbox ?? inBubblewrap,
  };
  return { permission: permissionFor(known, turn, { trust, allow: given.allow ?? [] }), granted };
}

describe("a script of a folder that is not trusted", () => {
  test("is asked about before it runs, with all that a yes would let it do", () => {
    expect(ask({ state: "new", hash })).toEqual({
      permission: {
        kind: "needs_permission",
        question: [
          'wipe path="a.txt"',
          'It is a script of the skill "cleaner" (project), whose folder was never trusted: /skills/cleaner',
          "The skill asks for the network, TOKEN.",
          "It runs in a sandbox: it may read its own folder, and change only the folder you are in.",
          "Trust the folder as it is now (0123456789ab), and run it?",
        ].join("\n"),
        trusts: "cleaner@0123456789abcdef",
      },
      granted: [],
    });
  });

  test("that destroys something is asked about once, for both", () => {
    const { permission } = ask(
      { state: "changed", hash },
      { effect: "destructive", sandbox: inNothing },
    );
    expect(permission).toEqual({
      kind: "needs_permission",
      question: [
        'wipe path="a.txt"',
        "This changes or deletes what is there. Run it?",
        'It is a script of the skill "cleaner" (project), whose folder has changed since it was trusted: /skills/cleaner',
        "The skill asks for the network, TOKEN.",
        "There is no sandbox (it is switched off): the script can do whatever you can.",
        "Trust the folder as it is now (0123456789ab), and run it?",
      ].join("\n"),
      trusts: "cleaner@0123456789abcdef",
    });
  });

  test("runs after a yes to just this content, and what was asked for is granted", () => {
    const grant = { network: true, environment: ["TOKEN"], unsandboxed: false };
    expect(ask({ state: "new", hash }, { allowed: [signature(call), `cleaner@${hash}`] })).toEqual({
      permission: grant,
      granted: [[hash, grant]],
    });
  });

  test("is asked about again after a yes to another content, or to the call alone", () => {
    const others = [[signature(call)], [signature(call), "cleaner@fedcba"], [`other@${hash}`]];
    const asked = others.map((allowed) => ask({ state: "new", hash }, { allowed }));
    expect(asked.map(({ permission }) => "kind" in permission && permission.kind)).toEqual([
      "needs_permission",
      "needs_permission",
      "needs_permission",
    ]);
    expect(asked.flatMap(({ granted }) => granted)).toEqual([]);
  });

  test("that has no hash never runs, whatever was allowed", () => {
    const state = {
      state: "unpinnable",
      reason: "it holds more than 64 MiB; make it smaller",
    } as const;
    expect(ask(state, { allowed: [signature(call), "cleaner@"] }).permission).toEqual({
      kind: "failed",
      problem: {
        code: "script_not_started",
        tool: "wipe",
        reason:
          "the folder of the skill cleaner cannot be trusted: it holds more than 64 MiB; make it smaller",
      },
      effect: "read",
      observation: null,
    });
  });
});

describe("a script of a trusted folder", () => {
  test("runs with what was granted, and no more", () => {
    expect(ask({ state: "trusted", hash, grant: nothing }).permission).toEqual(nothing);
  });

  test("is asked about where there is no sandbox, unless that was granted, too", () => {
    const { permission } = ask({ state: "trusted", hash, grant: nothing }, { sandbox: inNothing });
    expect(permission).toMatchObject({ kind: "needs_permission", trusts: `cleaner@${hash}` });
    const grant = { ...nothing, unsandboxed: true };
    expect(ask({ state: "trusted", hash, grant }, { sandbox: inNothing }).permission).toEqual(
      grant,
    );
  });

  test.each([
    ["nothing", {}, "needs_permission"],
    ["--allow", { allow: ["wipe"] }, undefined],
    ["the skill's own allowed-tools", { allowedTools: ["wipe"] }, undefined],
    ["allowed-tools of another harness", { allowedTools: ["Bash(wipe *)"] }, "needs_permission"],
    ["a yes", { allowed: [signature(call)] }, undefined],
  ])("that destroys something is spared the question by %s: %j", (_what, given, kind) => {
    const { permission } = ask(
      { state: "trusted", hash, grant: nothing },
      { effect: "destructive", ...given },
    );
    expect("kind" in permission ? permission.kind : undefined).toBe(kind);
  });

  test("allowed-tools of an untrusted folder spare nothing", () => {
    const { permission } = ask(
      { state: "new", hash },
      { effect: "destructive", allowedTools: ["wipe"] },
    );
    expect(permission).toMatchObject({ kind: "needs_permission", trusts: `cleaner@${hash}` });
  });
});
