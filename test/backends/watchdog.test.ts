import { describe, expect, test } from "vitest";
import { within } from "../../src/backends/watchdog.ts";
import { promiseWithResolve } from "../helpers/milestones.ts";

const never = new Promise<never>(() => {});
const unheard = new AbortController().signal;
const late = () => new Error("too late");

describe("a step", () => {
  test("that settles is passed on, value or error", async () => {
    await expect(within(60_000, unheard, Promise.resolve(1), late)).resolves.toBe(1);
    const failed = Promise.reject(new Error("no"));
    await expect(within(60_000, unheard, failed, late)).rejects.toThrow("no");
  });

  test("that takes too long is late", async () => {
    await expect(within(1, unheard, never, late)).rejects.toThrow("too late");
  });

  test("may take for ever", async () => {
    const afterATimer = new Promise((resolve) => setTimeout(resolve, 5, "done"));
    await expect(within(Number.POSITIVE_INFINITY, unheard, afterATimer, late)).resolves.toBe(
      "done",
    );
  });

  test("ends with the reason of an abort, before it and during it", async () => {
    const reason = new Error("enough");
    await expect(within(60_000, AbortSignal.abort(reason), never, late)).rejects.toBe(reason);
    const controller = new AbortController();
    const waiting = within(60_000, controller.signal, never, late);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  test("that fails after it was given up disturbs nobody", async () => {
    const controller = new AbortController();
    const { promise, resolve } = promiseWithResolve<void>();
    const step = promise.then(() => Promise.reject(new Error("nobody listens")));
    const waiting = within(60_000, controller.signal, step, late);
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    resolve();
    await expect(step).rejects.toThrow("nobody listens");
  });
});
