import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { inlinable, pageWith } from "../../../src/inspector/server/page.ts";
import type { Recording } from "../../../src/inspector/protocol.ts";

const svg = `<svg xmlns="http://www.w3.org/2000/svg" data-view="map"></svg>`;
const nothing: Recording = {
  source: "recorded",
  title: "",
  version: "0.1.0",
  chart: { id: "turn", nodes: [], arcs: [] },
  runs: [],
  prompts: null,
};
const hash = (text = "") => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const inside = (html: string, name: string) =>
  [...html.matchAll(new RegExp(`<${name}>([\\s\\S]*?)</${name}>`, "g"))].map(([, text]) => text);

test("a page that is served has no recording; its policy lets its own script and style run", () => {
  const { html, policy } = pageWith({ title: "what?", svg, recording: null });
  expect(html).toMatch(/^<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n/);
  expect(html).toContain("<title>what?</title>");
  expect(html).toContain(`<template id="chart-svg">${svg}</template>`);
  expect(html).not.toContain(`id="recording"`);
  expect(html).not.toContain("Content-Security-Policy");
  const [script, style] = [inside(html, "script"), inside(html, "style")];
  expect([script.length, style.length]).toStrictEqual([1, 1]);
  expect(script[0]?.length).toBeGreaterThan(10_000);
  expect(policy).toStrictEqual([
    "default-src 'none'",
    `script-src ${hash(script[0])}`,
    `style-src ${hash(style[0])}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ]);
});

test("an exported page says itself that it may reach nothing", () => {
  const { html, policy } = pageWith({ title: "", svg, recording: nothing });
  expect(html).toContain(
    `<meta http-equiv="Content-Security-Policy" content="${policy.join("; ")}">`,
  );
  // The policy has to come before what it is about.
  expect(html.indexOf("http-equiv")).toBeLessThan(html.indexOf("<title>"));
  expect(policy.join()).not.toContain("connect-src");
});

test.each([
  "</script><script>alert(1)</script>",
  "<!--<script>",
  "]]></SCRIPT >",
  "a\u2028b\u2029c",
  "\ud800 alone",
  '"><img src=x onerror=alert(1)>',
])("%j in a recording and its title stays text", (hostile) => {
  const { html } = pageWith({ title: hostile, svg, recording: { ...nothing, title: hostile } });
  const [, json = ""] =
    /<script type="application\/json" id="recording">([\s\S]*?)<\/script>/.exec(html) ?? [];
  expect(json).not.toMatch(/[<\u2028\u2029]/);
  expect((JSON.parse(json) as Recording).title).toBe(hostile);
  expect(html.match(/<script/g)).toHaveLength(2);
  expect(inside(html, "title")[0]).not.toMatch(/[<>"]/);
});

test.each(["</template>", "<script>", "<TEMPLATE>"])("a drawing with %s is a bug", (part) => {
  expect(() => pageWith({ title: "", svg: part, recording: null })).toThrow(
    "the drawing would end its template",
  );
});

test.each([
  [{ script: `"</script>"`, style: "" }, "page.js cannot stand in a page"],
  [{ script: `"<!-- "`, style: "" }, "page.js cannot stand in a page"],
  [{ script: "a\r\nb", style: "" }, "page.js cannot stand in a page"],
  [{ script: "", style: "a{content:'</STYLE'}" }, "page.css cannot stand in a page"],
])("%j cannot be put in a page", (given, why) => {
  expect(() => inlinable(given)).toThrow(why);
});
