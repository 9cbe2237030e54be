import type { AnyStateMachine } from "xstate";
import type { Json } from "../../contracts/call.ts";
import { version } from "../../version.ts";
import type { Chart } from "../chart/chart.ts";
import type { Hub, PageLink } from "../hub.ts";
import { eventView, firstView } from "./machine-view.ts";
import { plainJson } from "./plain-json.ts";
import type { FromPage, Run, ToPage } from "../protocol.ts";
import {
  createSimulation,
  type MachineEvent,
  type SimulatedStep,
  type Simulation,
} from "./simulate.ts";
import { statelyActor, statelyMachineStep } from "./stately-machine.ts";

/** Of all runs together: each step keeps a snapshot. */
const STEPS_MAX = 100_000;
/** A person types events; a file's worth of JSON is a mistake. In characters. */
const EVENT_MAX = 1_000_000;
const TYPE_MAX = 1000;
/** How many steps one message carries. */
const STEPS_SENT = 1000;

interface MachineHubOptions {
  machine: AnyStateMachine;
  chart: Chart;
  title: string;
  /** Left out for a machine that needs none. */
  input?: Json;
}

/** What was done with a machine, and where it was after each step. */
interface MachineRun extends Run {
  simulated: SimulatedStep[];
}

type Tell = (message: ToPage) => void;

/** A machine that people step with events. Throws HarnessError "config" if it cannot begin. */
export const createMachineHub = (options: MachineHubOptions): Hub => new MachineHub(options);

class MachineHub implements Hub {
  readonly #options: MachineHubOptions;
  readonly #simulation: Simulation;
  readonly #runs: MachineRun[];
  readonly #pages = new Set<Tell>();
  readonly #receivers = new Set<(event: object) => void>();

  constructor(options: MachineHubOptions) {
    this.#options = options;
    this.#simulation = createSimulation(options.machine, options.input);
    const { first } = this.#simulation;
    const input = options.input === undefined ? undefined : plainJson(options.input);
    const steps = [firstView(first, input, Date.now())];
    this.#runs = [
      { id: 0, name: "as it was", session: null, fork: null, steps, simulated: [first] },
    ];
  }

  connectPage(tell: Tell): PageLink {
    const { chart, title } = this.#options;
    const runs = this.#runs.map(withoutSteps);
    tell({
      type: "hello",
      recording: { source: "machine", title, version, chart, runs, prompts: null },
      status: [],
      can_control: false,
      can_fork: false,
    });
    for (const run of this.#runs) tellSteps(run, 0, tell);
    this.#pages.add(tell);
    return {
      receive: (message) => this.#receive(message, tell),
      leave: () => {
        this.#pages.delete(tell);
      },
    };
  }

  connectReceiver(send: (event: object) => void): { leave(): void } {
    for (const run of this.#runs) this.#tellReceiver(run, 0, send);
    this.#receivers.add(send);
    return {
      leave: () => {
        this.#receivers.delete(send);
      },
    };
  }

  #receive(message: FromPage, tell: Tell): void {
    if (message.type !== "send" && message.type !== "accepted")
      return refuse(tell, message.type, "a machine is stepped with events and by nothing else");
    const { step: index } = message;
    const run = this.#runs.find(({ id }) => id === message.run);
    const step = Number.isInteger(index) ? run?.simulated[index] : undefined;
    if (!run || !step)
      return refuse(tell, message.type, "there is no such step: load the page again");
    if (message.type === "send") return this.#send(run, index, message.event, tell);
    const events = this.#simulation.accepted(step);
    tell({ type: "accepted", run: run.id, step: index, events });
  }

  #send(run: MachineRun, index: number, event: unknown, tell: Tell): void {
    const before = run.simulated[index];
    const isLast = index === run.simulated.length - 1;
    const more = isLast ? 1 : index + 2;
    const all = this.#runs.reduce((sum, { simulated }) => sum + simulated.length, 0);
    if (!before || all + more > STEPS_MAX)
      return refuse(tell, "send", `no more than ${STEPS_MAX} steps are kept: begin again`);
    if (!isEvent(event)) return refuse(tell, "send", eventFault(event));
    const after = this.#simulation.send(before, event);
    if ("refused" in after) return refuse(tell, "send", after.refused);
    const goesOn = isLast ? run : this.#fork(run, index + 1);
    goesOn.simulated.push(after);
    goesOn.steps.push(eventView(before, after, Date.now()));
    const from = goesOn.steps.length - 1;
    for (const page of this.#pages) tellSteps(goesOn, from, page);
    for (const receiver of this.#receivers) this.#tellReceiver(goesOn, from, receiver);
  }

  /** Another run, which is the same up to this step. */
  #fork(run: MachineRun, step: number): MachineRun {
    const id = this.#runs.length;
    const fork: MachineRun = {
      id,
      name: `what if ${id}`,
      session: null,
      fork: { run: run.id, step },
      steps: run.steps.slice(0, step),
      simulated: run.simulated.slice(0, step),
    };
    this.#runs.push(fork);
    for (const page of this.#pages) {
      page({ type: "run", run: withoutSteps(fork) });
      tellSteps(fork, 0, page);
    }
    for (const receiver of this.#receivers) this.#tellReceiver(fork, 0, receiver);
    return fork;
  }

  #tellReceiver({ id, steps, simulated }: MachineRun, from: number, send: (event: object) => void) {
    const { machine } = this.#options;
    for (const [offset, step] of simulated.slice(from).entries()) {
      const index = from + offset;
      const at = steps[index]?.at ?? 0;
      if (index === 0) send(statelyActor(machine, id, step, at));
      for (const event of statelyMachineStep(machine, id, index, step, at)) send(event);
    }
  }
}

const withoutSteps = ({ id, name, session, fork }: Run): Run => ({
  id,
  name,
  session,
  fork,
  steps: [],
});

function tellSteps({ id, steps }: Run, from: number, tell: Tell): void {
  for (let at = from; at < steps.length; at += STEPS_SENT)
    tell({ type: "steps", run: id, from: at, steps: steps.slice(at, at + STEPS_SENT) });
}

const refuse = (tell: Tell, request: string, message: string): void =>
  tell({ type: "refused", request, message });

/** What a page sends has only been parsed. */
const isEvent = (event: unknown): event is MachineEvent => eventFault(event) === "";

/** Why something is no event; "" if it is one. */
function eventFault(event: unknown): string {
  const isObject = typeof event === "object" && event !== null && !Array.isArray(event);
  const type: unknown = isObject && Object.hasOwn(event, "type") ? Reflect.get(event, "type") : "";
  if (typeof type !== "string" || type === "")
    return 'an event is a JSON object with a "type": {"type": "next"}';
  if (type.length > TYPE_MAX) return `an event's type has at most ${TYPE_MAX} characters`;
  try {
    const { length } = JSON.stringify(event);
    return length <= EVENT_MAX
      ? ""
      : `this event has ${length} characters of JSON; at most ${EVENT_MAX} are taken`;
  } catch {
    return "this event is nested too deeply";
  }
}
