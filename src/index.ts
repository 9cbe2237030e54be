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
  type RunOptions,
  type RunState,
} from "./harness.ts";
export {
  conversationAfter,
  fold,
  resumptionOf,
  type Folded,
  type FoldedTurn,
} from "./journal/fold.ts";
export { differences } from "./journal/difference.ts";
export type { Journal } from "./journal/journal.ts";
export { loadJournal } from "./journal/load-journal.ts";
export {
  findSession,
  listSessions,
  newestSession,
  newSessionId,
  sessionPath,
  sessionsFolder,
} from "./journal/load-sessions.ts";
export { createRedactor, secretsOf } from "./journal/redact.ts";
export { compare, replayFault, type ChangedTurn, type Other } from "./journal/replay.ts";
export { createJournal, openJournal } from "./journal/save-journal.ts";
export { forkSession, removeSession } from "./journal/save-sessions.ts";
export { consideredArcs, type ConsideredArc } from "./machine/explain-step.ts";
export { toMermaid } from "./machine/to-mermaid.ts";
export { defaultLimits } from "./machine/turn.limits.ts";
export { turnMachine } from "./machine/turn.machine.ts";
export type { Conversation, Turn, TurnOutcome } from "./machine/turn.types.ts";
export { prove, type CostProfile, type ProofReport } from "./proof/prove.ts";
export {
  defineSkill,
  libraryOf,
  type Catalogue,
  type LibraryChange,
  type SkillLibrary,
} from "./skills/library.ts";
export { loadSkills } from "./skills/load-skills.ts";
export { openTrust } from "./skills/save-trust.ts";
export { folderHash } from "./skills/load-folder-hash.ts";
export { isPartOfProgram, type Grant, type Trust, type TrustState } from "./skills/trust.ts";
export { findSandbox, type Sandbox, type SandboxMode } from "./actors/sandbox.ts";
export { cacheFolder, configFolder } from "./skills/load-user-folders.ts";
export type { Diagnostic, Skill, SkillEntry, SkillSet, Tool } from "./skills/skill.ts";
export { version } from "./version.ts";
