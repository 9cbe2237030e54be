import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createBedrockBackend, type BedrockOptions } from "../../src/backends/bedrock.ts";
import { ask, FAKE_KEYS, readReply } from "../helpers/bedrock-requests.ts";
import { startFakeBedrock, type FakeBedrock } from "../helpers/fake-bedrock.ts";

let service: FakeBedrock;
let home: string;

/** A process without any AWS setting, but for `variables` and files that do not exist yet. */
function environment(variables: Record<string, string>): void {
  for (const name of Object.keys(env)) if (name.startsWith("AWS_")) vi.stubEnv(name, undefined);
  const files = {
    HOME: home,
    AWS_CONFIG_FILE: join(home, "config"),
    AWS_SHARED_CREDENTIALS_FILE: join(home, "credentials"),
    AWS_EC2_METADATA_DISABLED: "true",
  };
  for (const [name, value] of Object.entries({ ...files, ...variables })) vi.stubEnv(name, value);
}

function write(file: "config" | "credentials", text: string): void {
  writeFileSync(join(home, file), text);
}

function backendWith(options: BedrockOptions = {}) {
  return createBedrockBackend({ endpoint: service.url, environment: env, ...options });
}

async function failure(options: BedrockOptions = {}): Promise<string> {
  const { error } = await readReply(backendWith(options), ask("Hello"));
  return `${error?.fault}: ${error?.message}`;
}

beforeEach(async () => {
  service = await startFakeBedrock();
  home = mkdtempSync(join(tmpdir(), "bedrock-"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
  await service.close();
});

describe("credentials", () => {
  test("none at all: what to set, and the way without", async () => {
    environment({});
    expect(await failure()).toBe(
      "auth: no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or AWS_BEARER_TOKEN_BEDROCK; or run without -m to use the offline matcher",
    );
    expect(service.requests).toEqual([]);
  });

  test("a profile that does not exist is named", async () => {
    environment({ AWS_PROFILE: "wrok" });
    expect(await failure()).toContain('auth: no AWS credentials in profile "wrok"');
    expect(await failure({ profile: "other" })).toContain('in profile "other"');
  });

  test("an SSO session that was never opened: the command that opens it", async () => {
    environment({ AWS_PROFILE: "work" });
    write(
      "config",
      "[profile work]\nsso_session = corp\nsso_account_id = 1\nsso_role_name = dev\n\n[sso-session corp]\nsso_region = us-east-1\nsso_start_url = https://example.invalid\n",
    );
    expect(await failure()).toBe(
      'auth: the AWS SSO session of profile "work" has expired or was never opened: run: aws sso login --profile work',
    );
  });

  test("an SSO profile of the older kind: the same", async () => {
    environment({});
    write(
      "config",
      "[default]\nsso_account_id = 1\nsso_role_name = dev\nsso_region = us-east-1\nsso_start_url = https://example.invalid\n",
    );
    expect(await failure()).toBe(
      "auth: the AWS SSO session of the default profile has expired or was never opened: run: aws sso login",
    );
  });

  test("a login session without its token: the command that makes one", async () => {
    environment({ AWS_PROFILE: "work" });
    write("config", "[profile work]\nlogin_session = arn:aws:iam::1:user/me\nregion = us-east-1\n");
    expect(await failure()).toBe(
      'auth: profile "work" has no valid AWS login session: run: aws login --profile work',
    );
  });

  test("an API key is enough, and goes before keys and profiles", async () => {
    environment({ ...FAKE_KEYS, AWS_PROFILE: "wrok", AWS_BEARER_TOKEN_BEDROCK: "key-1\n" });
    expect((await readReply(backendWith(), ask("Hello"))).text).toBe("Echo: Hello");
    expect(service.requests[0]?.authorization).toBe("Bearer key-1");
  });

  test("an empty API key is none", async () => {
    environment({ ...FAKE_KEYS, AWS_BEARER_TOKEN_BEDROCK: "" });
    expect((await readReply(backendWith(), ask("Hello"))).text).toBe("Echo: Hello");
    expect(service.requests[0]?.authorization).toContain("Credential=AKIAFAKE/");
  });

  test("a profile goes before keys, and says nothing on the console", async () => {
    environment({ ...FAKE_KEYS });
    write("credentials", "[work]\naws_access_key_id = AKIAWORK\naws_secret_access_key = x\n");
    const warn = vi.spyOn(console, "warn");
    await readReply(backendWith({ profile: "work" }), ask("Hello"));
    expect(service.requests[0]?.authorization).toContain("Credential=AKIAWORK/");
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  test("after expired keys the next call reads them again", async () => {
    environment({});
    write("credentials", "[default]\naws_access_key_id = AKIAOLD\naws_secret_access_key = x\n");
    service.faults.push({ kind: "http", status: 403, type: "ExpiredTokenException" });
    const backend = backendWith();
    const first = await readReply(backend, ask("Hello"));
    expect(first.error?.fault).toBe("auth");
    expect(first.error?.retryable).toBe(false);
    write("credentials", "[default]\naws_access_key_id = AKIANEW\naws_secret_access_key = x\n");
    expect((await readReply(backend, ask("Hello"))).text).toBe("Echo: Hello");
    const keys = service.requests.map(
      ({ authorization = "" }) => /AKIA\w+/.exec(authorization)?.[0],
    );
    expect(keys).toEqual(["AKIAOLD", "AKIANEW"]);
  });

  describe("a metadata address that never answers", () => {
    let silent: Server;

    beforeEach(async () => {
      // Reads and never writes; without reading it would not see the client leave.
      silent = createServer((socket) => socket.resume());
      await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
      environment({
        AWS_EC2_METADATA_DISABLED: "false",
        AWS_EC2_METADATA_SERVICE_ENDPOINT: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      });
    });
    afterEach(() => new Promise((resolve) => silent.close(resolve)));

    test("is given up", async () => {
      expect(await failure()).toContain("auth: no AWS credentials");
    });

    test("does not keep an abort waiting", async () => {
      const controller = new AbortController();
      silent.once("connection", () => controller.abort());
      const stream = backendWith().stream(ask("Hello"), controller.signal);
      await expect(stream[Symbol.asyncIterator]().next()).rejects.toThrow("aborted");
      expect(controller.signal.aborted).toBe(true);
    });
  });
});

async function regionOf(options: BedrockOptions = {}): Promise<string | undefined> {
  await readReply(backendWith(options), ask("Hello"));
  return /AKIAFAKE\/\d+\/([^/]+)\//.exec(service.requests.at(-1)?.authorization ?? "")?.[1];
}

describe("the region", () => {
  test("is the option, then AWS_REGION, AWS_DEFAULT_REGION, the profile's, us-east-1", async () => {
    environment({ ...FAKE_KEYS });
    expect(await regionOf()).toBe("us-east-1");
    environment({ ...FAKE_KEYS, AWS_DEFAULT_REGION: "eu-west-2" });
    expect(await regionOf()).toBe("eu-west-2");
    vi.stubEnv("AWS_REGION", "eu-west-1");
    expect(await regionOf()).toBe("eu-west-1");
    expect(await regionOf({ region: "ap-south-1" })).toBe("ap-south-1");
    vi.stubEnv("AWS_REGION", " ");
    expect(await regionOf({ region: "" })).toBe("eu-west-2");
  });

  test("of a profile is used when nothing else says one", async () => {
    environment({ ...FAKE_KEYS });
    write("config", "[default]\nregion = sa-east-1\n");
    expect(await regionOf()).toBe("sa-east-1");
  });
});

describe("the endpoint", () => {
  test("may come from the variable the SDK reads", async () => {
    environment({ ...FAKE_KEYS, AWS_ENDPOINT_URL_BEDROCK_RUNTIME: service.url });
    const backend = createBedrockBackend({ environment: env });
    expect((await readReply(backend, ask("Hello"))).text).toBe("Echo: Hello");
  });

  test("that is no URL is named", async () => {
    environment({ ...FAKE_KEYS });
    expect(await failure({ endpoint: "not a url" })).toBe(
      'bad_request: the Bedrock endpoint "not a url" is not a URL: write it as https://host or http://host:port',
    );
  });

  test("where nobody listens", async () => {
    environment({ ...FAKE_KEYS });
    const { error } = await readReply(
      backendWith({ endpoint: "http://127.0.0.1:9", region: "us-west-2" }),
      ask("Hello"),
    );
    expect(error).toMatchObject({
      fault: "network",
      retryable: true,
      message:
        "Bedrock in us-west-2 cannot be reached (ECONNREFUSED): check the network, and that the region or endpoint exists",
    });
  });
});

test("the environment is as it was after a client was made", async () => {
  environment({ ...FAKE_KEYS });
  const before = { ...env };
  await readReply(backendWith(), ask("Hello"));
  expect({ ...env }).toEqual(before);
});
