export interface Stop {
  signal: AbortSignal;
  /** Stops the clock of the time limit, or lets it go on. */
  holdClock: (isHeld: boolean) => void;
  release: () => void;
}

const onTerminal = () => [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);

const SECOND_CTRL_C_MS = 2000;
/** Node turns a longer delay into 1 ms. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * Ctrl-C, SIGTERM, the end of the terminal and the time limit as one signal. A second Ctrl-C within two seconds does not
 * wait for anything but `cleanUp`.
 */
export function listenForStop(timeoutSeconds: number, cleanUp: () => void): Stop {
  const stopped = new AbortController();
  let interruptedAt = 0;
  const interrupt = () => {
    if (interruptedAt > 0 && Date.now() - interruptedAt < SECOND_CTRL_C_MS) {
      cleanUp();
      process.exit(130);
    }
    interruptedAt = Date.now();
    stopped.abort("user");
  };
  const terminate = () => stopped.abort("terminate");
  const clock = createClock(timeoutSeconds * 1000, () =>
    stopped.abort(new DOMException(`no answer within ${timeoutSeconds} s`, "TimeoutError")),
  );
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", terminate);
  // Default handling would leave scripts running. Without a terminal it is left alone: nohup has it ignored.
  if (onTerminal()) process.on("SIGHUP", terminate);
  return {
    signal: stopped.signal,
    holdClock: (isHeld) => clock.hold(isHeld),
    release: () => {
      clock.hold(true);
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", terminate);
      process.off("SIGHUP", terminate);
    },
  };
}

/** Calls `onEnd` once it has run for so long; it runs from the beginning. */
function createClock(milliseconds: number, onEnd: () => void) {
  let left = milliseconds;
  let startedAt = performance.now();
  const start = () => setTimeout(onEnd, Math.min(left, TIMER_MS_MAX));
  let timer: NodeJS.Timeout | null = start();
  return {
    hold(isHeld: boolean) {
      if (isHeld && timer) {
        clearTimeout(timer);
        timer = null;
        left -= performance.now() - startedAt;
      } else if (!isHeld && !timer) {
        startedAt = performance.now();
        timer = start();
      }
    },
  };
}

/** Resolves when `other` aborts, or with Ctrl-C, SIGTERM or the end of the terminal. */
export function untilStopped(other: AbortSignal): Promise<void> {
  const signals = ["SIGINT", "SIGTERM", ...(onTerminal() ? ["SIGHUP"] : [])];
  return new Promise((resolve) => {
    const end = () => {
      for (const signal of signals) process.off(signal, end);
      resolve();
    };
    for (const signal of signals) process.on(signal, end);
    other.addEventListener("abort", end);
    if (other.aborted) end();
  });
}
