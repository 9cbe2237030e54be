import { defineConfig } from "vitest/config";

// Without a config file vitest would take the first one it finds in a folder above.
// Real subprocesses on a busy two-core machine: the time limit is a net against hangs, not a measurement.
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: ["test/helpers/build.ts"],
  },
});
