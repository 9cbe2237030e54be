import { randomBytes } from "node:crypto";
import { env as environment } from "node:process";
import type { InspectionEvent } from "xstate";
import { findProgram } from "./actors/find-program.ts";
import { nobody, type Asker } from "./actors/ask-user.ts";
import type { Backend } from "./backends/backend.ts";
import { codeblock } from "./contracts/codeblock.ts";
import type { Contract } from "./contracts/contract.ts";
import type { JsonObject } from "./contracts/call.ts";
import { HarnessError } from "./errors.ts";
import type { HarnessEvent } from "./events.ts";
import { inputFrom, resumptionOf, type FoldedTurn } from "./journal/fold.ts";
import type { Journal } from "./journal/journal.ts";
import type { ActorName, TurnRecord } from "./journal/record.ts";
import { judgeReply } from "./judge-reply.ts";
import { machineHash } from "./machine/machine-hash.ts";
import { startingTurn } from "./machine/turn.start.ts";
import { defaultLimits, type TurnLimits } from "./machine/turn.limits.ts";
import type {
  AskForCallsOutput,
  AskForTextOutput,
  Conversation,
  SkillCard,
  Turn,
  TurnInput,
} from "./machine/turn.types.ts";
import { promptFor, type Prompt } from "./prompts/conversation.ts";
import { loadPrompts } from "./prompts/load-prompts.ts";
import { runTurn, type Ports } from "./run-turn.ts";
import type { TaskName } from "./session/task.ts";
import type { StandIn } from "./turn-work.ts";
import { hasTools, isOffered, type Diagnostic, type Skill, type SkillSet } from "./skills/skill.ts";
import { openTrust } from "./skills/save-trust.ts";
import type { Trust } from "./skills/trust.ts";
import { findSandbox, type Sandbox, type SandboxMode } from "./actors/sandbox.ts";
import { contentHash } from "./skills/load-content-hash.ts";
import { version } from "./version.ts";

export type { StandIn };

/** Everything a harness is made of. What is left out has a default; nothing is read from the environment but by it. */
export interface HarnessOptions {
  skills: SkillSet;
  /** The model that is asked; `backends` may name another one for a task. */
  backend: Backend;
  backends?: Partial<Record<TaskName, Backend>>;
  /** The folder the scripts work in. */
  projectDir: string;
  /** What the allow-list for scripts is taken from. Default: this process's environment. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Replaces the first line of the system prompt. */
  persona?: string;
  limits?: Partial<TurnLimits>;
  /** Who answers questions. Default: nobody, so that a question ends the turn as "needs input". */
  asker?: Asker;
  /** Destructive tools that run without a confirmation, by name. */
  allow?: readonly string[];
  scriptTimeoutMs?: number;
  /** The most bytes kept of each of a script's two outputs. */
  outputBytesMax?: number;
  /** The most tokens one reply may have. */
  outputTokensMax?: number;
  contract?: Contract;
  /** Whose scripts may run. Default: those of skills that ship or that the program made, and whatever a yes adds in memory. */
  trust?: Trust;
  /** Default: "auto". */
  sandbox?: SandboxMode;
  onEvent?: (event: HarnessEvent) => void;
  /** XState's own inspection events of the turn's machine, for any XState inspector. */
  inspect?: (event: InspectionEvent) => void;
  /**
   * Holds the turn: waited for once before the first actor begins, and again each time an outcome or a crash is in the
   * journal and the machine has not taken it yet. An abort of the turn aborts `signal` and ends the waiting at once. When it
   * rejects for another reason that is a bug of its maker: no further actor begins, and the turn rejects with it.
   */
  pause?: (signal: AbortSignal) => Promise<void>;
  /**
   * Asked before an actor does its own work: what it resolves to is what the actor gives back, and nothing is run, sent or
   * put to anybody for it; null lets the actor work. The turn rejects with HarnessError "usage" for an output that
   * `outcomeFault` has a word against. `turn` is not to be changed.
   */
  standIn?: (asked: { of: ActorName; turn: Turn }, signal: AbortSignal) => Promise<StandIn | null>;
  /** A fresh random word for each turn. Give a fixed one for repeatable prompts. */
  nonce?: () => string;
}

/** A conversation and what the user asks now. A finished turn with a new `question` is one, too. */
export type RunState = Conversation & { question: string; attachment?: string };

export interface Harness {
  /**
   * Runs one turn and gives back its whole state, plain JSON: `outcome` says how it ended. Pass it in again with another
   * `question` to go on. Rejects for a bug or an impossible state only. When `signal` aborts, the turn ends as "stopped";
   * by then every subprocess is gone and every request closed.
   */
  run(state: RunState, options?: RunOptions): Promise<Turn>;
  /**
   * Goes on inside a turn that was cut short. An effect without an outcome is not run again: its outcome is unknown, and
   * that is what recovery is told. An open question is put again. Throws HarnessError "usage" for a turn that has ended.
   */
  resume(turn: FoldedTurn, options?: RunOptions): Promise<Turn>;
  /** The exact first prompt of a task, as `run` would send it. */
  prompt(task: TaskName, state: RunState): Prompt;
  /** The exact prompt that a task sends where the turn is now. */
  promptAt(task: TaskName, turn: Turn): Prompt;
  /** What a task makes of a reply to that prompt, judged as if the model had written it. Nobody is asked, and nothing is told. */
  judge(task: TaskName, turn: Turn, reply: string): Promise<AskForCallsOutput | AskForTextOutput>;
}

export interface RunOptions {
  signal?: AbortSignal;
  /** Where everything that reaches the turn from outside is written before it is acted on. */
  journal?: Journal;
  /** What the caller needs to go on in another process; kept in the journal as it is. */
  settings?: JsonObject;
}

/** The start of a conversation. */
export const newConversation = (): Conversation => ({ messages: [], loaded_skills: [] });

/** What is left of a turn when the next one begins. */
export const flushTurn = ({ messages, loaded_skills }: Conversation): Conversation => ({
  messages,
  loaded_skills,
});

/** Builds a harness. It owns no state of any run: all of that is in the Turn that goes in and comes out. */
export function createHarness(options: HarnessOptions): Harness {
  const limits = checkedLimits({ ...defaultLimits, ...options.limits });
  const skills = options.skills.skills.filter(isOffered);
  const ports = portsOf(options, skills);
  const nonce = options.nonce ?? (() => randomBytes(4).toString("hex"));

  const inputOf = (state: RunState): TurnInput => {
    if (state.question.trim() === "")
      throw new HarnessError("usage", "the question is empty: say what you want");
    const { question, attachment = "" } = state;
    const given = { question, attachment, nonce: nonce(), limits, skills: skills.map(cardOf) };
    return inputFrom(state, given);
  };

  // Looked for when a script needs it, but where nothing may begin without it.
  const readySandbox = async () => {
    if (options.sandbox === "required") await ports.toolOptions.sandbox();
  };

  const promptAt = (task: TaskName, turn: Turn) => promptFor(task, turn, ports.modelOptions.kit);

  return {
    prompt(task, state) {
      const { question, attachment = "" } = state;
      return promptAt(task, startingTurn(inputOf({ ...flushTurn(state), question, attachment })));
    },
    promptAt,
    judge: (task, turn, reply) => judgeReply(ports.modelOptions, { task, turn, reply }),
    async run(state, { signal, journal = null, settings = {} } = {}) {
      await readySandbox();
      const input = inputOf(state);
      journal?.write(turnRecord(input, journal.left, ports.modelOptions, settings));
      ports.emit(initEvent(ports.modelOptions, limits, options.skills.diagnostics));
      return runTurn({ input, resumed: null, journal, signal }, ports);
    },
    async resume(turn, { signal, journal = null } = {}) {
      const resumed = resumptionOf(turn);
      if (!resumed) throw new HarnessError("usage", "this turn has ended: ask something new");
      await readySandbox();
      checkSkills(turn, skills);
      journal?.write({ type: "resume" });
      ports.emit(initEvent(ports.modelOptions, turn.input.limits, options.skills.diagnostics));
      return runTurn({ input: turn.input, resumed, journal, signal }, ports);
    },
  };
}

const cardOf = (skill: Skill): SkillCard => ({
  name: skill.name,
  is_default: skill.isDefault,
  has_tools: hasTools(skill),
});

/** The turn's first line. The conversation is only in it when the line before did not leave just that one. */
function turnRecord(
  { messages, loaded_skills, ...input }: TurnInput,
  left: Conversation | null,
  { backendFor, kit }: Ports["modelOptions"],
  settings: JsonObject,
): TurnRecord {
  const conversation = { messages, loaded_skills };
  const isKnown = JSON.stringify(conversation) === JSON.stringify(left ?? newConversation());
  return {
    type: "turn",
    machine: machineHash(),
    models: modelsOf(backendFor),
    contract: kit.contract.name,
    skills: kit.skills.map((skill) => ({ name: skill.name, content: contentHash(skill) })),
    input: isKnown ? input : { ...input, ...conversation },
    settings,
  };
}

function checkSkills({ snapshot }: FoldedTurn, skills: readonly Skill[]): void {
  for (const name of snapshot.context.loaded_skills)
    if (!skills.some((skill) => skill.name === name))
      throw new HarnessError(
        "config",
        `the turn uses the skill ${name}, which is not here: name its folder with --skills`,
      );
}

const modelsOf = (backendFor: Ports["modelOptions"]["backendFor"]) => ({
  skill_call: backendFor("skill_call").id,
  tool_call: backendFor("tool_call").id,
  answer: backendFor("answer").id,
});

/** Options made complete, once: nothing deeper has a default. */
function portsOf(options: HarnessOptions, skills: readonly Skill[]): Ports {
  const prompts = loadPrompts();
  const persona = (options.persona ?? prompts.persona).trim();
  const emit = options.onEvent ?? (() => {});
  return {
    modelOptions: {
      backendFor: (task) => options.backends?.[task] ?? options.backend,
      kit: { prompts, persona, contract: options.contract ?? codeblock, skills },
      outputTokensMax: options.outputTokensMax ?? 2048,
      emit,
    },
    toolOptions: toolOptionsOf(options, skills),
    asker: options.asker ?? nobody,
    emit,
    inspect: options.inspect ?? (() => {}),
    pause: options.pause,
    standIn: options.standIn,
  };
}

function toolOptionsOf(options: HarnessOptions, skills: readonly Skill[]): Ports["toolOptions"] {
  const { environment: given = environment, skills: set, sandbox: mode = "auto" } = options;
  let sandbox: Promise<Sandbox> | undefined;
  return {
    skills,
    projectDir: options.projectDir,
    runtimes: {
      node: process.execPath,
      python: set.python,
      uv: findProgram("uv", given["PATH"] ?? ""),
    },
    environment: given,
    scriptTimeoutMs: options.scriptTimeoutMs ?? 60_000,
    outputBytesMax: options.outputBytesMax ?? 256 * 1024,
    allow: options.allow ?? [],
    trust: options.trust ?? openTrust({ configFolder: null }),
    sandbox: () => (sandbox ??= findSandbox(mode, given)),
  };
}

function initEvent(
  { backendFor, kit }: Ports["modelOptions"],
  limits: TurnLimits,
  diagnostics: readonly Diagnostic[],
): HarnessEvent {
  return {
    type: "init",
    version,
    machine_hash: machineHash(),
    models: modelsOf(backendFor),
    contract: kit.contract.name,
    limits,
    skills: kit.skills.map(({ name, tools }) => ({ name, tools: tools.map((tool) => tool.name) })),
    diagnostics,
  };
}

function checkedLimits(limits: TurnLimits): TurnLimits {
  for (const [name, value] of Object.entries(limits))
    if (!Number.isSafeInteger(value) || value < 0)
      throw new HarnessError(
        "usage",
        `${name}: expected a whole number from 0, got ${String(value)}; every limit is finite, so that a turn always ends`,
      );
  return limits;
}
