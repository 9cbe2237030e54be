import type { Call, Json } from "./call.ts";

/** Tool-call notations that models were trained on. Recognised to be named in a refusal, never run. */
export type ForeignSyntax =
  | "xml_tag" // <read_note><title>plan</title></read_note>
  | "function_tag" // <function=read_note><parameter=title>plan</parameter></function>
  | "hermes" // <tool_call>{"name": …}</tool_call>
  | "react" // Action: read_note / Action Input: …
  | "gemma" // <|tool_call>call:name{…}<tool_call|> or ```tool_code
  | "mistral" // [TOOL_CALLS]name{…}
  | "llama" // <|python_tag|>…
  | "call_line"; // CALL name key=value

/** One argument that a tool's schema refuses. `path` is the property, dotted when nested ("filter.limit"). */
export interface ArgumentFault {
  fault: "missing_arg" | "unknown_arg" | "bad_type" | "bad_value" | "over_limit";
  path: string;
  /** What the schema wants there, in words: "an integer from 1 to 10". */
  expected: string;
  /** What came; absent for a missing argument. */
  found?: Json;
  /** The known name or allowed value that looks most like what came. */
  nearest?: string;
}

/** How a model backend can fail. Which of these are worth a retry is the backend's word: `retryable`. */
export type BackendFault =
  | "auth"
  | "access"
  | "throttled"
  | "unavailable"
  | "network"
  | "timeout"
  | "bad_request"
  | "context_too_long"
  | "not_found"
  | "quota"
  | "cut_stream"
  | "bad_stream"
  | "script_used_up"
  | "declined"
  | "unknown";

/**
 * Everything that can be wrong in a turn, as data. The wording for the model is in explain.ts, and only there.
 * `line` and `column` count from 1 and refer to the reply without its thinking.
 */
export type Problem =
  // how the reply is written
  | { code: "empty" }
  | { code: "cut_off"; inside: "thinking" | "block" | "text" }
  | { code: "filtered" }
  | { code: "in_thinking" }
  | { code: "foreign_syntax"; syntax: ForeignSyntax; tool?: string }
  | { code: "schema_echo" }
  | { code: "degenerate"; phrase: string }
  | { code: "no_block"; bare_json: boolean }
  | { code: "bad_fence"; found: string; line: number }
  | { code: "unclosed_block" }
  | { code: "many_blocks"; count: number }
  | { code: "text_outside"; where: "before" | "after"; excerpt: string; line: number }
  | { code: "bad_json"; reason: string; line: number; column: number }
  | { code: "duplicate_key"; key: string; line: number; column: number }
  | { code: "forbidden_key"; key: string; line: number; column: number }
  | { code: "wrong_shape"; at: string; expected: string; found: string }
  | { code: "block_in_answer" }
  // what the calls ask for
  | { code: "question_not_alone" }
  | { code: "unknown_tool"; name: string; known: string[]; nearest?: string }
  | { code: "unknown_skill"; name: string; known: string[]; nearest?: string }
  | { code: "skill_not_loaded"; name: string; loaded: string[] }
  | { code: "unknown_reference"; skill: string; path: string; known: string[]; nearest?: string }
  | { code: "unsafe_reference"; skill: string; path: string }
  | { code: "bad_argument"; tool: string; faults: ArgumentFault[]; example?: Call }
  // what running a call did
  | { code: "script_failed"; tool: string; exit_code: number | null; signal: string | null }
  | { code: "script_timed_out"; tool: string; timeout_ms: number }
  | { code: "script_not_started"; tool: string; reason: string }
  // a script had been started when the process ended, and nobody saw what it did
  | { code: "interrupted"; tool: string }
  // what the answer says
  | { code: "claimed_effect"; claim: string }
  | { code: "announced_only"; announcement: string }
  // what the world did
  | {
      code: "backend";
      fault: BackendFault;
      message: string;
      retryable: boolean;
      retry_after_ms?: number;
    }
  | { code: "internal"; name: string; message: string };

export type ProblemCode = Problem["code"];
