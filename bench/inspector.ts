import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";
import {
  createRedactor,
  createScriptedBackend,
  loadJournal,
  loadSkills,
  turnMachine,
  type HarnessOptions,
} from "../src/index.ts";
import { drawChart, exportPage, startServer, TurnHub } from "../src/inspector.ts";
import { longJournal } from "./long-journal.ts";
import { median } from "./median.ts";

/** The page of one frame: what a move may take at most, in milliseconds. */
const FRAME = 16;
const TABS = ["Step", "Prompt", "Context"];
/** Coprime with the number of steps: each is come to once, and never from its neighbour. */
const STRIDE = 197;

const folder = mkdtempSync(join(tmpdir(), "broharness-inspector-"));
const drawing = await drawChart(turnMachine);

/** How long the inspector takes: to go anywhere in 500 events, and to open 50,000. */
export async function inspectorCost() {
  const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
  if (!existsSync(executablePath))
    return [{ what: "the inspector's page", value: "not measured", ratio: "there is no Chromium" }];
  // Root has no sandbox in a container.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const browser = await chromium.launch({ executablePath, args });
  try {
    return [...(await moveRows(browser)), ...(await longRows(browser))];
  } finally {
    await browser.close();
  }
}

async function hubOf(path: string): Promise<TurnHub> {
  const { records, fault } = loadJournal(path);
  const promptOptions = await optionsForPrompts();
  const hub = new TurnHub({
    source: "recorded",
    title: "bench.jsonl",
    chart: drawing.chart,
    records,
    session: null,
    promptOptionsOf: () => Promise.resolve(promptOptions),
    optionsOf: () => Promise.resolve(promptOptions),
    folder: null,
    newId: () => "bench",
    newRedactor: () => createRedactor([]),
    now: () => Date.now(),
  });
  const found = fault ?? hub.fault;
  if (found) throw new Error(`line ${found.line}: ${found.why}`);
  return hub;
}

async function optionsForPrompts(): Promise<HarnessOptions> {
  const shipped = fileURLToPath(new URL("../skills", import.meta.url));
  const { skills } = await loadSkills({ folders: [shipped], bundled: [shipped] });
  const fileOps = skills.filter(({ name }) => name === "file-ops");
  return {
    skills: { skills: fileOps, diagnostics: [], python: null },
    backend: createScriptedBackend([]),
    projectDir: folder,
  };
}

function written(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

// ——— moves ———

/** The page is the exported one: nothing is asked of a process, so that all of a move is the page's own work. */
async function moveRows(browser: Browser) {
  const hub = await hubOf(written("500.jsonl", longJournal(500)));
  const { recording, promptOf } = await hub.export();
  const html = exportPage({ recording, promptOf, svg: drawing.svg, title: "bench" });
  const page = await browser.newPage();
  await page.goto(pathToFileURL(written("500.html", html)).href);
  const steps = recording.runs[0]?.steps.length ?? 0;
  const rows = [];
  for (const tab of TABS) {
    await page.getByRole("tab", { name: tab }).click();
    const times = await moveTimes(page, steps);
    const [middle, worst] = [median(times), Math.max(...times)];
    rows.push({
      what: `the inspector's page: to any of ${steps} events with ${tab} open, script`,
      value: `${middle.toFixed(1)} ms`,
      ratio: `${(middle / FRAME).toFixed(2)} × a frame; the worst ${worst.toFixed(1)} ms, ${(worst / FRAME).toFixed(2)} ×`,
    });
  }
  await page.close();
  return rows;
}

/** The script time of each move, in milliseconds: by the slider, until the frame that shows it is done. */
async function moveTimes(page: Page, steps: number): Promise<number[]> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable");
  const scriptTime = async () => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "ScriptDuration")?.value ?? Number.NaN) * 1000;
  };
  const times: number[] = [];
  for (let move = 1; move <= steps; move++) {
    const step = ((move * STRIDE) % steps) + 1;
    const before = await scriptTime();
    await page.evaluate(moveTo(step));
    times.push((await scriptTime()) - before);
  }
  await devtools.detach();
  return times;
}

/** As a text, because what runs in the page knows other types: resolves behind the frame after the move. */
const moveTo = (step: number): string => `(() => {
  const slider = document.querySelector("input.slider");
  slider.value = ${step};
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
})()`;

// ——— a long journal ———

async function longRows(browser: Browser) {
  const path = written("50000.jsonl", longJournal(50_000));
  const text = longJournal(50_000);
  const lines = text.split("\n").filter((line) => line !== "");
  const base = cpu();
  for (const line of lines) JSON.parse(line);
  const [parsed, start] = [cpu() - base, cpu()];
  const hub = await hubOf(path);
  const viewed = cpu() - start;
  const shown = await openTime(browser, hub);
  const ratio = (ms: number) => `${(ms / parsed).toFixed(0)} × JSON.parse of its lines`;
  return [
    {
      what: "a journal of 50,000 events: read, folded and made into views, CPU",
      value: `${viewed.toFixed(0)} ms`,
      ratio: ratio(viewed),
    },
    {
      what: "the same: until a page that is opened on it shows its end",
      value: `${shown.toFixed(0)} ms`,
      ratio: ratio(shown),
    },
  ];
}

/** CPU time of this process in milliseconds. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function openTime(browser: Browser, hub: TurnHub): Promise<number> {
  const server = await startServer({ hub, title: "bench", svg: drawing.svg });
  const page = await browser.newPage();
  const start = performance.now();
  await page.goto(server.address);
  const last = /^(?<at>5\d{4}) \/ \k<at>$/;
  await page.locator(".counter", { hasText: last }).waitFor({ timeout: 120_000 });
  const taken = performance.now() - start;
  await page.close();
  await server.close();
  return taken;
}
