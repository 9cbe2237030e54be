import type { Rule } from "./bedrock-facts.ts";

/**
 * Whatever is wrong with who we are. A refused signature is never quoted: the service's text for it repeats the signed
 * headers, session token included.
 */
export const credentialRules: Rule[] = [
  {
    when: ({ name, message }) =>
      name.endsWith("ProviderError") &&
      /\bsso (session|login|token)|session token not found/i.test(message),
    fault: "auth",
    say: (_facts, { profile }) =>
      `the AWS SSO session of ${profileName(profile)} has expired or was never opened: run: aws sso login${profileFlag(profile)}`,
  },
  {
    when: ({ name, message }) =>
      name.endsWith("ProviderError") && /\blogin[\\/]cache\b|\baws login\b/.test(message),
    fault: "auth",
    say: (_facts, { profile }) =>
      `${profileName(profile)} has no valid AWS login session: run: aws login${profileFlag(profile)}`,
  },
  {
    when: ({ name }) => name === "CredentialsProviderError",
    fault: "auth",
    say: (_facts, { profile }) =>
      profile === undefined
        ? "no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or AWS_BEARER_TOKEN_BEDROCK; or run without -m to use the offline matcher"
        : `no AWS credentials in profile "${profile}": check the name and its keys in ~/.aws/credentials and ~/.aws/config (aws configure list --profile ${profile})`,
  },
  {
    when: ({ name, message }) =>
      name === "TokenProviderError" || message.includes("could not be signed"),
    fault: "auth",
    say: () =>
      "the Bedrock API key cannot be used: set AWS_BEARER_TOKEN_BEDROCK to a key, or unset it to use other credentials",
  },
  {
    when: ({ name, message }) =>
      name === "RequestTimeTooSkewed" || /signature (expired|not yet current)/i.test(message),
    fault: "auth",
    say: () => "AWS refuses the request's time: set this machine's clock and ask again",
  },
  {
    when: ({ message }) => /not authorized to perform: sts:/.test(message),
    fault: "auth",
    say: ({ words }, { profile }) =>
      `${profileName(profile)} may not take on its role: check role_arn and the role's trust policy${words}`,
  },
  {
    when: ({ name }) => /^(ExpiredToken|RequestExpired)/.test(name),
    fault: "auth",
    say: (_facts, { profile }) =>
      `the AWS credentials have expired: renew them (run: aws sso login${profileFlag(profile)}, or set a new AWS_SESSION_TOKEN with its keys) and ask again`,
  },
  {
    when: ({ name }) =>
      /^(UnrecognizedClient|InvalidClientTokenId|InvalidSignature|SignatureDoesNotMatch|IncompleteSignature|MissingAuthenticationToken)/.test(
        name,
      ),
    fault: "auth",
    say: () =>
      "AWS does not accept these credentials: check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or the keys of the profile",
  },
  {
    when: ({ status, message }) =>
      status === 401 ||
      (status === 403 && /\bapi key\b|\bbearer token\b|authentication failed/i.test(message)),
    fault: "auth",
    say: () =>
      "Bedrock does not accept the API key: make a new one in the Bedrock console and set AWS_BEARER_TOKEN_BEDROCK",
  },
];

function profileName(profile: string | undefined): string {
  return profile === undefined ? "the default profile" : `profile "${profile}"`;
}

function profileFlag(profile: string | undefined): string {
  return profile === undefined ? "" : ` --profile ${profile}`;
}
