import { expect, test } from "vitest";
import type { AnyStateMachine } from "xstate";
import { turnMachine } from "../../../src/machine/turn.machine.ts";
import { chartOf } from "../../../src/inspector/chart/chart-of.ts";
import {
  createSimulation,
  type MachineEvent,
  type SimulatedStep,
} from "../../../src/inspector/machines/simulate.ts";
import { machineFixture } from "../../helpers/machines.ts";

const door = await machineFixture("door");
const errand = await machineFixture("errand");
const parcel = await machineFixture("parcel");
const player = await machineFixture("player", "default");
const trouble = await machineFixture("trouble");
const bounded = await machineFixture("trouble", "bounded");
const endless = await machineFixture("trouble", "endless");
const workshop = await machineFixture("workshop");

const eventOf = (event: string | MachineEvent): MachineEvent =>
  typeof event === "string" ? { type: event } : event;

/** The steps that events make; a refused one is the sentence, and the next event goes to the step before. */
function play(
  machine: AnyStateMachine,
  events: (string | MachineEvent)[],
  input?: unknown,
): (SimulatedStep | string)[] {
  const simulation = createSimulation(machine, input);
  let at = simulation.first;
  const steps: (SimulatedStep | string)[] = [at];
  for (const event of events) {
    const next = simulation.send(at, eventOf(event));
    if ("refused" in next) steps.push(next.refused);
    else steps.push((at = next));
  }
  return steps;
}

/** "states: arcs: actions" of each step; an arc not taken has a minus. */
const told = (steps: (SimulatedStep | string)[]) =>
  steps.map((step) =>
    typeof step === "string"
      ? step
      : [
          step.states.join(" "),
          step.arcs.map(({ id, allowed }) => (allowed ? id : `-${id}`)).join(", "),
          step.actions.join(" "),
        ].join(" : "),
  );

/** What the machine takes after these events, none of which is refused. */
function acceptedOf(machine: AnyStateMachine, events: (string | MachineEvent)[]): string[] {
  const simulation = createSimulation(machine);
  let at = simulation.first;
  for (const event of events) {
    const next = simulation.send(at, eventOf(event));
    if ("refused" in next) throw new Error(next.refused);
    at = next;
  }
  return simulation
    .accepted(at)
    .map(({ label, from, guards }) => `${label} @ ${from} [${guards.join("; ")}]`);
}

test("nested states: guards of every kind, a targetless arc, a forbidden event, an unknown one", () => {
  const steps = play(door, [
    "turn",
    "key",
    { type: "turn", way: "left" },
    "push",
    "ring",
    "pull",
    "push",
    { type: "say", word: "please" },
    "nope",
  ]);
  expect(told(steps)).toEqual([
    "door.shut.locked :  : ",
    "door.shut.locked : -door.shut.locked turn #0 : ",
    "door.shut.locked : door key #0 : take_key",
    "door.shut.unlocked : door.shut.locked turn #0 : ",
    "door.open : door.shut push #0 : ",
    "door.open : door.open ring #0 : ",
    "door.shut.locked : door.open pull #0 : ",
    "door.shut.locked : -door.shut push #0 : ",
    "door.shut.unlocked : -door.shut.locked say #0, door.shut.locked say #1 : ",
    "no active state takes nope, so nothing would change",
  ]);
});

test("an action is told and not run", () => {
  expect(told(play(door, ["ring"]))).toEqual([
    "door.shut.locked :  : ",
    "door.shut.locked : door ring #0 : ring",
  ]);
});

test("accepted events: from the inside out, with guards, without what is forbidden below", () => {
  expect(acceptedOf(door, [])).toEqual([
    "turn @ door.shut.locked [and(has_key, (inline))]",
    "say @ door.shut.locked [knows(sesame); or(has_key, (inline))]",
    'push @ door.shut [not(stateIn({"shut":"locked"}))]',
    "key @ door []",
    "ring @ door []",
  ]);
  const open = acceptedOf(door, ["key", { type: "turn", way: "left" }, "push"]);
  expect(open).toEqual(["pull @ door.open []", "key @ door []"]);
});

test("parallel regions take one event each, history remembers, and all regions at an end are the end", () => {
  const steps = play(player, [
    "power",
    "louder",
    "power",
    "resume",
    "reset",
    "power",
    "finish",
    "power",
  ]);
  expect(told(steps)).toEqual([
    "player.here.sound.off player.here.tape.stopped :  : ",
    "player.here.sound.on.soft player.here.tape.playing : player.here.sound.off power #0, player.here.tape.stopped power #0 : ",
    "player.here.sound.on.loud player.here.tape.playing : player.here.sound.on.soft louder #0 : ",
    "player.here.sound.off player.here.tape.stopped : player.here.sound.on power #0, player.here.tape.playing power #0 : ",
    "player.here.sound.on.loud player.here.tape.stopped : player.here.sound resume #0 : ",
    "player.here.sound.off player.here.tape.stopped : here reset #0 : ",
    "player.here.sound.on.soft player.here.tape.playing : player.here.sound.off power #0, player.here.tape.stopped power #0 : ",
    "player.end : player.here.sound.on finish #0, player.here.tape.playing finish #0, here xstate.done.state.here #0 : ",
    "the machine has ended (done): go back to an earlier step",
  ]);
  expect(steps[7]).toMatchObject({ ended: "done", snapshot: { output: { heard: 2 } } });
});

test("of arcs that exclude each other only the one that XState takes is told", () => {
  expect(told(play(player, ["leave"]))).toEqual([
    "player.here.sound.off player.here.tape.stopped :  : ",
    "away : player.here.sound.off leave #0 : ",
  ]);
});

test("a delay, a chain of always, actors, a wildcard and a state that is done inside", () => {
  const steps = play(errand, [
    "xstate.after.100.errand.looking",
    "endless",
    { type: "xstate.done.actor.search", output: { found: true } },
    "anything",
  ]);
  expect(told(steps)).toEqual([
    "errand.looking :  : assign",
    "errand.looking : errand.looking xstate.after.100.errand.looking #0, -errand.looking_again always #0, errand.looking_again always #1 : assign",
    "errand.looking : errand.looking endless #0 : spawn_endless",
    "errand.checking.first : errand.looking xstate.done.actor.search #0 : (inline)",
    "errand.found : errand.checking.first * #0, errand.checking.second always #0, errand.checking xstate.done.state.errand.checking #0 : stopChild",
  ]);
  expect(steps.map((step) => typeof step === "object" && step.working)).toEqual([
    [{ id: "search", src: "fetch" }],
    [{ id: "search", src: "fetch" }],
    [
      { id: "search", src: "fetch" },
      { id: "child", src: "endless" },
    ],
    [{ id: "child", src: "endless" }],
    [],
  ]);
});

test("an outcome that its guard refuses, the same actor again, an error, a partial wildcard", () => {
  const nothing = { type: "xstate.done.actor.search", output: { found: false } };
  expect(told(play(errand, [nothing, nothing, nothing]).slice(1))).toEqual([
    "errand.looking : -errand.looking xstate.done.actor.search #0, errand.looking xstate.done.actor.search #1, -errand.looking_again always #0, errand.looking_again always #1 : assign",
    "errand.looking : -errand.looking xstate.done.actor.search #0, errand.looking xstate.done.actor.search #1, -errand.looking_again always #0, errand.looking_again always #1 : assign",
    "errand.failed : -errand.looking xstate.done.actor.search #0, errand.looking xstate.done.actor.search #1, errand.looking_again always #0 : ",
  ]);
  const [, failed] = play(errand, [{ type: "xstate.error.actor.search", error: "cold" }]);
  expect(failed).toMatchObject({ context: { tries: 1, why: "cold" }, ended: "done" });
  expect(told(play(errand, ["mouse.move.left"])).at(-1)).toBe(
    "errand.failed : errand.looking mouse.* #0 : ",
  );
});

test("accepted events of actors, delays and wildcards have readable names", () => {
  expect(acceptedOf(errand, [])).toEqual([
    "mouse.* @ errand.looking []",
    "endless @ errand.looking []",
    "done: search @ errand.looking [is_found]",
    "error: search @ errand.looking []",
    "after 100 ms @ errand.looking []",
    "after patience @ errand.looking []",
  ]);
  const found = { type: "xstate.done.actor.search", output: { found: true } };
  expect(acceptedOf(errand, [found])).toEqual(["* @ errand.checking.first []"]);
  expect(acceptedOf(errand, ["mouse.move"])).toEqual([]);
});

test("an actor's error that nobody takes ends the machine with it", () => {
  const [, step] = play(workshop, [{ type: "xstate.error.actor.anna", error: "ill" }]);
  expect(step).toMatchObject({ ended: "error", snapshot: { error: "ill" }, working: [] });
});

test("raised events, spawned and stopped actors, emitted events, enqueued actions, a parent that is not there", () => {
  const steps = play(workshop, ["work", "again", "fire", "hire", "rest", "two", "tell", "odd"]);
  expect(told(steps)).toEqual([
    "workshop.resting :  : tidy",
    "workshop.working : workshop.resting work #0, workshop.working hire #0 : shout count raise spawnChild",
    "workshop.working : workshop.working again #0 : ",
    "workshop.working : workshop.working fire #0 : stopChild",
    "workshop.working : workshop.working hire #0 : spawnChild",
    "workshop.resting : workshop.working rest #0 : tidy",
    "workshop.resting : workshop.resting two #0 : make_two count tidy emit raise",
    "workshop.resting : workshop.resting tell #0 : sendTo",
    "workshop.resting : workshop.resting odd #0 : missing tidy",
  ]);
});

test("what throws is refused in one sentence, and the run is as it was", () => {
  expect(
    told(play(trouble, ["guard", "unknown_guard", "action", "odd_throw", "fine"])).slice(1),
  ).toEqual([
    "guard breaks the machine: the guard (inline) of trouble.calm guard #0 throws: no judgement",
    "unknown_guard breaks the machine: the guard nobody of trouble.calm unknown_guard #0 throws: Guard 'nobody' is not implemented.'.",
    "action breaks the machine: no change",
    'odd_throw breaks the machine: {"code":7}',
    "trouble.calm : trouble.calm fine #0 : assign",
  ]);
});

test("what goes round for ever is stopped, by the machine's own limit or by ours", () => {
  const round =
    'it takes more than 10000 arcs without coming to rest: its "always" arcs or raised events go round for ever';
  expect(told(play(trouble, ["loop", "raise"])).slice(1)).toEqual([
    `loop breaks the machine: ${round}`,
    `raise breaks the machine: ${round}`,
  ]);
  expect(told(play(bounded, ["loop"])).at(-1)).toMatch(
    /^loop breaks the machine: Infinite loop detected: .* more than 50 microsteps/,
  );
  expect(() => createSimulation(endless)).toThrow(`the machine endless cannot begin: ${round}`);
});

test("XState's own events cannot be sent", () => {
  expect(told(play(door, ["xstate.init", "xstate.stop"])).slice(1)).toEqual([
    "xstate.init is XState's own event and cannot be sent",
    "xstate.stop is XState's own event and cannot be sent",
  ]);
});

test("a machine that needs an input says so, and its context is shown whatever it holds", () => {
  expect(() => createSimulation(parcel)).toThrow(
    "the machine parcel cannot begin: Cannot read properties of undefined (reading 'to'); if it needs an input, give it one",
  );
  expect(createSimulation(parcel, { to: "me" }).first.context).toEqual({
    to: "me",
    loop: { to: "me", self: "(circular)" },
    sent: "(Date 2024-02-29T00:00:00.000Z)",
    stamps: { "(Map)": [["red", 2]] },
    kinds: { "(Set)": ["light"] },
    grams: "(10n)",
    weigh: "(function weigh)",
    mark: "(Symbol(fragile))",
    weight: { grams: 5 },
    endless: "(Infinity)",
    odd: { broken: "(unreadable)" },
    list: [null, "(RegExp)"],
    fault: "(TypeError: torn)",
  });
});

test("one step is the beginning of many: none changes another", () => {
  const simulation = createSimulation(errand);
  const { first } = simulation;
  const before = JSON.stringify([first.context, first.states, first.working]);
  const done = { type: "xstate.done.actor.search", output: { found: true } };
  const ends = ["mouse.a", "endless", done, "xstate.after.100.errand.looking"].map((event) => {
    const next = simulation.send(first, eventOf(event));
    return "refused" in next ? next.refused : next.states.join(" ");
  });
  expect(ends).toEqual([
    "errand.failed",
    "errand.looking",
    "errand.checking.first",
    "errand.looking",
  ]);
  expect(JSON.stringify([first.context, first.states, first.working])).toBe(before);
});

test("the arcs that are told are arcs of the chart", () => {
  const machines = [door, errand, player, workshop, trouble];
  const known = new Set(machines.flatMap((machine) => chartOf(machine).arcs.map(({ id }) => id)));
  const steps = [
    ...play(door, ["turn", "key", "push", "ring"]),
    ...play(errand, ["xstate.after.100.errand.looking", "mouse.x"]),
    ...play(player, ["power", "finish"]),
    ...play(workshop, ["work", "rest"]),
  ];
  const ids = steps.flatMap((step) => (typeof step === "string" ? [] : step.arcs));
  expect(ids.length).toBeGreaterThan(8);
  expect(ids.filter(({ id }) => !known.has(id))).toEqual([]);
});

test("the turn machine is a machine like any other", () => {
  const input = {
    messages: [],
    loaded_skills: [],
    question: "How late is it?",
    nonce: "n",
    skills: [],
    limits: { max_retries: 1, max_steps: 1, max_asks: 1 },
  };
  const output = {
    kind: "text",
    text: "Late.",
    reply: "Late.",
    usage: { input_tokens: 1, output_tokens: 1, estimated: false },
  };
  const steps = play(turnMachine, [{ type: "xstate.done.actor.answer", output }], input);
  expect(told(steps)[0]).toMatch(
    /^turn\.answer : .*turn\.skill_call always #1 : flush_turn clear_turn/,
  );
  expect(steps[0]).toMatchObject({ working: [{ id: "answer", src: "askForText" }] });
  expect(steps[1]).toMatchObject({
    states: ["turn.answered"],
    ended: "done",
    snapshot: { output: { kind: "answered", text: "Late." } },
  });
});
