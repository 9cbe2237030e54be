import type { Call } from "../contracts/call.ts";
import { explain } from "../contracts/explain.ts";
import { ledger, type LedgerLine } from "../guardrails/ledger.ts";
import type { Entry } from "../session/entry.ts";
import { alternating, type Message } from "../session/message.ts";
import type { TaskName } from "../session/task.ts";
import { metaTools } from "../skills/meta-tools.ts";
import type { Skill } from "../skills/skill.ts";
import { toolLine } from "../skills/tool-line.ts";
import { callLine, noticeText } from "./notice.ts";
import { offeredSkills } from "./offered.ts";
import { harmlessCall } from "./harmless-call.ts";
import { failureText, isGivenUp, resultText } from "./outcome.ts";
import type { PromptKit } from "./prompts.ts";
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
    messages: alternating(writer.messages).map(({ role, text }) => ({
      role,
      text: wellFormed(text),
    })),
  };
}

/** Half a surrogate pair, which JavaScript allows and UTF-8 does not, becomes U+FFFD. */
const wellFormed = (text: string) => text.replace(/\p{Surrogate}/gu, "\ufffd");

/** Writes a turn down as messages, entry by entry. Lives for one call of `promptFor`. */
class ConversationWriter {
  readonly messages: Message[];
  readonly #turn: ShownTurn;
  readonly #kit: PromptKit;
  readonly #loaded: string[];
  /** The task whose text stands at the end, waiting for a reply. */
  #open: TaskName | null = null;
  #skillsShown = false;
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
    if (turn.attachment.trim() !== "") this.#say("user", this.#attachmentText(turn.attachment));
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
        if (isGivenUp(this.#turn.log, index)) return;
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
        return this.#say("user", resultText(entry, this.#markFor(index), this.#kit));
      case "failure":
        return this.#say(
          "user",
          failureText(entry, isGivenUp(this.#turn.log, index), this.#markFor(index), this.#kit),
        );
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
        ledger: lines.length > 0 ? ledgerLines(lines) : "- nothing ran",
      });
    }
    if (task === "skill_call") {
      const offered = offeredSkills(skills, this.#loaded);
      if (this.#skillsShown) return prompts.skill_call_again.trimEnd();
      this.#skillsShown = true;
      const example = { name: "load_skill", input: { skill_name: offered[0]?.name ?? "" } };
      return render(prompts.skill_call, {
        skill_list: offered.map(({ name, description }) => `- ${name}: ${description}`).join("\n"),
        example: contract.format([example]),
      });
    }
    if (this.#exampleShownAt === this.#loaded.length) return prompts.tool_call_again.trimEnd();
    this.#exampleShownAt = this.#loaded.length;
    return render(prompts.tool_call, { example: contract.format([this.#exampleOfTools()]) });
  }

  /** Examples get copied: so it is one of a skill that was loaded for this request, and one that does no harm. */
  #exampleOfTools(): Call {
    const { skills } = this.#kit;
    const loaded = this.#loaded
      .toReversed()
      .flatMap((name) => skills.filter((skill) => skill.name === name && !skill.isDefault));
    return harmlessCall([...loaded, ...skills.filter(({ isDefault }) => isDefault)]);
  }

  #attachmentText(attachment: string): string {
    const text = attachment.trimEnd();
    return render(this.#kit.prompts.attachment, { text, mark: this.#markFor("text")(text) });
  }

  /** A fence that the fenced text does not contain: nothing a tool prints can end its own result. */
  #markFor(place: number | "text"): (output: string) => string {
    return (output) => {
      let mark = `${this.#turn.nonce}-${place}`;
      while (output.includes(mark)) mark += "x";
      return mark;
    };
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
}

/** One line a call; the same again in a row is counted. */
function ledgerLines(calls: readonly LedgerLine[]): string {
  const runs: { line: string; times: number }[] = [];
  for (const line of calls.map(ledgerLine)) {
    const last = runs.at(-1);
    if (last?.line === line) last.times += 1;
    else runs.push({ line, times: 1 });
  }
  return runs.map(({ line, times }) => (times > 1 ? `${line}, ${times} times` : line)).join("\n");
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
