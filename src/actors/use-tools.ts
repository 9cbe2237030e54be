import type { Call, JsonObject } from "../contracts/call.ts";
import { nearest } from "../contracts/nearest.ts";
import type { Problem } from "../contracts/problem.ts";
import { isRepeat } from "../guardrails/repeat.ts";
import type { Turn, UseToolInput, UseToolOutput } from "../machine/turn.types.ts";
import { offeredSkills, offeredTools } from "../prompts/offered.ts";
import type { Effect, Observation } from "../session/entry.ts";
import { argvOf } from "../skills/scripts/argv.ts";
import { loadReference } from "../skills/load-reference.ts";
import { isMetaTool, metaTools } from "../skills/meta-tools.ts";
import { skillMeantBy } from "../skills/skill-meant.ts";
import { hasTools, type Skill, type Tool } from "../skills/skill.ts";
import type { Trust } from "../skills/trust.ts";
import { shown } from "./capped-output.ts";
import { checkArguments } from "./check-arguments.ts";
import { needsPackages } from "./missing-package.ts";
import { permissionFor, type PermittedCall } from "./permission.ts";
import { runProcess, type ProcessRun } from "./run-script.ts";
import { confined, type Sandbox } from "./sandbox.ts";
import { commandFor, type Runtimes } from "./script-command.ts";
import { scriptEnvironment } from "./script-environment.ts";
import { filesBeside, whatBecameOf } from "./script-file.ts";

export interface UseToolsOptions {
  /** The skills that are offered. */
  skills: readonly Skill[];
  /** The folder the scripts work in; also their PROJECT_DIR. */
  projectDir: string;
  /** Real paths of the interpreters; null where there is none. */
  runtimes: Runtimes;
  /** What the allow-list for scripts is taken from. */
  environment: Readonly<Record<string, string | undefined>>;
  scriptTimeoutMs: number;
  outputBytesMax: number;
  /** Names of destructive tools that need no confirmation. */
  allow: readonly string[];
  trust: Trust;
  /** What scripts are kept in. */
  sandbox: () => Promise<Sandbox>;
  /** Told of every script right before it starts. What it throws keeps the script from starting. */
  starting: (call: Call, effect: Effect, sandbox: Sandbox) => void;
}

/**
 * Checks one call and runs it. In this order, the first failure decides: is the name known → does the input fit the
 * schema and its limits → was it done already → is it permitted. Before the last check is passed nothing has happened.
 */
export async function useTool(
  options: UseToolsOptions,
  { call: written, turn }: UseToolInput,
  signal: AbortSignal,
): Promise<UseToolOutput> {
  // Without what every object inherits: a script may have an option named "constructor", and it has not been given.
  const input: JsonObject = Object.assign(Object.create(null), written.input);
  const call = { ...written, input };
  if (call.name === "") throw new Error("tool_use entered without a call");
  const loaded = options.skills.filter(
    (skill) => skill.isDefault || turn.loaded_skills.includes(skill.name),
  );
  const tools = loaded.flatMap((skill) => skill.tools);
  const tool = tools.find(({ name }) => name === call.name);
  const known = tool ?? (isMetaTool(call.name) ? metaTools[call.name] : undefined);
  if (!known) return refused(unknownTool(call, turn, tools, options.skills));
  const badArgument = await checkArguments(call, known, namesFor(call, options.skills, loaded));
  if (badArgument) return refused(badArgument);
  if (isRepeat(call, turn.ran)) return { kind: "already_done" };
  if (!tool) return useMetaTool(call, options.skills, loaded, turn);
  const skill = options.skills.find(({ name }) => name === tool.skill);
  if (!skill) throw new Error(`a tool of a skill that is not there: ${tool.skill}`);
  const sandbox = await options.sandbox();
  const permission = permissionFor({ call, tool, skill, sandbox }, turn, options);
  if ("kind" in permission) return permission;
  return runTool(options, { call, tool, skill, sandbox, grant: permission }, signal);
}

const refused = (problem: Problem): UseToolOutput => ({
  kind: "failed",
  problem,
  effect: "read",
  observation: null,
});

const withNearest = <T extends Problem>(problem: T, word: string | undefined): T =>
  word === undefined ? problem : { ...problem, nearest: word };

function unknownTool(
  call: Call,
  turn: Turn,
  tools: readonly Tool[],
  skills: readonly Skill[],
): Problem {
  const offered = offeredTools(turn.called_in, skills, turn.loaded_skills);
  const known = [...new Set([...tools, ...offered].map(({ name }) => name))];
  // A skill, or a tool of one that is not loaded: what was meant is plain, so the nearest name is the way to it.
  const meant = skillMeantBy(call.name, skills) ? "load_skill" : nearest(call.name, known);
  return withNearest({ code: "unknown_tool", name: call.name, known }, meant);
}

/** Values for the harness's own tools that are certain to exist. */
function namesFor(
  { name, input }: Call,
  offered: readonly Skill[],
  loaded: readonly Skill[],
): JsonObject {
  if (name === metaTools.load_skill.name) {
    const skill = offered.find((candidate) => !loaded.includes(candidate));
    return skill ? { skill_name: skill.name } : {};
  }
  if (!isMetaTool(name)) return {};
  const withReferences = loaded.filter(({ references }) => references.length > 0);
  const skill =
    withReferences.find((candidate) => candidate.name === input["skill_name"]) ?? withReferences[0];
  return skill ? { skill_name: skill.name, path: skill.references[0] ?? "" } : {};
}

/** The harness's own tools, but for the question, which askForCalls answers itself. */
async function useMetaTool(
  { name, input }: Call,
  offered: readonly Skill[],
  loaded: readonly Skill[],
  turn: Turn,
): Promise<UseToolOutput> {
  if (name === metaTools.ask_user_question.name)
    throw new Error("tool_use entered with a question: askForCalls lets none through");
  const { skill_name: skillName, path } = input as { skill_name: string; path: string }; // its schema was checked
  if (name === metaTools.load_skill.name) {
    if (loaded.some((skill) => skill.name === skillName)) return { kind: "already_done" };
    const wanted = offered.find((candidate) => candidate.name === skillName);
    if (wanted) return { kind: "skill_loaded", name: skillName, has_tools: hasTools(wanted) };
    const known = offeredSkills(offered, turn.loaded_skills).map((skill) => skill.name);
    return refused(
      withNearest({ code: "unknown_skill", name: skillName, known }, nearest(skillName, known)),
    );
  }
  const skill = loaded.find((candidate) => candidate.name === skillName);
  if (!skill)
    return refused({
      code: "skill_not_loaded",
      name: skillName,
      loaded: loaded.map((candidate) => candidate.name),
    });
  if (name === metaTools.load_tool.name) return registered(skill, path);
  const reference = await loadReference(skill, path);
  return reference.ok ? text(reference.text) : refused(reference.problem);
}

const text = (output: string): UseToolOutput => ({
  kind: "result",
  effect: "read",
  observation: { output, exit_code: null, signal: null, duration_ms: 0 },
});

const stemOf = (file: string) => (file.split(/[\\/]/).at(-1) ?? file).replace(/\.[^.]+$/, "");

/** Scripts are registered when their skill is loaded, so there is nothing left to do, and that is said kindly. */
function registered(skill: Skill, path: string): UseToolOutput {
  const names = skill.tools
    .filter(({ file }) => stemOf(file) === stemOf(path))
    .map(({ name }) => name);
  if (names.length > 0)
    return text(`Already done: it came with the skill. Call it as ${names.join(", ")}.`);
  const known = skill.tools.map(({ name }) => name);
  return refused(
    withNearest({ code: "unknown_tool", name: path, known }, nearest(stemOf(path), known)),
  );
}

async function runTool(
  options: UseToolsOptions,
  { call, tool, skill, sandbox, grant }: PermittedCall,
  signal: AbortSignal,
): Promise<UseToolOutput> {
  const { effect, name } = tool;
  const notStarted = (reason: string): UseToolOutput => ({
    kind: "failed",
    problem: { code: "script_not_started", tool: name, reason },
    effect,
    observation: null,
  });
  const network = grant.network || sandbox.kind === "none" ? "allowed" : "denied";
  const changed = whatBecameOf(tool.file);
  const command =
    changed === null ? commandFor(tool, options.runtimes, network) : { missing: changed };
  if ("missing" in command) return notStarted(command.missing);
  const { projectDir, scriptTimeoutMs, outputBytesMax } = options;
  const start = confined(
    {
      file: command.file,
      arguments: [...command.arguments, ...argvOf(tool, call.input)],
      cwd: projectDir,
      environment: scriptEnvironment(options.environment, {
        projectDir,
        skillDir: skill.folder,
        granted: grant.environment,
      }),
    },
    { skillDir: skill.folder, projectDir, network: grant.network },
    sandbox,
  );
  if ("missing" in start) return notStarted(start.missing);
  // A turn that was stopped while all this was looked up has ended: nothing may begin in it.
  signal.throwIfAborted();
  options.starting(call, effect, sandbox);
  const run = await runProcess({ ...start, timeoutMs: scriptTimeoutMs, outputBytesMax }, signal);
  signal.throwIfAborted();
  return { ...outcomeOf(run, tool, scriptTimeoutMs), effect };
}

function outcomeOf(run: ProcessRun, script: Tool, timeout_ms: number) {
  const { name: tool } = script;
  const [stdout, stderr] = [shown(run.stdout), shown(run.stderr)];
  const { exit_code, signal, duration_ms } = run;
  const observe = (output: string): Observation => ({ output, exit_code, signal, duration_ms });
  if (run.ended === "exited" && exit_code === 0)
    return {
      kind: "result",
      observation: observe(stdout.trim() === "" ? stderr : stdout),
    } as const;
  const missing = needsPackages(script, run.stderr.text, filesBeside(script.file)) ?? "";
  const printed = observe(
    [stderr, stdout, missing].filter((part) => part.trim() !== "").join("\n"),
  );
  switch (run.ended) {
    case "not_started":
      return {
        kind: "failed",
        problem: { code: "script_not_started", tool, reason: run.reason ?? "unknown" },
        observation: null,
      } as const;
    case "timed_out":
      return {
        kind: "failed",
        problem: { code: "script_timed_out", tool, timeout_ms },
        observation: printed,
      } as const;
    case "exited":
    case "signalled":
    case "aborted":
      return {
        kind: "failed",
        problem: { code: "script_failed", tool, exit_code, signal },
        observation: printed,
      } as const;
  }
}
