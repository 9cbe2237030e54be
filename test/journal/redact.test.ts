import { expect, test } from "vitest";
import { createRedactor, secretsOf } from "../../src/journal/redact.ts";

const textOf = (text: string, secrets: readonly string[] = []) =>
  createRedactor(secrets).redact({ text }).value.text;

test("secrets of an environment: by their names, eight characters and more, the longest first", () => {
  expect(
    secretsOf({
      API_KEY: "12345678",
      github_token: "a longer token",
      DB_PASSWORD: "1234567",
      AWS_SECRET: undefined,
      HOME: "/home/somebody",
    }),
  ).toStrictEqual(["a longer token", "12345678"]);
});

// The private key is put together here, so that nobody who searches for keys finds one.
const key = ["-----BEGIN RSA PRIVATE", " KEY-----"].join("");
const end = ["-----END RSA PRIVATE", " KEY-----"].join("");
const body = "MIIEpAIBAAKCAQEA1234567890abcdefghij+/ABCDEF";
test.each([
  [`id AKIAIOSFODNN7EXAMPLE.`, "id [redacted:1]."],
  [`id ASIAIOSFODNN7EXAMPLE.`, "id [redacted:1]."],
  [`sk-ant-api03-abcdefghijklmnop`, "[redacted:1]"],
  [`sk_live_abcdefghijklmnop`, "[redacted:1]"],
  [`ghp_abcdefghijklmnopqrstuvwxyz`, "[redacted:1]"],
  [`gho_abcdefghijklmnopqrstuvwxyz`, "[redacted:1]"],
  [`github_pat_abcdefghijklmnopqrstuvwxyz`, "[redacted:1]"],
  [`xoxb-1234567890-abc`, "[redacted:1]"],
  [`xoxp-1234567890-abc`, "[redacted:1]"],
  [
    "curl -H 'Authorization: Bearer abc.def-123' x",
    "curl -H 'Authorization: Bearer [redacted:1]' x",
  ],
  ["postgres://me:pass-word@host/db", "postgres://me:[redacted:1]@host/db"],
  ["redis://:pass-word@host", "redis://:[redacted:1]@host"],
  [`a\n${key}\nProc-Type: 4,ENCRYPTED\n\n${body}\n${end}\nb`, "a\n[redacted:1]\nb"],
  [`{"k":"${key}\\n${body}\\n${end}\\n"}`, '{"k":"[redacted:1]\\n"}'],
  [`cut: ${key}\n${body}\n${body}\n… and so on`, "cut: [redacted:1]\n… and so on"],
])("%s", (text, redacted) => {
  expect(textOf(text)).toBe(redacted);
});

test.each([
  "a risk-management-of-large-projects plan",
  "Bearer of bad news",
  "http://localhost:8080/a@b",
  "mail me@example.org at 10:30",
  "a file begins with -----BEGIN PRIVATE KEY----- and a line break",
])("no secret: %s", (text) => {
  const { value, found } = createRedactor([]).redact({ text });
  expect(value).toStrictEqual({ text });
  expect(found).toBe(false);
});

test("one secret has one number over all records, and two secrets have two", () => {
  const redactor = createRedactor(["first secret", "other secret"]);
  expect(redactor.redact({ a: "other secret", b: ["first secret, other secret"] })).toStrictEqual({
    value: { a: "[redacted:1]", b: ["[redacted:2], [redacted:1]"] },
    found: true,
  });
  expect(redactor.redact({ c: "first secret" }).value).toStrictEqual({ c: "[redacted:2]" });
  expect(redactor.redact({ c: "none" })).toStrictEqual({ value: { c: "none" }, found: false });
});

test("a number that stands in a text already is not given to another secret", () => {
  const redactor = createRedactor(["first secret"]);
  expect(redactor.redact("as before: [redacted:4]")).toStrictEqual({
    value: "as before: [redacted:4]",
    found: false,
  });
  expect(redactor.redact("first secret").value).toBe("[redacted:5]");
});

test("a secret that holds another one is taken out whole", () => {
  expect(textOf("a long secret", secretsOf({ A_KEY: "a secret", B_KEY: "long secret" }))).toBe(
    "a [redacted:1]",
  );
});

test("keys, numbers and the words that decide how a record is read stay", () => {
  const record = { type: "answered", "my password": 12345678, no: null, __proto__: null };
  expect(createRedactor(["answered", "my password", "12345678"]).redact(record)).toStrictEqual({
    value: record,
    found: false,
  });
  expect(createRedactor(["answered"]).redact({ text: "answered" }).value).toStrictEqual({
    text: "[redacted:1]",
  });
  expect(textOf("nothing to hide", [""])).toBe("nothing to hide");
});

test("signs that replace() gives a meaning are ordinary in a secret", () => {
  expect(textOf("a $&$1\\d+ b", ["$&$1\\d+"])).toBe("a [redacted:1] b");
});

// These would take minutes if reading were not linear; the test's time limit is the only clock.
test.each([
  ["keys without an end", `${key}\n`.repeat(40_000)],
  ["a key that never ends", `${key}${"a".repeat(1_000_000)}`],
  ["addresses without a host", "://a:".repeat(200_000)],
  ["one long name", `://${"a".repeat(1_000_000)}`],
  ["dashes", "-".repeat(1_000_000)],
  ["tokens that are too short", `sk-a `.repeat(200_000)],
  ["marks that never close", "[redacted:1".repeat(100_000)],
])("hostile text of a megabyte: %s", (_, text) => {
  expect(textOf(text).length).toBeGreaterThan(0);
});
