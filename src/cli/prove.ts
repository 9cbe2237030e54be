import { readFileSync } from "node:fs";
import { HarnessError, prove, type CostProfile, type ProofReport } from "../index.ts";
import { reasonOf } from "../errors.ts";
import type { Flags } from "./flags.ts";
import { jsonText, print } from "./print.ts";

/** `prove`: exit code 0 when every turn ends within the limits, 7 when one need not. */
export function proveLimits(flags: Flags & { json?: boolean; profile?: string }): number {
  const profile = flags.profile === undefined ? {} : { profile: profileOf(flags.profile) };
  const report = prove({
    limits: { max_retries: flags.maxRetries, max_steps: flags.maxSteps, max_asks: flags.maxAsks },
    ...profile,
  });
  print(flags.json ? jsonText(report, 2) : reportText(report));
  return report.holds ? 0 : 7;
}

function reportText({
  limits,
  nodes,
  cycle,
  bounds,
  finals,
  cost,
  ...faults
}: ProofReport): string {
  const { max_retries, max_steps, max_asks } = limits;
  const lines = [`limits: ${max_retries} retries, ${max_steps} steps, ${max_asks} asks`];
  if (bounds)
    lines.push(
      `configurations: ${bounds.configurations}, edges: ${bounds.edges}, cycles: 0`,
      `the most in one turn: ${bounds.model_calls} model calls, ${bounds.tool_runs} tool runs, ${bounds.questions} questions`,
    );
  if (cost)
    lines.push(`the most it can take: ${cost.tokens_max} tokens, ${cost.usd_max.toFixed(2)} USD`);
  if (cycle)
    lines.push(
      "refused: a turn need not end, for this way can be taken for ever:",
      cycleText(cycle),
    );
  lines.push(
    `ends in: ${finals.join(", ")}`,
    faults.deaf_to_abort.length === 0
      ? "abort: heeded in every state"
      : `abort is not heeded in: ${faults.deaf_to_abort.join(", ")}`,
    faults.dead_ends.length === 0
      ? "an end can be reached from everywhere"
      : `no end can be reached from: ${faults.dead_ends.join(", ")}`,
    ...faults.broken,
    `holds for all finite limits: ${nodes} nodes stand for every configuration, and every way round spends a budget`,
  );
  if (cycle) lines.pop();
  return lines.join("\n");
}

/** State, what happens, state …, a line each. */
function cycleText(cycle: readonly string[]): string {
  const lines: string[] = [];
  for (let index = 0; index + 2 < cycle.length; index += 2)
    lines.push(`  ${cycle[index] ?? ""} — ${cycle[index + 1] ?? ""} → ${cycle[index + 2] ?? ""}`);
  return lines.join("\n");
}

const FIELDS = [
  "window_tokens",
  "output_tokens_max",
  "input_usd_per_million",
  "output_usd_per_million",
] as const;

function profileOf(file: string): CostProfile {
  const refused = (why: string, cause?: unknown) =>
    new HarnessError("config", `--profile ${file}: ${why}`, { cause });
  let profile: Partial<CostProfile> | null;
  try {
    profile = JSON.parse(readFileSync(file, "utf8")) as Partial<CostProfile> | null;
  } catch (cause) {
    throw refused(
      cause instanceof SyntaxError ? `no JSON: ${cause.message}` : reasonOf(cause),
      cause,
    );
  }
  for (const field of FIELDS)
    if (typeof profile?.[field] !== "number" || !(profile[field] >= 0))
      throw refused(`${field} is missing or no number from 0`);
  return profile as CostProfile;
}
