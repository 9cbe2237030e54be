import { signature, type Call } from "../contracts/call.ts";
import type { Turn, UseToolOutput } from "../machine/turn.types.ts";
import type { Entry } from "../session/entry.ts";
import type { Skill, Tool } from "../skills/skill.ts";
import type { Grant, Trust } from "../skills/trust.ts";
import { confirmation } from "./confirmation.ts";
import type { Sandbox } from "./sandbox.ts";
import { trustQuestion, type TrustQuestion } from "./trust-question.ts";

/** A call whose name and input are good, and what it would run with. */
export interface KnownCall {
  call: Call;
  tool: Tool;
  skill: Skill;
  sandbox: Sandbox;
}

/** A call that may run, and what its script may do. */
export interface PermittedCall extends KnownCall {
  grant: Grant;
}

/**
 * What the script of a call may do; or the question that has to be answered with yes before it may do anything. A yes
 * to a question of trust is kept here, for just the content that the question was about.
 */
export function permissionFor(
  known: KnownCall,
  turn: Turn,
  { trust, allow }: { trust: Trust; allow: readonly string[] },
): Grant | UseToolOutput {
  const { call, tool, skill, sandbox } = known;
  const isAllowed = turn.allowed.includes(signature(call));
  const why = isAllowed ? null : reasonToAsk(call, tool, turn, allow);
  const trusted = trustIn(known, turn, trust);
  if ("reason" in trusted)
    return {
      kind: "failed",
      problem: { code: "script_not_started", tool: tool.name, reason: trusted.reason },
      effect: tool.effect,
      observation: null,
    };
  const asked = why === "interrupted" ? ({ interrupted: true } as const) : {};
  if ("hash" in trusted) {
    const unsandboxed = sandbox.kind === "none" ? sandbox.why : null;
    const question = trustQuestion({ call, why, skill, unsandboxed, ...trusted });
    return { kind: "needs_permission", question, ...asked, trusts: keyOf(skill, trusted.hash) };
  }
  const isSpared = why === "destructive" && skill.allowedTools.includes(tool.name);
  if (why === null || isSpared) return trusted.grant;
  return { kind: "needs_permission", question: confirmation(call, why), ...asked };
}

type Trusted = { grant: Grant } | Pick<TrustQuestion, "state" | "hash"> | { reason: string };

function trustIn({ skill, sandbox }: KnownCall, turn: Turn, trust: Trust): Trusted {
  const found = trust.stateOf(skill);
  if (found.state === "unpinnable")
    return { reason: `the folder of the skill ${skill.name} cannot be trusted: ${found.reason}` };
  const isSandboxed = sandbox.kind !== "none";
  if (found.state === "trusted") {
    const { grant, hash } = found;
    if (isSandboxed || grant.unsandboxed || hash === null) return { grant };
  }
  const hash = found.hash ?? "";
  const state = found.state === "trusted" ? "unsandboxed" : found.state;
  if (!turn.allowed.includes(keyOf(skill, hash))) return { state, hash };
  const grant = { ...skill.needs, unsandboxed: !isSandboxed };
  trust.grant(skill, hash, grant);
  return { grant };
}

/** What a yes is about: this content of this skill's folder. */
const keyOf = ({ name }: Skill, hash: string) => `${name}@${hash}`;

/** Why a call has to be asked about, however much its skill is trusted; null for no reason. */
function reasonToAsk(
  call: Call,
  { name, effect }: Tool,
  { log }: Turn,
  allow: readonly string[],
): "destructive" | "interrupted" | null {
  if (wasInterrupted(call, log)) return "interrupted";
  return effect === "destructive" && !allow.includes(name) ? "destructive" : null;
}

/** Whether the same call may have done its work already, unseen: then only the user can say that it shall run again. */
const wasInterrupted = (call: Call, log: readonly Entry[]) =>
  log.some(
    (entry) =>
      entry.kind === "failure" &&
      entry.problem.code === "interrupted" &&
      signature(entry.call) === signature(call),
  );
