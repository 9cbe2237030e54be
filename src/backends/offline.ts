import type { Contract } from "../contracts/contract.ts";
import { signature, type Call } from "../contracts/call.ts";
import type { Entry } from "../session/entry.ts";
import type { Offer } from "../session/offer.ts";
import { isOffered, type Skill } from "../skills/skill.ts";
import { BackendError, type Backend, type StreamEvent } from "./backend.ts";
import { callFor, createMatcher, type Match } from "./matcher/match.ts";
import { answerTo } from "./offline-answer.ts";
import { declineText } from "./offline-decline.ts";

export interface OfflineOptions {
  skills: readonly Skill[];
  /** How calls are written. With a `reader`, an answer is shown in a form that it reads back whole. */
  contract: Pick<Contract, "format"> & Partial<Pick<Contract, "reader">>;
}

const PIECES = 4;

/**
 * The backend for when no model is configured: a deterministic command matcher behind the same contract. It acts on a
 * request only if it can explain every word of it, answers with what the tool printed, and declines everything else
 * (BackendError "declined", not retryable) with what it did not understand and what it can do.
 */
export function createOfflineBackend({ skills, contract }: OfflineOptions): Backend {
  // The harness offers neither; what cannot be called must not decide what is meant.
  const offered = skills.filter(isOffered);
  const lazily = once(() => createMatcher(offered));
  const replyTo = (offer: Offer): string => {
    const match = lazily()(offer.question);
    switch (offer.task) {
      case "skill_call":
        return contract.format(skillCalls(match, offer, offered));
      case "tool_call":
        return contract.format(toolCalls(match, offer, offered));
      case "answer": {
        const text = answerTo(match, offer.log, contract.reader);
        if (text !== undefined) return text;
        throw new BackendError("declined", declineText(match, offer.question, offered));
      }
    }
  };
  return {
    id: "offline",
    async *stream({ offer }, signal): AsyncGenerator<StreamEvent> {
      signal.throwIfAborted();
      for (const text of pieces(replyTo(offer))) {
        yield { type: "text", text };
        signal.throwIfAborted();
      }
      yield { type: "usage", input_tokens: 0, output_tokens: 0 };
      yield { type: "stop", finish: "stop" };
    },
  };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function pieces(text: string): string[] {
  const size = Math.max(1, Math.ceil(text.length / PIECES));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}

const isLoaded = (name: string, { loaded_skills }: Offer, skills: readonly Skill[]) =>
  loaded_skills.includes(name) || skills.some((skill) => skill.name === name && skill.isDefault);

function skillCalls(match: Match, offer: Offer, skills: readonly Skill[]): Call[] {
  if (match.kind === "declined" || isLoaded(match.skill, offer, skills)) return [];
  return unlessTried({ name: "load_skill", input: { skill_name: match.skill } }, offer.log);
}

function toolCalls(match: Match, offer: Offer, skills: readonly Skill[]): Call[] {
  if (match.kind === "declined" || !isLoaded(match.skill, offer, skills)) return [];
  return unlessTried(callFor(match), offer.log);
}

/** Nothing is tried twice: neither what ran or failed, nor what the user or the contract refused. */
function unlessTried(call: Call, log: readonly Entry[]): Call[] {
  const wanted = signature(call);
  const wasTried = log.some(
    (entry) =>
      entry.kind === "calls" && entry.calls.some((earlier) => signature(earlier) === wanted),
  );
  return wasTried || log.some((entry) => isVerdictOn(entry, wanted)) ? [] : [call];
}

function isVerdictOn(entry: Entry, wanted: string): boolean {
  switch (entry.kind) {
    case "result":
    case "failure":
      return signature(entry.call) === wanted;
    case "notice":
      return "call" in entry.notice && signature(entry.notice.call) === wanted;
    case "refusal":
      return entry.task !== "answer";
    case "calls":
    case "skill":
    case "question":
    case "reply":
      return false;
  }
}
