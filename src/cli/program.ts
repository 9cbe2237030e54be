import { Command, InvalidArgumentError, Option } from "commander";
import { defaultLimits } from "../machine/turn.limits.ts";
import { terminalText } from "../terminal-text.ts";
import { version } from "../version.ts";
import type { Flags, InspectFlags } from "./flags.ts";
import type { TrustFlags } from "./trust.ts";

// What a command needs is loaded when it is chosen: --help and --version answer before the rest is even read.
const loadCommands = () => import("./commands.ts");
const loadTrust = () => import("./trust.ts");
const loadSessions = () => import("./sessions.ts");
const loadJournalCommands = () => import("./journal-commands.ts");

const EXIT_CODES = `
Exit codes:
  0    answered                      5    a limit ended the turn (the answer says so)
  1    no answer, or internal error  6    a call was refused by the user
  2    wrong usage                   7    verify, replay or prove found a fault
  3    configuration or credentials  130  stopped by Ctrl-C
  4    needs input nobody can give   143  stopped by SIGTERM
`;

/** The command line. `end` is told the exit code of a command that did its work. */
export function createProgram(end: (exitCode: number) => void): Command {
  const program = new Command("broharness")
    .description("Runs one turn: skills and tools for language models without native tool calling.")
    .version(version)
    .argument("[question...]", "what you want; piped input is added to it")
    .option("-p, --print", "never ask back: a question ends the turn with exit code 4")
    .addOption(
      new Option("--output-format <format>", "what stdout gets")
        .choices(["text", "json", "stream-json"])
        .default("text"),
    )
    .option(
      "-m, --model <provider/id>",
      "offline, bedrock[/ID], scripted/FILE.jsonl or recorded/FILE.jsonl",
      "offline",
    )
    .option(
      "--role-model <role=provider/id>",
      "another model for skill_call, tool_call or answer (repeatable)",
      collect,
      [],
    )
    .option("--record <file>", "write the model's replies to a file that recorded/FILE plays back")
    .option(
      "--skills <dir>",
      "a folder of skills, before the ones that ship (repeatable)",
      collect,
      [],
    )
    .option("--no-bundled-skills", "leave out the skills that ship")
    .option("--max-steps <n>", "calls that may run", whole, defaultLimits.max_steps)
    .option("--max-retries <n>", "tries after a mistake", whole, defaultLimits.max_retries)
    .option("--max-asks <n>", "questions to you", whole, defaultLimits.max_asks)
    .option("--timeout <seconds>", "the most time for the turn", seconds, 600)
    .option("--script-timeout <seconds>", "the most time for one script", seconds, 60)
    .option(
      "--allow <tool>",
      "a destructive tool that needs no confirmation (repeatable)",
      collect,
      [],
    )
    .option(
      "--trust <skill>",
      "a skill whose scripts may run, in this run alone (repeatable)",
      collect,
      [],
    )
    .addOption(
      new Option(
        "--sandbox <mode>",
        "what scripts are kept in: bubblewrap must be there, is used if it is, or is not",
      )
        .choices(["required", "auto", "off"])
        .default("auto"),
    )
    .addOption(
      new Option("--system-prompt <text>", "replaces the persona at the top of the prompt"),
    )
    .addOption(
      new Option("--system-prompt-file <file>", "the same, from a file").conflicts("systemPrompt"),
    )
    .option("-c, --continue", "go on with the newest session of this folder")
    .option("-r, --resume [id]", "go on with a session, inside the turn if it was cut short")
    .option("--fork-session", "go on in a copy of the session (with -c or -r)")
    .addOption(
      new Option("--no-session", "keep no journal of this run").conflicts(["continue", "resume"]),
    )
    .option("--debug", "show every request and reply on stderr")
    .option("--inspect", "show the turn in a browser, as it goes")
    .addOption(
      new Option(
        "--break <where>",
        "hold the inspected turn: start, every, error, tool, a state, or none (repeatable)",
      ).argParser((value, before?: string[]) => [...(before ?? []), value]),
    )
    .option("--no-open", "only print the inspector's address")
    .option("--stately", "also feed Stately's own inspector, which needs the network")
    .addHelpText("after", EXIT_CODES)
    .configureOutput({ writeErr: (text) => process.stderr.write(terminalText(text)) })
    .exitOverride()
    .action(async (words: string[], _options, command: Command) => {
      const { runQuestion } = await import("./run.ts");
      const isGiven = (flag: string) => command.getOptionValueSource(flag) === "cli";
      end(await runQuestion(words.join(" "), command.optsWithGlobals<Flags>(), isGiven));
    });
  addInspectCommand(program, end);

  const skills = program.command("skills").description("the skills of this run");
  skills
    .command("list", { isDefault: true })
    .description("name, tools and remarks of every skill")
    .option("--json", "as JSON")
    .action(async (_options, command: Command) => {
      const { listSkills } = await loadCommands();
      await listSkills(command.optsWithGlobals<Flags & { json?: boolean }>());
    });
  skills
    .command("trust <skill>")
    .description("let the scripts of a skill's folder run as it is now")
    .option("--network", "with the network")
    .option("--env <name>", "with this environment variable (repeatable)", collect, [])
    .option("--unsandboxed", "also where there is no sandbox")
    .option("--yes", "you have looked at the folder")
    .action(async (skill: string, _options, command: Command) => {
      const { trustSkill } = await loadTrust();
      await trustSkill(skill, command.optsWithGlobals<TrustFlags>());
    });
  skills
    .command("untrust <skill>")
    .description("ask again before its scripts run")
    .action(async (skill: string, _options, command: Command) => {
      const { untrustSkill } = await loadTrust();
      await untrustSkill(skill, command.optsWithGlobals<Flags>());
    });
  program
    .command("tools <skill>")
    .description("the tools of a skill as JSON Schemas")
    .action(async (skill: string, _options, command: Command) => {
      const { showTools } = await loadCommands();
      await showTools(skill, command.optsWithGlobals<Flags>());
    });
  program
    .command("prompt <role> <text...>")
    .description("the exact prompt that skill_call, tool_call or answer would send first, as JSON")
    .option("--load <skill>", "a skill taken as loaded (repeatable)", collect, [])
    .action(async (role: string, words: string[], _options, command: Command) => {
      const { showPrompt } = await loadCommands();
      await showPrompt(
        role,
        words.join(" "),
        command.optsWithGlobals<Flags & { load: string[] }>(),
      );
    });
  program
    .command("graph")
    .description("the statechart as a Mermaid diagram, made from the machine that runs")
    .action(async () => (await loadCommands()).showGraph());
  addSessionCommands(program);
  addJournalCommands(program, end);
  return program;
}

const collect = (value: string, before: string[]): string[] => [...before, value];

function whole(value: string): number {
  // Every command but `prove` refuses it, and that one shows what would go on for ever.
  if (/^(infinity|∞)$/i.test(value)) return Number.POSITIVE_INFINITY;
  if (!/^\d{1,9}$/.test(value))
    throw new InvalidArgumentError(
      `expected a whole number from 0, got "${value}"; a turn has no endless limits.`,
    );
  return Number(value);
}

function seconds(value: string): number {
  const number = Number(value);
  if (!/^\d{1,7}(\.\d{1,3})?$/.test(value) || number <= 0)
    throw new InvalidArgumentError(`expected seconds above 0, got "${value}".`);
  return number;
}

function addInspectCommand(program: Command, end: (exitCode: number) => void): void {
  program
    .command("inspect [words...]")
    .description(
      "shows a question's turn, a journal, a session, or any XState machine in a browser",
    )
    .option("--html <file>", "write a journal as one page that needs no server")
    .option("--machine <module>", "show the machine that a module exports")
    .option("--export-name <name>", "which of the machines that it exports")
    .option("--input <json>", "what the machine begins with")
    .action(async (words: string[], _options, command: Command) => {
      const { inspect } = await import("./inspect.ts");
      const isGiven = (flag: string) => command.getOptionValueSourceWithGlobals(flag) === "cli";
      end(await inspect(words, command.optsWithGlobals<InspectFlags>(), isGiven));
    });
}

function addSessionCommands(program: Command): void {
  const sessions = program.command("sessions").description("the sessions that were kept");
  sessions
    .command("list", { isDefault: true })
    .description("newest first")
    .option("--json", "as JSON")
    .action(async (options: { json?: boolean }) => (await loadSessions()).listAllSessions(options));
  sessions
    .command("show <id>")
    .description("what was asked, what ran, what came of it")
    .action(async (id: string) => (await loadSessions()).showSession(id));
  sessions
    .command("export <id>")
    .description("its journal, on stdout")
    .action(async (id: string) => (await loadSessions()).exportSession(id));
  sessions
    .command("rm <id>")
    .description("removes it")
    .action(async (id: string) => (await loadSessions()).removeOneSession(id));
}

function addJournalCommands(program: Command, end: (exitCode: number) => void): void {
  program
    .command("prove")
    .description("that every turn ends within these limits, and the worst that can happen in one")
    .option("--json", "as JSON")
    .option("--profile <file>", "a model's window and prices, for the most tokens and money")
    .action(async (_options, command: Command) => {
      const { proveLimits } = await import("./prove.ts");
      end(proveLimits(command.optsWithGlobals<Flags & { json?: boolean; profile?: string }>()));
    });
  program
    .command("verify <file>")
    .description("whether each line of a journal is one that the machine could have written")
    .action(async (file: string) => end((await loadJournalCommands()).verifyFile(file)));
  program
    .command("replay <files...>")
    .description("takes the turns of a journal again, without model and network")
    .option("--check", "whether they are the same again (the default)")
    .option("--against <other>", "another version's module, or limits such as max_steps=3")
    .action(async (files: string[], options: { check?: boolean; against?: string }) =>
      end(await (await loadJournalCommands()).replayFiles(files, options)),
    );
  program
    .command("step <file>")
    .description("goes through a journal, transition by transition")
    .action(async (file: string) => end(await (await loadJournalCommands()).stepFile(file)));
}
