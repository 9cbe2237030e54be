import { accessSync, constants } from "node:fs";
import { env } from "node:process";
import { chromium, type Browser, type Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { requirement } from "./requirement.ts";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A real browser; another one than the system's can be named with CHROMIUM. */
export const browserNeeded = requirement(
  "chromium",
  [env["CHROMIUM"] ?? "", ...PLACES].find(isProgram) ?? null,
);

/** A window on a page, and all that may not happen in it. */
export interface Window {
  page: Page;
  /** Errors and warnings of the page's console, and what it threw. */
  complaints: string[];
  /** What it asked of any host but this machine's own loopback, or of a page opened from a file: of any at all. */
  strays: string[];
}

let browser: Promise<Browser> | null = null;

/** One browser for a file of tests; `closeBrowser` belongs into its afterAll. */
const launched = () =>
  (browser ??= chromium.launch({
    executablePath: browserNeeded.path,
    // Root has no sandbox in a container.
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  }));

export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = null;
}

interface View {
  width?: number;
  height?: number;
  scheme?: "light" | "dark";
  touch?: boolean;
}

/** Opens an address in a fresh window, which is closed with the test. */
export async function openPage(
  url: string,
  { width = 1280, height = 800, scheme = "light", touch = false }: View = {},
): Promise<Window> {
  const context = await (
    await launched()
  ).newContext({
    viewport: { width, height },
    colorScheme: scheme,
    hasTouch: touch,
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "UTC",
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const [complaints, strays]: [string[], string[]] = [[], []];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url());
    const isOwn = request.url() === url || protocol === "data:" || hostname === "127.0.0.1";
    if (!isOwn) strays.push(request.url());
  });
  await page.goto(url);
  return { page, complaints, strays };
}
