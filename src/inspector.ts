/** The public API of the inspector: a page on which people watch turns, step them, and ask "what if". */
export { drawChart } from "./inspector/chart/draw-chart.ts";
export { exportPage, type ExportOptions } from "./inspector/server/export.ts";
export { breakpointFault } from "./inspector/turns/gate.ts";
export type { Hub, PageLink } from "./inspector/hub.ts";
export type { LiveRun } from "./inspector/turns/live.ts";
export { loadMachine } from "./inspector/machines/load-machine.ts";
export { createMachineHub } from "./inspector/machines/machine-hub.ts";
export { openBrowser } from "./inspector/server/open-browser.ts";
export type { FromPage, Recording, ToPage } from "./inspector/protocol.ts";
export { saveExport } from "./inspector/server/save-export.ts";
export {
  startServer,
  type InspectorServer,
  type ServerOptions,
} from "./inspector/server/server.ts";
export { TurnHub, type TurnHubOptions, type WatchOptions } from "./inspector/turns/turn-hub.ts";
