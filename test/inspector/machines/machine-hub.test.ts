import { expect, test } from "vitest";
import type { AnyStateMachine } from "xstate";
import type { Json, JsonObject } from "../../../src/contracts/call.ts";
import { chartOf } from "../../../src/inspector/chart/chart-of.ts";
import { createMachineHub } from "../../../src/inspector/machines/machine-hub.ts";
import { patched } from "../../../src/inspector/patch.ts";
import type { FromPage, StepView, ToPage } from "../../../src/inspector/protocol.ts";
import { machineFixture } from "../../helpers/machines.ts";

const door = await machineFixture("door");
const errand = await machineFixture("errand");
const parcel = await machineFixture("parcel");
const player = await machineFixture("player", "default");
const trouble = await machineFixture("trouble");

const hubOf = (machine: AnyStateMachine, input?: Json) =>
  createMachineHub({
    machine,
    chart: chartOf(machine),
    title: machine.id,
    ...(input === undefined ? {} : { input }),
  });

/** A page that keeps what it is told, and the steps of each run as they should be shown. */
function pageOf(hub: ReturnType<typeof hubOf>) {
  const heard: ToPage[] = [];
  const runs = new Map<number, StepView[]>();
  const link = hub.connectPage((message) => {
    heard.push(message);
    if (message.type !== "steps") return;
    const steps = runs.get(message.run) ?? [];
    runs.set(message.run, [...steps.slice(0, message.from), ...message.steps]);
  });
  const send = (step: number, event: unknown, run = 0) =>
    link.receive({ type: "send", run, step, event } as FromPage);
  const refusals = () => heard.flatMap((one) => (one.type === "refused" ? [one.message] : []));
  return { heard, runs, link, send, refusals };
}

const titles = (steps: StepView[] | undefined) =>
  steps?.map(({ title, from, to }) => `${title}: ${from.join(" ")} → ${to.join(" ")}`);

test("a page is greeted with the chart, the runs without steps, and the first step", () => {
  const { heard } = pageOf(hubOf(door));
  expect(heard).toHaveLength(2);
  expect(heard[0]).toMatchObject({
    type: "hello",
    recording: {
      source: "machine",
      title: "door",
      chart: { id: "door" },
      runs: [{ id: 0, name: "as it was", session: null, fork: null, steps: [] }],
      prompts: null,
    },
    status: [],
    can_control: false,
    can_fork: false,
  });
  expect(heard[1]).toMatchObject({
    type: "steps",
    run: 0,
    from: 0,
    steps: [
      {
        turn: 1,
        line: null,
        kind: "turn",
        title: "start",
        from: [],
        to: ["door.shut.locked"],
        arcs: [],
        patch: { keys: { set: 0 } },
        budget: null,
        remaining: null,
        asks_model: false,
        can_fork: false,
        ended: null,
      },
    ],
  });
});

test("an event makes a step: what it was, the arcs, the actions, what it changed", () => {
  const { send, runs } = pageOf(hubOf(door));
  send(0, { type: "key", by: ["me"] });
  expect(runs.get(0)?.[1]).toMatchObject({
    kind: "event",
    type: "key",
    title: "key",
    ok: null,
    from: ["door.shut.locked"],
    to: ["door.shut.locked"],
    arcs: [{ id: "door key #0", allowed: true }],
    actions: ["take_key"],
    patch: { keys: { set: 1 } },
    output: { type: "key", by: ["me"] },
    blocks: [
      {
        label: "Event",
        tone: "code",
        text: '{\n  "type": "key",\n  "by": [\n    "me"\n  ]\n}',
        facts: [],
      },
    ],
  });
});

test("an event that every guard refuses is a step that changes nothing", () => {
  const { send, runs } = pageOf(hubOf(door));
  send(0, { type: "push" });
  expect(runs.get(0)?.[1]).toMatchObject({
    title: "push: every guard said no",
    ok: false,
    to: ["door.shut.locked"],
    arcs: [{ id: "door.shut push #0", allowed: false }],
    patch: {},
  });
});

test("an event after an earlier step begins another run, and both go on", () => {
  const page = pageOf(hubOf(door));
  page.send(0, { type: "key" });
  page.send(1, { type: "turn", way: "left" });
  page.send(1, { type: "say", word: "sesame" });
  page.send(2, { type: "push" }, 1);
  page.send(2, { type: "turn" });
  page.send(0, { type: "ring" }, 1);
  expect(page.heard.flatMap((one) => (one.type === "run" ? [one.run] : []))).toEqual([
    { id: 1, name: "what if 1", session: null, fork: { run: 0, step: 2 }, steps: [] },
    { id: 2, name: "what if 2", session: null, fork: { run: 1, step: 1 }, steps: [] },
  ]);
  expect([0, 1, 2].map((run) => titles(page.runs.get(run)))).toEqual([
    [
      "start:  → door.shut.locked",
      "key: door.shut.locked → door.shut.locked",
      "turn: door.shut.locked → door.shut.unlocked",
      "turn: door.shut.unlocked → door.shut.locked",
    ],
    [
      "start:  → door.shut.locked",
      "key: door.shut.locked → door.shut.locked",
      "say: door.shut.locked → door.shut.unlocked",
      "push: door.shut.unlocked → door.open",
    ],
    ["start:  → door.shut.locked", "ring: door.shut.locked → door.shut.locked"],
  ]);
});

test("two pages see the same, and a page that comes later or left does not disturb", () => {
  const hub = hubOf(player);
  const first = pageOf(hub);
  const second = pageOf(hub);
  first.send(0, { type: "power" });
  second.send(0, { type: "power" });
  second.send(1, { type: "nope" });
  expect(first.refusals()).toEqual([]);
  expect(second.refusals()).toEqual(["no active state takes nope, so nothing would change"]);
  second.link.leave();
  first.send(1, { type: "finish" });
  expect(second.runs.get(0)).toHaveLength(2);
  const third = pageOf(hub);
  expect(third.runs).toEqual(first.runs);
  expect(titles(third.runs.get(0))).toEqual([
    "start:  → player.here.sound.off player.here.tape.stopped",
    "power: player.here.sound.off player.here.tape.stopped → player.here.sound.on.soft player.here.tape.playing",
    "finish: player.here.sound.on.soft player.here.tape.playing → player.end",
  ]);
});

test("the end is told with its output, and nothing comes behind it", () => {
  const { send, runs, refusals } = pageOf(hubOf(player));
  send(0, { type: "power" });
  send(1, { type: "finish" });
  send(2, { type: "power" });
  expect(runs.get(0)?.[2]).toMatchObject({
    ended: "done",
    blocks: [{ label: "Event" }, { label: "Output", tone: "good", text: '{\n  "heard": 2\n}' }],
  });
  expect(refusals()).toEqual(["the machine has ended (done): go back to an earlier step"]);
});

test("actors that work are told, and their outcomes are events", () => {
  const { send, runs } = pageOf(hubOf(errand));
  send(0, { type: "xstate.error.actor.search", error: { name: "Error", message: "cold" } });
  send(0, { type: "xstate.done.actor.search", output: { found: true } });
  expect(runs.get(0)?.[0]?.blocks).toEqual([
    { label: "Actors", tone: "code", text: "search: fetch", facts: ["not started here"] },
  ]);
  expect(runs.get(0)?.[1]).toMatchObject({ title: "error: search", ok: false, ended: "done" });
  expect(runs.get(1)?.[1]).toMatchObject({ title: "done: search", ok: true, ended: null });
});

test("the accepted events are told for any step of any run", () => {
  const { link, send, heard } = pageOf(hubOf(door));
  send(0, { type: "say", word: "sesame" });
  link.receive({ type: "accepted", run: 0, step: 1 });
  expect(heard.at(-1)).toEqual({
    type: "accepted",
    run: 0,
    step: 1,
    events: [
      { type: "turn", label: "turn", from: "door.shut.unlocked", guards: [] },
      {
        type: "push",
        label: "push",
        from: "door.shut",
        guards: ['not(stateIn({"shut":"locked"}))'],
      },
      { type: "key", label: "key", from: "door", guards: [] },
      { type: "ring", label: "ring", from: "door", guards: [] },
    ],
  });
});

test("what throws is refused, and neither a step nor a run is made", () => {
  const { send, runs, refusals } = pageOf(hubOf(trouble));
  send(0, { type: "fine" });
  send(0, { type: "action" });
  send(1, { type: "guard" });
  expect(refusals()).toEqual([
    "action breaks the machine: no change",
    "guard breaks the machine: the guard (inline) of trouble.calm guard #0 throws: no judgement",
  ]);
  expect([...runs].map(([run, steps]) => [run, steps.length])).toEqual([[0, 2]]);
});

test("what no page would send is refused in words, and the run is as it was", () => {
  const { send, link, runs, refusals } = pageOf(hubOf(door));
  const noEvent = 'an event is a JSON object with a "type": {"type": "next"}';
  for (const event of [
    null,
    7,
    "key",
    [],
    {},
    { type: 7 },
    { type: "" },
    JSON.parse('{"__proto__":{"type":"key"}}'),
  ])
    send(0, event);
  expect(refusals()).toEqual(Array(8).fill(noEvent));
  send(0, { type: "k".repeat(1001) });
  send(0, { type: "key", text: "x".repeat(1_000_000) });
  let deep: JsonObject = {};
  for (let level = 0; level < 100_000; level++) deep = { deep };
  send(0, { type: "key", deep });
  for (const step of [-1, 1, 0.5, "length", "__proto__", null])
    send(step as number, { type: "key" });
  send(0, { type: "key" }, 3);
  link.receive({ type: "stop", run: 0 });
  const noStep = "there is no such step: load the page again";
  expect(refusals().slice(8)).toEqual([
    "an event's type has at most 1000 characters",
    "this event has 1000024 characters of JSON; at most 1000000 are taken",
    "this event is nested too deeply",
    ...Array(7).fill(noStep),
    "a machine is stepped with events and by nothing else",
  ]);
  expect([...runs].map(([run, steps]) => [run, steps.length])).toEqual([[0, 1]]);
});

test("__proto__ in an event is data like any other", () => {
  const { send, runs } = pageOf(hubOf(door));
  send(0, JSON.parse('{"type":"key","__proto__":{"polluted":true}}'));
  expect(JSON.stringify(runs.get(0)?.[1]?.output)).toBe(
    '{"type":"key","__proto__":{"polluted":true}}',
  );
  expect("polluted" in {}).toBe(false);
});

test("an input is shown and used; without one the machine says that it cannot begin", () => {
  const { runs } = pageOf(hubOf(parcel, { to: "me" }));
  const [first] = runs.get(0) ?? [];
  expect(first?.blocks[0]).toEqual({
    label: "Input",
    tone: "code",
    text: '{\n  "to": "me"\n}',
    facts: [],
  });
  expect(patched({}, first?.patch ?? {})).toMatchObject({ to: "me", grams: "(10n)" });
  expect(() => hubOf(parcel)).toThrow("the machine parcel cannot begin");
});

test("a patch tells what changed against the step before", () => {
  const { send, runs } = pageOf(hubOf(trouble));
  for (let step = 0; step < 3; step++) send(step, { type: "fine" });
  expect(runs.get(0)?.map(({ patch }) => patch)).toEqual([
    { n: { set: 0 } },
    { n: { set: 1 } },
    { n: { set: 2 } },
    { n: { set: 3 } },
  ]);
});

test("no more than 100,000 steps are kept", () => {
  const hub = hubOf(door);
  const { send, refusals, heard } = pageOf(hub);
  // Every fork copies the steps before it.
  for (let step = 0; step < 1000; step++) send(step, { type: "ring" });
  for (let fork = 0; fork < 100; fork++) send(999, { type: "ring" });
  expect(refusals()).toEqual(Array(2).fill("no more than 100000 steps are kept: begin again"));
  expect(heard.filter(({ type }) => type === "run")).toHaveLength(98);
});

test("a receiver is told actors, events and snapshots, of what was and what comes", () => {
  const hub = hubOf(door);
  const { send } = pageOf(hub);
  send(0, { type: "key" });
  const heard: Record<string, unknown>[] = [];
  const link = hub.connectReceiver((event) => heard.push({ ...event }));
  send(0, { type: "say", word: "sesame" });
  link.leave();
  send(1, { type: "ring" });
  expect(heard.map(({ type, sessionId }) => `${String(type)} ${String(sessionId)}`)).toEqual([
    "@xstate.actor door:0",
    "@xstate.event door:0",
    "@xstate.snapshot door:0",
    "@xstate.event door:0",
    "@xstate.snapshot door:0",
    "@xstate.actor door:1",
    "@xstate.event door:1",
    "@xstate.snapshot door:1",
    "@xstate.event door:1",
    "@xstate.snapshot door:1",
  ]);
  expect(heard[0]).toMatchObject({ name: "door", rootId: "door:0", _version: "0.7.2" });
  expect(JSON.parse(String(heard[0]?.["definition"]))).toMatchObject({
    id: "door",
    states: { open: { on: { pull: "shut" } } },
  });
  expect(heard[9]).toMatchObject({
    event: { type: "say", word: "sesame" },
    snapshot: { status: "active", value: { shut: "unlocked" }, context: { keys: 0 } },
  });
});
