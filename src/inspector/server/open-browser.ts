import { spawn } from "node:child_process";

/** What opens an address in the browser that a person chose for the system. */
const openers: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ["open"],
  // `start` is no program but a word of the shell.
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/**
 * Opens an address in a browser, if there is one: it is no fault if not, because the address is printed anyway. `browser` is
 * what $BROWSER says: commands with a colon between them, of which the first is taken; `%s` in it is where the address goes.
 */
export function openBrowser(
  address: string,
  browser: string | undefined,
  platform: NodeJS.Platform = process.platform,
): void {
  const [command, ...options] = chosen(browser, platform) ?? openers[platform] ?? ["xdg-open"];
  if (command === undefined) return;
  const hasPlace = options.includes("%s");
  const args = hasPlace
    ? options.map((option) => (option === "%s" ? address : option))
    : [...options, address];
  try {
    // No shell: whatever stands in the address stays one argument.
    const child = spawn(command, args, { detached: true, stdio: "ignore", windowsHide: true });
    child.on("error", () => {});
    child.unref();
  } catch {
    // A command that cannot even be tried.
  }
}

function chosen(browser: string | undefined, platform: NodeJS.Platform): string[] | null {
  const first = browser?.split(platform === "win32" ? ";" : ":")[0]?.trim() ?? "";
  return first === "" ? null : first.split(/\s+/);
}
