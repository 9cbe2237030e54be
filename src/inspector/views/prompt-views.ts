import type { JsonObject } from "../../contracts/call.ts";
import { createHarness, type Harness, type HarnessOptions } from "../../harness.ts";
import type { FoldedTurn } from "../../journal/fold.ts";
import { holdsRedacted } from "../../journal/redaction-mark.ts";
import type { TaskName } from "../../session/task.ts";
import { contentHash } from "../../skills/load-content-hash.ts";
import { version } from "../../version.ts";
import type { PromptView } from "../protocol.ts";
import type { RunViews } from "./run-views.ts";

/** What writes prompts, or why there is nothing that does. */
type Writer = { harness: Harness; skills: ReadonlyMap<string, string> } | { why: string };

const NOT_ASKED: Writer = { why: "it was not prepared" };

/** Writes the prompts of recorded turns again, with what their settings name now. */
export class PromptViews {
  readonly #optionsOf: (settings: JsonObject) => Promise<HarnessOptions>;
  readonly #writers = new Map<string, Writer>();

  /** `optionsOf`: what a harness is made of for the settings of a turn. */
  constructor(optionsOf: (settings: JsonObject) => Promise<HarnessOptions>) {
    this.#optionsOf = optionsOf;
  }

  /** Makes ready for the prompts of these turns. */
  async prepare(turns: readonly FoldedTurn[]): Promise<void> {
    const settings = new Map(turns.map(({ record }) => [keyOf(record), record.settings]));
    await Promise.all([...settings].map(([key, given]) => this.#makeWriter(key, given)));
  }

  async #makeWriter(key: string, settings: JsonObject): Promise<void> {
    if (this.#writers.has(key)) return;
    try {
      const options = await this.#optionsOf(settings);
      const skills = options.skills.skills.map(
        (skill) => [skill.name, contentHash(skill)] as const,
      );
      this.#writers.set(key, { harness: createHarness(options), skills: new Map(skills) });
    } catch (error) {
      this.#writers.set(key, { why: messageOf(error) });
    }
  }

  /** The prompt of the model at work after a view, of a turn that was prepared; null where no model is. */
  promptOf(views: RunViews, step: number): PromptView | null {
    const place = views.at(step);
    if (!place || !views.views[step]?.asks_model) return null;
    const { turn, snapshot } = place;
    const writer = this.#writers.get(keyOf(turn.record)) ?? NOT_ASKED;
    if ("why" in writer) return without(writer.why);
    const notes = [
      ...versionNote(views),
      ...skillNotes(turn, writer.skills),
      ...(holdsRedacted(snapshot.context as unknown as JsonObject)
        ? ["what was secret is left out"]
        : []),
    ];
    try {
      const task = snapshot.value as TaskName;
      return { ...writer.harness.promptAt(task, snapshot.context), note: notes.join("; ") };
    } catch (error) {
      return without([messageOf(error), ...notes].join("; "));
    }
  }
}

const keyOf = ({ settings }: FoldedTurn["record"]): string => JSON.stringify(settings);

const without = (why: string): PromptView => ({
  system: "",
  messages: [],
  note: `the prompt cannot be written: ${why}`,
});

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

function versionNote({ folded }: RunViews): string[] {
  const was = folded.session?.version ?? version;
  return was === version ? [] : [`the session began with broharness ${was}; this is ${version}`];
}

function skillNotes({ record }: FoldedTurn, now: ReadonlyMap<string, string>): string[] {
  return record.skills.flatMap(({ name, content }) => {
    if (!now.has(name)) return [`the skill ${name} is not here`];
    return now.get(name) === content ? [] : [`the skill ${name} has changed since`];
  });
}
