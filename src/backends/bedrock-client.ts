import type {
  ConverseStreamCommandInput,
  ConverseStreamCommandOutput,
} from "@aws-sdk/client-bedrock-runtime";
import { env } from "node:process";

/** What a client is made from. Blank values count as not given. */
interface BedrockSettings {
  region?: string | undefined;
  endpoint?: string | undefined;
  profile?: string | undefined;
  /** The variables this program may use. The SDK reads its own (keys, profile, endpoint) from the process besides. */
  environment: Record<string, string | undefined>;
}

/** A client that keeps its connection and its credentials from call to call. */
export interface BedrockConnection {
  region: string;
  /** Sends one request. An abort ends it, but for the look-up of credentials, which cannot be interrupted. */
  converse(
    input: ConverseStreamCommandInput,
    signal: AbortSignal,
  ): Promise<ConverseStreamCommandOutput>;
}

const REGION_DEFAULT = "us-east-1";
const CONNECT_MS_MAX = 10_000;
// On a machine that is not on EC2 the metadata address may swallow packets: with the SDK's limit "no credentials" takes
// 2 s to be said. AWS_EC2_METADATA_DISABLED=true skips the question altogether.
const METADATA_MS_MAX = 500;
const NODE_WARNING_SWITCH = "AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED";

const nothing = () => {};
// Without a logger the SDK writes to the console, for one when a profile and keys are both set.
const silentLogger = {
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
};

/**
 * Loads the SDK (about 100 ms, hence only here) and makes a client with fresh credentials.
 * Not covered: neither the SDK nor its handler reads HTTPS_PROXY, so a proxy that must be named is not supported.
 */
export async function connectToBedrock(settings: BedrockSettings): Promise<BedrockConnection> {
  const [sdk, { NodeHttpHandler }] = await Promise.all([
    import("@aws-sdk/client-bedrock-runtime"),
    import("@smithy/node-http-handler"),
  ]);
  const options = {
    ...credentialSource(settings),
    logger: silentLogger,
    // Retries belong to the harness, which shows them and counts them.
    maxAttempts: 1,
    // HTTP/1.1: over the SDK's default, HTTP/2, a connection that is cut looks like an answer that ended.
    requestHandler: new NodeHttpHandler({
      connectionTimeout: CONNECT_MS_MAX,
      logger: silentLogger,
    }),
    ...given("endpoint", settings.endpoint),
  };
  const clientFor = (region: string | undefined) =>
    withoutNodeWarning(
      () => new sdk.BedrockRuntimeClient({ ...options, ...given("region", region) }),
    );

  const { environment } = settings;
  const chosen = [
    settings.region,
    environment["AWS_REGION"],
    environment["AWS_DEFAULT_REGION"],
  ].find(isGiven);
  let client = clientFor(chosen);
  // Without a choice the SDK looks into the profile's settings, and rejects when there is no region either.
  const region = await client.config.region().catch(() => REGION_DEFAULT);
  if (!chosen) client = clientFor(region);
  return {
    region,
    converse: (input, abortSignal) =>
      client.send(new sdk.ConverseStreamCommand(input), { abortSignal }),
  };
}

/** Exactly one way to prove who we are: a Bedrock API key when there is one, else the SDK's chain. */
function credentialSource({ environment, profile }: BedrockSettings) {
  const apiKey = environment["AWS_BEARER_TOKEN_BEDROCK"];
  if (isGiven(apiKey))
    return { token: { token: apiKey.trim() }, authSchemePreference: ["httpBearerAuth"] };
  return {
    // The SDK takes an empty API key for a chosen one, and then cannot sign.
    ...(apiKey !== undefined && { authSchemePreference: ["sigv4"] }),
    ...given("profile", profile),
    // Neither of the next two is an option of the client, but it hands its whole configuration to the credential chain.
    // Read ~/.aws again: the SDK keeps both files for the life of the process, even for a new client.
    ignoreCache: true,
    ...(isContainer(environment) ? {} : { timeout: METADATA_MS_MAX }),
  };
}

/** Containers (ECS, EKS) are given credentials by a service under the same option; that one keeps its time. */
function isContainer(environment: BedrockSettings["environment"]): boolean {
  return (
    isGiven(environment["AWS_CONTAINER_CREDENTIALS_FULL_URI"]) ||
    isGiven(environment["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"])
  );
}

/**
 * The SDK announces once a process, on stderr, which Node version it will need in 2027; that would tear a full-screen
 * display. Its only switch is this variable, read while a client is constructed, so it is set for just that long.
 */
function withoutNodeWarning<T>(construct: () => T): T {
  const before = env[NODE_WARNING_SWITCH];
  env[NODE_WARNING_SWITCH] = "true";
  try {
    return construct();
  } finally {
    if (before === undefined) delete env[NODE_WARNING_SWITCH];
    else env[NODE_WARNING_SWITCH] = before;
  }
}

function given<Key extends string>(
  key: Key,
  value: string | undefined,
): { [name in Key]?: string } {
  return isGiven(value) ? ({ [key]: value.trim() } as { [name in Key]?: string }) : {};
}

function isGiven(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== "";
}
