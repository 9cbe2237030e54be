import { explain } from "../contracts/explain.ts";
import type { Contract } from "../contracts/contract.ts";
import { ledger, type LedgerLine } from "../guardrails/ledger.ts";
import { isEmptyResult } from "../guardrails/empty-result.ts";
import type { Entry } from "../session/entry.ts";
import { alternating, type Message } from "../session/message.ts";
import type { OfferedSkill, OfferedTool } from "../session/offer.ts";
import type { TaskName } from "../session/task.ts";
import { metaTools } from "../skills/meta-tools.ts";
import type { Skill } from "../skills/skill.ts";
import { exampleCall, toolLine } from "../skills/tool-line.ts";
import { clipOutput } from "./clip.ts";
import { callLine, noticeText } from "./notice.ts";
import type { Prompts } from "./prompts.ts";
import { render } from "./render.ts";

/** The part of a turn that a prompt shows. */
export interface ShownTurn {
  messages: readonly Message[];
  loaded_skills: readonly string[];
  question: string;
  attachment: string;
  nonce: string;
  log: readonly Entry[];
}

/** What stays the same for all prompts of a run. */
export interface PromptKit {
  prompts: Prompts;
  persona: string;
  contract: Contract;
  /** The skills that are offered: disabled ones and drafts left out. */
  skills: readonly Skill[];
}

export interface Prompt {
  system: string;
  messages: Message[];
}

/** From this many characters on (about 6,000 tokens) small models forget the form, so it is repeated at the end. */
const LONG_PROMPT_CHARACTERS = 24_000;

/**
 * The exact prompt for one task of a turn, as a projection of the turn's log. Within a turn it only grows at its end:
 * the messages of one request are a prefix of the next one's (texts of one role in a row count as one message).
 */
export function promptFor(task: TaskName, turn: ShownTurn, kit: PromptKit): Prompt {
  const writer = new ConversationWriter(turn, kit);
  for (const [index, entry] of turn.log.entries()) writer.show(entry, index);
  writer.openTask(task, turn.log.length);
  return {
    system: render(kit.prompts.system, { persona: kit.persona, no_calls: kit.contract.format([]) }),
    messages: alternating(writer.messages),
  };
}

/** The skills a model may load next. */
export function offeredSkills(skills: readonly Skill[], loaded: readonly string[]): OfferedSkill[] {
  return skills
    .filter((skill) => !skill.isDefault && !loaded.includes(skill.name))
    .map(({ name, description }) => ({ name, description }));
}

/** The tools that may be called in a task: the scripts of loaded skills, then the harness's own. */
export function offeredTools(
  task: TaskName,
  skills: readonly Skill[],
  loaded: readonly string[],
): OfferedTool[] {
  if (task === "answer") return [];
  if (task === "skill_call") return [metaTools.load_skill, metaTools.ask_user_question];
  const here = skills.filter((skill) => skill.isDefault || loaded.includes(skill.name));
  const references = here.some((skill) => skill.references.length > 0);
  return [
    ...here.flatMap((skill) => skill.tools),
    ...(references ? [metaTools.load_skill_extension] : []),
    metaTools.ask_user_question,
  ];
}

/** Writes a turn down as messages, entry by entry. Lives for one call of `promptFor`. */
class ConversationWriter {
  readonly messages: Message[];
  readonly #turn: ShownTurn;
  readonly #kit: PromptKit;
  readonly #loaded: string[];
  /** The task whose text stands at the end, waiting for a reply. */
  #open: TaskName | null = null;
  /** How many skills were loaded when the tools were last shown with an example. */
  #exampleShownAt = -1;

  constructor(turn: ShownTurn, kit: PromptKit) {
    this.#turn = turn;
    this.#kit = kit;
    this.messages = [...turn.messages];
    const loadedNow = new Set(
      turn.log.flatMap((entry) => (entry.kind === "skill" ? [entry.name] : [])),
    );
    this.#loaded = turn.loaded_skills.filter((name) => !loadedNow.has(name));
    this.#say("user", turn.question);
    this.#say("user", turn.attachment);
    for (const skill of kit.skills)
      if (skill.isDefault || this.#loaded.includes(skill.name))
        this.#say("user", this.#skillText(skill));
  }

  show(entry: Entry, index: number): void {
    switch (entry.kind) {
      case "calls":
        this.openTask(entry.task, index);
        return this.#reply(this.#kit.contract.format(entry.calls));
      case "question":
        this.openTask(entry.task, index);
        return this.#reply(this.#questionText(entry.task, entry.question));
      case "refusal": {
        this.openTask(entry.task, index);
        // The refused reply itself is left out: a model copies what it sees, its own mistakes first.
        const { problem, attempt, example } = entry;
        const expects = entry.task === "answer" ? "text" : "calls";
        return this.#say(
          "user",
          explain(problem, { attempt, example, expects, format: this.#kit.contract.format }),
        );
      }
      case "skill": {
        this.#loaded.push(entry.name);
        const skill = this.#kit.skills.find(({ name }) => name === entry.name);
        return this.#say("user", skill ? this.#skillText(skill) : "");
      }
      case "result":
        return this.#say("user", this.#resultText(entry, index));
      case "failure":
        return this.#say("user", this.#failureText(entry, index));
      case "notice":
        return this.#say("user", noticeText(entry.notice));
      case "reply":
        return this.#say("user", entry.text);
    }
  }

  /** Puts the text of a task at the end, unless it stands there already and waits. */
  openTask(task: TaskName, index: number): void {
    if (this.#open === task) return;
    this.#open = task;
    this.#say("user", this.#taskText(task, index));
    const long =
      this.messages.reduce((sum, { text }) => sum + text.length, 0) > LONG_PROMPT_CHARACTERS;
    if (long && task !== "answer") this.#say("user", this.#kit.prompts.reminder.trimEnd());
  }

  #say(role: Message["role"], text: string): void {
    this.messages.push({ role, text });
  }

  #reply(text: string): void {
    this.#say("assistant", text);
    this.#open = null;
  }

  #questionText(task: TaskName, question: string): string {
    return task === "answer"
      ? question
      : this.#kit.contract.format([
          { name: metaTools.ask_user_question.name, input: { question } },
        ]);
  }

  #taskText(task: TaskName, index: number): string {
    const { prompts, skills, contract } = this.#kit;
    if (task === "answer") {
      const lines = ledger(this.#turn.log.slice(0, index));
      return render(prompts.answer, {
        ledger: lines.length > 0 ? lines.map(ledgerLine).join("\n") : "- nothing ran",
      });
    }
    if (task === "skill_call") {
      const offered = offeredSkills(skills, this.#loaded);
      const example = { name: "load_skill", input: { skill_name: offered[0]?.name ?? "" } };
      return render(prompts.skill_call, {
        skill_list: offered.map(({ name, description }) => `- ${name}: ${description}`).join("\n"),
        example: contract.format([example]),
      });
    }
    if (this.#exampleShownAt === this.#loaded.length) return prompts.tool_call_again.trimEnd();
    this.#exampleShownAt = this.#loaded.length;
    const [first = metaTools.ask_user_question] = offeredTools("tool_call", skills, this.#loaded);
    return render(prompts.tool_call, { example: contract.format([exampleCall(first)]) });
  }

  #skillText(skill: Skill): string {
    const { prompts } = this.#kit;
    const parts = [
      render(prompts.skill, { name: skill.name, instructions: skill.instructions.trim() }),
    ];
    if (skill.tools.length > 0)
      parts.push(render(prompts.tools, { tool_list: skill.tools.map(toolLine).join("\n") }));
    if (skill.references.length > 0)
      parts.push(
        render(prompts.references, {
          name: skill.name,
          reference_list: skill.references.join("\n"),
        }),
      );
    return parts.join("\n\n");
  }

  #resultText(
    { call, effect, observation }: Extract<Entry, { kind: "result" }>,
    index: number,
  ): string {
    if (isEmptyResult(observation.output)) {
      // Silence after a look means nothing is there; after a change it means that all went well.
      const { empty_result, silent_result } = this.#kit.prompts;
      return render(effect === "read" ? empty_result : silent_result, { call: callLine(call) });
    }
    const output = clipOutput(observation.output.trimEnd());
    return render(this.#kit.prompts.result, {
      call: callLine(call),
      output,
      mark: this.#mark(index, output),
    });
  }

  #failureText(entry: Extract<Entry, { kind: "failure" }>, index: number): string {
    const { call, problem, attempt, observation } = entry;
    const example = problem.code === "bad_argument" ? (problem.example ?? null) : null;
    const why = explain(problem, {
      attempt,
      example,
      expects: "calls",
      format: this.#kit.contract.format,
    });
    const output = clipOutput(observation?.output.trim() ?? "");
    if (output === "") return why;
    const printed = render(this.#kit.prompts.failure, {
      call: callLine(call),
      output,
      mark: this.#mark(index, output),
    });
    return `${printed}\n${why}`;
  }

  /** A fence that the fenced text does not contain: nothing a tool prints can end its own result. */
  #mark(index: number, output: string): string {
    let mark = `${this.#turn.nonce}-${index}`;
    while (output.includes(mark)) mark += "x";
    return mark;
  }
}

function ledgerLine({ call, outcome, detail }: LedgerLine): string {
  const words = {
    done: "done",
    empty: "done, nothing found",
    failed: `FAILED (${detail ?? "unknown"})`,
    denied: "not done, the user said no",
    not_run: "not done",
  } as const;
  return `- ${callLine(call)}: ${words[outcome]}`;
}
