import { and, assign, createMachine, fromPromise, not, raise, setup, stateIn } from "xstate";
import { expect, test } from "vitest";
import { chartOf, guardText, labelOf } from "../../../src/inspector/chart/chart-of.ts";
import { turnMachine } from "../../../src/machine/turn.machine.ts";

test("the turn: every state, and every transition with its event, guard and actions", () => {
  const chart = chartOf(turnMachine);
  expect(
    chart.nodes.map(({ name, kind, initial }) => `${name} ${kind}${initial ? " initial" : ""}`),
  ).toStrictEqual([
    "turn compound",
    "skill_call atomic initial",
    "tool_call atomic",
    "tool_use atomic",
    "ask_user_question atomic",
    "fail_recovery atomic",
    "answer atomic",
    "answered final",
    "fallback final",
    "stopped final",
  ]);
  expect(chart.arcs).toHaveLength(56);
  expect(chart.nodes[0]).toMatchObject({
    id: "turn",
    parent: null,
    entry: ["flush_turn", "clear_turn"],
  });
  expect(chart.nodes[4]).toMatchObject({
    id: "turn.ask_user_question",
    entry: ["spend_ask"],
    invoke: [{ id: "ask_user_question", src: "askUser" }],
  });
  expect(chart.arcs[0]).toStrictEqual({
    id: "turn abort #0",
    from: "turn",
    to: ["turn.stopped"],
    event: "abort",
    label: "abort",
    kind: "event",
    guard: "",
    actions: ["note_abort"],
    reenter: false,
  });
  expect(chart.arcs.find(({ guard }) => guard === "ran_more_queued")).toStrictEqual({
    id: "turn.tool_use xstate.done.actor.tool_use #3",
    from: "turn.tool_use",
    to: ["turn.tool_use"],
    event: "xstate.done.actor.tool_use",
    label: "done",
    kind: "done",
    guard: "ran_more_queued",
    actions: ["note_run", "spend_step"],
    reenter: true,
  });
  expect(chart.arcs.filter(({ kind }) => kind === "always").map(({ id }) => id)).toStrictEqual([
    "turn.skill_call always #0",
    "turn.skill_call always #1",
    "turn.tool_call always #0",
    "turn.fail_recovery always #0",
    "turn.fail_recovery always #1",
    "turn.fail_recovery always #2",
  ]);
});

test("nested, parallel and history states, delays, several targets, combined guards, actions without a name", () => {
  const machine = setup({
    actors: { load: fromPromise(async () => 1) },
    guards: { ready: () => true, late: () => false },
    delays: { a_while: 10 },
  }).createMachine({
    id: "player",
    type: "parallel",
    states: {
      sound: {
        initial: "on",
        states: {
          on: { after: { 1500: "off", a_while: "off" } },
          off: {},
          last: { type: "history" },
        },
      },
      picture: {
        initial: "dark",
        states: {
          dark: {
            id: "black",
            invoke: { id: "loading", src: "load", onDone: "bright", onError: {} },
            on: {
              GO: {
                guard: and(["ready", not("late")]),
                target: "bright",
                actions: [assign({}), raise({ type: "X" }), () => {}],
              },
              "key.*": { guard: stateIn({ sound: "on" }), actions: function beep() {} },
            },
          },
          bright: { type: "final" },
        },
        onDone: { actions: function cheer() {} },
      },
    },
    on: { BOTH: [{ target: [".sound.off", ".picture.bright"] }] },
  });
  const { nodes, arcs } = chartOf(machine);
  expect(nodes.map(({ id, kind, parent }) => `${id} ${kind} in ${parent}`)).toStrictEqual([
    "player parallel in null",
    "player.sound compound in player",
    "player.sound.on atomic in player.sound",
    "player.sound.off atomic in player.sound",
    "player.sound.last history in player.sound",
    "player.picture compound in player",
    "black atomic in player.picture",
    "player.picture.bright final in player.picture",
  ]);
  expect(
    arcs.map(
      ({ label, guard, actions, to }) => `${label} [${guard}] ${actions.join()} → ${to.join()}`,
    ),
  ).toStrictEqual([
    "BOTH []  → player.sound.off,player.picture.bright",
    "after 1500 ms []  → player.sound.off",
    "after a_while []  → player.sound.off",
    "done [] cheer → ",
    "GO [and(ready, not(late))] assign,raise → player.picture.bright",
    'key.* [stateIn({"sound":"on"})] beep → ',
    "done []  → player.picture.bright",
    "error []  → ",
  ]);
  expect(nodes[6]?.invoke).toStrictEqual([{ id: "loading", src: "load" }]);
});

test("a machine of one state", () => {
  expect(chartOf(createMachine({ id: "one" }))).toStrictEqual({
    id: "one",
    nodes: [
      {
        id: "one",
        name: "one",
        kind: "atomic",
        parent: null,
        initial: false,
        description: "",
        entry: [],
        exit: [],
        invoke: [],
        tags: [],
      },
    ],
    arcs: [],
  });
});

test.each([
  [undefined, ""],
  ["ready", "ready"],
  [{ type: "older", params: { than: 3, by: "days" } }, "older(3, days)"],
  [() => true, "(inline)"],
  [7, "(inline)"],
])("the guard %j reads %j", (guard, text) => {
  expect(guardText(guard)).toBe(text);
});

test.each([
  ["xstate.after.20.turn.a.b", "after 20 ms", "after"],
  ["xstate.error.actor.x", "error", "error"],
  ["xstate.done.state.turn.a", "done", "done"],
  ["xstate.snapshot.x", "snapshot", "event"],
  ["*", "*", "event"],
])("the event %s is called %s", (event, label, kind) => {
  expect(labelOf(event)).toStrictEqual({ label, kind });
});
