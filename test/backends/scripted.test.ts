import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  BackendError,
  type Backend,
  type ModelRequest,
  type StreamEvent,
} from "../../src/backends/backend.ts";
import { createRecordedBackend, createRecordingBackend } from "../../src/backends/recorded.ts";
import { createScriptedBackend, loadScript } from "../../src/backends/scripted.ts";
import type { TaskName } from "../../src/session/task.ts";

const folder = mkdtempSync(join(tmpdir(), "broharness-"));
const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const request = (task: TaskName): ModelRequest => ({
  system: "",
  messages: [{ role: "user", text: "hi" }],
  temperature: 0,
  output_tokens_max: 100,
  offer: { task, question: "hi", skills: [], tools: [], loaded_skills: [], log: [] },
});
async function all(
  backend: Backend,
  task: TaskName = "answer",
  signal = new AbortController().signal,
) {
  const events: StreamEvent[] = [];
  for await (const event of backend.stream(request(task), signal)) events.push(event);
  return events;
}
const textOf = (events: StreamEvent[]) =>
  events.flatMap((event) => (event.type === "text" ? [event.text] : [])).join("");

describe("scripted", () => {
  test("gives its replies one after the other, in small pieces, thinking first", async () => {
    const backend = createScriptedBackend([
      { text: "0123456789", thinking: "hm" },
      { text: "b", finish: "length" },
    ]);
    expect(await all(backend)).toEqual([
      { type: "thinking", text: "hm" },
      { type: "text", text: "0123456" },
      { type: "text", text: "789" },
      { type: "stop", finish: "stop" },
    ]);
    expect(await all(backend)).toEqual([
      { type: "text", text: "b" },
      { type: "stop", finish: "length" },
    ]);
  });

  test("says so when its replies are used up", async () => {
    await expect(all(createScriptedBackend([], "scripted/x.jsonl"))).rejects.toThrow(
      "scripted/x.jsonl: all 0 replies of the script are used up, and the turn wants another one",
    );
  });

  test("reads a file with BOM, CRLF, empty lines and unicode", () => {
    const path = file(
      "good.jsonl",
      '\uFEFF{"text":"a"}\r\n\r\n{"text":"😀","thinking":"t","finish":"length"}',
    );
    expect(loadScript(path)).toEqual([
      { text: "a" },
      { text: "😀", thinking: "t", finish: "length" },
    ]);
  });

  test.each([
    ["{", 'line 1: expected a JSON object like {"text": "…"}, got {'],
    ["[]", 'line 1: expected a JSON object like {"text": "…"}, got []'],
    ['{"text":"a"}\n{"txt":"b"}', 'line 2: unknown key "txt"; known are text, thinking, finish'],
    ['{"thinking":"b"}', 'line 1: "text" has to be a string'],
    ['{"text":"a","thinking":1}', 'line 1: "thinking" has to be a string'],
    [
      '{"text":"a","finish":"end"}',
      'line 1: "finish" has to be "stop", "length" or "content_filter"',
    ],
  ])("refuses %s with the line and the reason", (text, message) => {
    expect(() => loadScript(file("bad.jsonl", text))).toThrow(message);
  });

  test("names a file that is not there", () => {
    expect(() => loadScript(join(folder, "none.jsonl"))).toThrow("none.jsonl: no such file");
  });

  test("waits for no pipe and reads no folder and no huge file", () => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const huge = file("huge.jsonl", "");
    truncateSync(huge, 1024 ** 3);
    for (const path of [pipe, folder])
      expect(() => loadScript(path)).toThrow(`${path}: not a file but a folder, pipe or device; `);
    expect(() => loadScript(huge)).toThrow("huge.jsonl: over 64 MB; a script is a file of");
  });

  test("stops when it is told to", async () => {
    const stop = new AbortController();
    stop.abort();
    await expect(
      all(createScriptedBackend([{ text: "a" }]), "answer", stop.signal),
    ).rejects.toThrow("aborted");
  });
});

describe("recorded", () => {
  test("plays back what was recorded, faults and usage included", async () => {
    const path = join(folder, "recording.jsonl");
    const original: Backend = {
      id: "real/model",
      async *stream({ offer }) {
        if (offer.task === "tool_call")
          throw new BackendError("throttled", "wait", { retryable: true });
        yield { type: "thinking", text: "hm" };
        yield { type: "text", text: "hello" };
        yield { type: "usage", input_tokens: 3, output_tokens: 1 };
        yield { type: "stop", finish: "stop" };
      },
    };
    const recording = createRecordingBackend(original, path);
    expect(recording.id).toBe("real/model");
    expect(textOf(await all(recording, "skill_call"))).toBe("hello");
    await expect(all(recording, "tool_call")).rejects.toThrow("wait");

    const played = createRecordedBackend(path);
    const events = await all(played, "skill_call");
    expect(textOf(events)).toBe("hello");
    expect(events.slice(-2)).toEqual([
      { type: "usage", input_tokens: 3, output_tokens: 1 },
      { type: "stop", finish: "stop" },
    ]);
    await expect(all(played, "tool_call")).rejects.toMatchObject({
      fault: "throttled",
      retryable: true,
    });
    await expect(all(played, "answer")).rejects.toThrow(
      "all 2 replies of the recording are used up",
    );
  });

  test("a reader that leaves early is recorded as far as it read", async () => {
    const path = join(folder, "early.jsonl");
    const recording = createRecordingBackend(createScriptedBackend([{ text: "0123456789" }]), path);
    for await (const event of recording.stream(request("answer"), new AbortController().signal))
      if (event.type === "text") break;
    expect(readFileSync(path, "utf8")).toBe(
      '{"task":"answer","text":"0123456","thinking":"","finish":"stop"}\n',
    );
  });

  test("refuses a request that the recording was not made for", async () => {
    const path = file("other.jsonl", '{"task":"skill_call","text":"a"}\n');
    await expect(all(createRecordedBackend(path), "answer")).rejects.toThrow(
      "reply 1 was recorded for skill_call, but the turn is in answer: it has left the recorded path",
    );
  });

  test("a recording that cannot be written is an error before the first request", () => {
    const pipe = join(folder, "unread");
    execFileSync("mkfifo", [pipe]);
    for (const [path, why] of [
      [join(folder, "no", "such", "folder"), "no such file or folder"],
      [folder, "it is a folder"],
      [pipe, "nothing reads this pipe"],
    ] as const)
      expect(() => createRecordingBackend(createScriptedBackend([]), path)).toThrow(
        `${path}: the recording cannot be written: ${why}; choose another file`,
      );
  });

  test("an old recording is kept until there is a first reply", async () => {
    const path = file("old.jsonl", "old\n");
    const recording = createRecordingBackend(createScriptedBackend([{ text: "a" }]), path);
    expect(readFileSync(path, "utf8")).toBe("old\n");
    await all(recording);
    expect(readFileSync(path, "utf8")).toBe(
      '{"task":"answer","text":"a","thinking":"","finish":"stop"}\n',
    );
  });
});
