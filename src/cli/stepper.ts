import { emitKeypressEvents } from "node:readline";
import { consideredArcs, differences, type Folded, type FoldedTurn } from "../index.ts";
import { terminalText } from "../terminal-text.ts";
import { print } from "./print.ts";

/** Shows a journal step by step: with keys on a terminal, else all of it. Resolves to the exit code. */
export async function stepThrough({ turns, fault }: Folded): Promise<number> {
  const pages = turns.flatMap(pagesOf);
  if (fault) pages.push(`line ${fault.line}: ${fault.why}`);
  if (pages.length === 0) pages.push("no turn yet");
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY) {
    print(pages.join("\n\n"));
    return fault ? 7 : 0;
  }
  await withKeys(pages);
  return fault ? 7 : 0;
}

type Step = FoldedTurn["steps"][number];

function pagesOf(turn: FoldedTurn): string[] {
  const begins = `turn at line ${turn.line}: ${turn.input.question}\n[*] → ${turn.first.value}`;
  return [begins, ...turn.steps.map((step) => pageOf(step))];
}

/** One step for people: what came, the guards that were asked, where it led, and what it changed. */
function pageOf({ line, event, before, after }: Step): string {
  const arcs = consideredArcs(before, event).map(({ from, guard, allowed, target }) => {
    const passed = from === before.value ? "" : `${from}: `;
    return `  ${allowed ? "true " : "false"} ${passed}${guard === "" ? "(no guard)" : guard}${allowed ? ` → ${target}` : ""}`;
  });
  const changed = differences(before.context, after.context).map((change) => `  ${change}`);
  const { retries, steps, asks } = after.context.budget;
  return [
    `line ${line}: ${eventText(event)}`,
    `${before.value} → ${after.value}`,
    ...arcs,
    ...(changed.length > 0 ? ["changed:", ...changed] : []),
    `left: ${retries} retries, ${steps} steps, ${asks} questions`,
  ].join("\n");
}

function eventText(event: Step["event"]): string {
  if (event.type === "abort") return `abort by ${event.by}`;
  if ("error" in event) return `${event.actorId} broke`;
  const { output } = event;
  return output ? `${event.actorId}: ${output.kind}` : event.actorId;
}

const HELP = "→ forward   ← back   Home/End   q quit";

/** Keys move through the pages; the terminal is as it was afterwards, however this ends. */
async function withKeys(pages: readonly string[]): Promise<void> {
  const { stdin, stdout } = process;
  let at = 0;
  const show = () =>
    stdout.write(
      `\u001B[2J\u001B[H${terminalText(`${at + 1}/${pages.length}   ${HELP}\n\n${pages[at] ?? ""}\n`)}`,
    );
  emitKeypressEvents(stdin);
  stdin.setRawMode(true);
  try {
    show();
    await new Promise<void>((resolve) => {
      stdin.on("end", resolve);
      stdin.on(
        "keypress",
        (
          text: string | undefined,
          { name = "", ctrl = false }: { name?: string; ctrl?: boolean },
        ) => {
          if (name === "q" || name === "escape" || (ctrl && ["c", "d"].includes(name)))
            return resolve();
          // A capital letter has the name of its small one.
          at = moved(text === "G" ? "end" : name, at, pages.length - 1);
          show();
        },
      );
    });
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
  }
}

function moved(key: string, at: number, last: number): number {
  if (["right", "space", "n", "down", "return"].includes(key)) return Math.min(at + 1, last);
  if (["left", "b", "p", "up"].includes(key)) return Math.max(at - 1, 0);
  if (key === "home" || key === "g") return 0;
  return key === "end" ? last : at;
}
