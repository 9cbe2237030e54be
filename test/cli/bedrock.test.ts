import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { cli, startCli, temporaryFolder, withoutSession } from "../helpers/cli.ts";
import {
  startFakeBedrock,
  type FakeBedrock,
  type FakeBedrockOptions,
} from "../helpers/fake-bedrock.ts";
import { gone, idsIn } from "../helpers/processes.ts";

const block = (...calls: { name: string; input: object }[]) =>
  `\`\`\`json\n${JSON.stringify({ tool_use: calls })}\n\`\`\``;
const loadFileOps = block({ name: "load_skill", input: { skill_name: "file-ops" } });
const readA = block({ name: "read_file", input: { path: "a.txt" } });

let fake: FakeBedrock | undefined;
afterEach(() => fake?.close());

/** A fake Bedrock that replies in this order, and the environment that leads the real SDK to it. */
async function bedrock(replies: readonly string[], options: FakeBedrockOptions = {}) {
  fake = await startFakeBedrock({
    reply: (_body, n) => replies[n - 1] ?? "I have no more to say.",
    ...options,
  });
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "a.txt"), "hi\n");
  const env = {
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: fake.url,
    AWS_ACCESS_KEY_ID: "test-key",
    AWS_SECRET_ACCESS_KEY: "test-secret",
    AWS_CONFIG_FILE: join(cwd, "none"),
    AWS_SHARED_CREDENTIALS_FILE: join(cwd, "none"),
  };
  return { fake, cwd, env };
}
const events = (stdout: string) =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; [key: string]: unknown });

describe("the real SDK against a server on loopback", () => {
  test("a whole turn, streamed, with a tool call, a refusal and its recovery", async () => {
    const {
      fake: server,
      cwd,
      env,
    } = await bedrock([loadFileOps, "Let me read it.", readA, block(), "It says hi."]);
    const { stdout, exitCode } = await cli(
      ["what is in a.txt?", "-m", "bedrock", "--output-format", "stream-json"],
      { cwd, env },
    );
    const told = events(stdout);
    expect(told.at(-1)).toMatchObject({
      outcome: "answered",
      text: "It says hi.",
      path: [
        "skill_call",
        "tool_use",
        "tool_call",
        "fail_recovery",
        "tool_call",
        "tool_use",
        "tool_call",
        "answer",
        "answered",
      ],
      exit_code: 0,
    });
    expect(told.find(({ type }) => type === "refusal")).toMatchObject({
      task: "tool_call",
      code: "no_block",
    });
    expect(told.findLast(({ type }) => type === "tool_result")).toMatchObject({
      ok: true,
      output: "hi\n",
      exit_code: 0,
    });
    expect(exitCode).toBe(0);
    expect(server.requests.map(({ model }) => model)).toEqual(
      Array.from({ length: 5 }, () => "google.gemma-3-12b-it"),
    );
    expect(
      server.requests.every(({ http, body }) => http === "1.1" && !("toolConfig" in body)),
    ).toBe(true);
  });

  test("a throttle is waited out, visibly, and the turn goes on", async () => {
    const { cwd, env } = await bedrock(["", block(), "Hello."], {
      faults: [
        { kind: "http", status: 429, type: "ThrottlingException", headers: { "retry-after": "1" } },
      ],
    });
    const { stdout, stderr, exitCode } = await cli(["hi", "-m", "bedrock"], { cwd, env });
    expect(stdout).toBe("Hello.\n");
    expect(stderr).toMatch(/^broharness: .*throttl.*\(trying again\)\n$/i);
    expect(exitCode).toBe(0);
  });

  test("a stream that is cut is no answer: it is asked for again", async () => {
    const { cwd, env } = await bedrock([block(), "Half an ans", "A whole answer."], {
      faults: [{ kind: "none" }, { kind: "drop", after: 2 }],
    });
    const { stdout, stderr } = await cli(["hi", "-m", "bedrock"], { cwd, env });
    expect(stdout).toBe("A whole answer.\n");
    expect(stderr).toContain("(trying again)");
  });

  test("a model that rambles on after its block is stopped there", async () => {
    const rambling = `${loadFileOps}\n${"And now I will explain at length. ".repeat(400)}`;
    const { fake: server, cwd, env } = await bedrock([rambling, block(), "Hello."], { delayMs: 1 });
    const { stdout } = await cli(["hi", "-m", "bedrock"], { cwd, env });
    expect(stdout).toBe("Hello.\n");
    expect(server.aborted).toBeGreaterThanOrEqual(1);
    expect(server.requests[0]?.sent).toBeLessThan(400);
  });

  test("refused credentials end the turn with the sentence that says what to do", async () => {
    const { cwd, env } = await bedrock([], {
      faults: [
        {
          kind: "http",
          status: 403,
          type: "UnrecognizedClientException",
          message: "The security token is invalid.",
        },
      ],
    });
    const { stderr, exitCode } = await cli(["hi", "-m", "bedrock"], { cwd, env });
    expect(stderr).toMatch(/credential|key/i);
    expect(exitCode).toBe(3);
  });
});

describe("signals", () => {
  const endless = { delayMs: 5, reply: () => "word ".repeat(100_000) };

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "%s in the middle of a reply: the server sees the disconnect, exit code %i",
    async (signal, code) => {
      const { fake: server, cwd, env } = await bedrock([], endless);
      const running = startCli(["hi", "-m", "bedrock"], { cwd, env });
      await server.whenAsked(1);
      running.kill(signal);
      await server.whenDisconnected(1);
      const { exitCode, stderr } = await running;
      expect(exitCode).toBe(code);
      expect(withoutSession(stderr)).toBe("broharness: stopped\n");
      expect(server.live).toBe(0);
    },
  );

  test("SIGINT in the middle of a script: no child process is left", async () => {
    const { cwd, env } = await bedrock([
      block({ name: "load_skill", input: { skill_name: "slow" } }),
      block({ name: "family", input: {} }),
    ]);
    mkdirSync(join(cwd, "mine/slow/scripts"), { recursive: true });
    writeFileSync(
      join(cwd, "mine/slow/SKILL.md"),
      "---\nname: slow\ndescription: Is slow.\n---\nBe slow.\n",
    );
    writeFileSync(
      join(cwd, "mine/slow/scripts/family.mjs"),
      `import { spawn } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
export const description = "Starts a child and waits.";
export const options = {};
const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" });
writeFileSync("ids.part", JSON.stringify([process.pid, child.pid]));
renameSync("ids.part", "ids");
setInterval(() => {}, 1000);
`,
    );
    const running = startCli(
      ["be slow", "-m", "bedrock", "--skills", "mine", "--trust", "slow", "--sandbox", "off"],
      { cwd, env },
    );
    const ids = await idsIn(join(cwd, "ids"));
    running.kill("SIGINT");
    const { exitCode } = await running;
    expect(exitCode).toBe(130);
    expect(await gone(ids)).toBe(2);
  });
});
