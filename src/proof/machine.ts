import type { SnapshotFrom } from "xstate";
import type { turnMachine } from "../machine/turn.machine.ts";

/** The chart that ships, or a changed copy that shall be found out. */
export type Machine = typeof turnMachine;
export type Snapshot = SnapshotFrom<Machine>;
