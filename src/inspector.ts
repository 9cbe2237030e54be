/** The public API of the inspector: a page on which people watch turns, step them, and ask "what if". */
export { drawChart } from "./inspector/draw-chart.ts";
export { exportPage, type ExportOptions } from "./inspector/export.ts";
export { breakpointFault } from "./inspector/gate.ts";
export type { Hub, PageLink } from "./inspector/hub.ts";
export type { LiveRun } from "./inspector/live.ts";
export { loadMachine } from "./inspector/load-machine.ts";
export { createMachineHub } from "./inspector/machine-hub.ts";
export { openBrowser } from "./inspector/open-browser.ts";
export type { FromPage, Recording, ToPage } from "./inspector/protocol.ts";
export { saveExport } from "./inspector/save-export.ts";
export { startServer, type InspectorServer, type ServerOptions } from "./inspector/server.ts";
export { TurnHub, type TurnHubOptions, type WatchOptions } from "./inspector/turn-hub.ts";
