/** The public API: build a harness from skills and a backend, run turns on plain JSON state. */
export { createAsker, nobody, type Asker } from "./actors/ask-user.ts";
export {
  BackendError,
  type Backend,
  type ModelRequest,
  type StreamEvent,
} from "./backends/backend.ts";
export { createBedrockBackend } from "./backends/bedrock.ts";
export { createOfflineBackend } from "./backends/offline.ts";
export { createRecordedBackend, createRecordingBackend } from "./backends/recorded.ts";
export { createScriptedBackend, loadScript, type ScriptedReply } from "./backends/scripted.ts";
export { codeblock } from "./contracts/codeblock.ts";
export { nearest } from "./contracts/nearest.ts";
export { HarnessError } from "./errors.ts";
export type { HarnessEvent, ResultEvent } from "./events.ts";
export { exitCodeOf } from "./exit-code.ts";
export {
  createHarness,
  flushTurn,
  newConversation,
  type Harness,
  type HarnessOptions,
  type RunState,
} from "./harness.ts";
export { toMermaid } from "./machine/to-mermaid.ts";
export { defaultLimits } from "./machine/turn.limits.ts";
export { turnMachine } from "./machine/turn.machine.ts";
export type { Conversation, Turn, TurnOutcome } from "./machine/turn.types.ts";
export { loadSkills } from "./skills/load-skills.ts";
export type { Diagnostic, Skill, SkillSet, Tool } from "./skills/skill.ts";
export { version } from "./version.ts";
