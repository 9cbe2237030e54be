import { describe, expect, test } from "vitest";
import { bedrockError } from "../../src/backends/bedrock-faults.ts";
import { summary } from "../helpers/bedrock-requests.ts";

describe("an error no service sent", () => {
  const target = {
    model: "m",
    region: "eu-west-1",
    profile: "work",
    endpoint: undefined,
    streaming: false,
  };

  test.each([undefined, null, "text", 7, {}, new Error("plain"), Object.create(null)])(
    "%s becomes an unknown fault",
    (thrown) => {
      const error = bedrockError(thrown, target);
      expect(summary(error)).toBe("unknown final");
      expect(error.message).toContain("the request to m in eu-west-1 failed");
    },
  );

  test("an untrusted certificate names the variable that helps", () => {
    const thrown = Object.assign(new Error("x"), { code: "SELF_SIGNED_CERT_IN_CHAIN" });
    const error = bedrockError(thrown, target);
    expect(summary(error)).toBe("network final");
    expect(error.message).toContain("NODE_EXTRA_CA_CERTS");
  });

  test("the inference profile is that of the region's continent", () => {
    const thrown = Object.assign(new Error("on-demand throughput isn't supported"), {
      name: "ValidationException",
    });
    expect(bedrockError(thrown, target).message).toContain("-m bedrock/eu.m");
    expect(bedrockError(thrown, { ...target, region: "ap-south-1" }).message).toContain("apac.m");
  });

  test("the service's words are one line, bounded, without control characters", () => {
    const thrown = Object.assign(new Error(`a\u001B[31m\nb ${"x".repeat(200_000)}`), {
      name: "ValidationException",
    });
    const { message } = bedrockError(thrown, target);
    expect(message).toContain("(Bedrock says: a [31m b xxx");
    expect(message.length).toBeLessThan(400);
  });

  test("a refused signature is not quoted", () => {
    const thrown = Object.assign(new Error("canonical x-amz-security-token:TOP"), {
      name: "InvalidSignatureException",
    });
    expect(bedrockError(thrown, target).message).not.toContain("TOP");
  });
});
