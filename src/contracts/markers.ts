const STOP_TOKENS = ["<end_of_turn>", "<|im_end|>", "<|eot_id|>", "</s>", "<|end|>", "<eos>"];

const ROLE_MARKER =
  /^(?:(?:User|USER|Human|HUMAN|Assistant|ASSISTANT)[ \t]*:|<\|(?:im_start|start_header_id)\|>|<\|(?:user|assistant|system)\|>|<start_of_turn>|\[INST\]|#{2,3} (?:User|Human|Assistant|Instruction)\b)/;

/** The text without the stop tokens at its very end, which some servers leave there, and without white space around. */
export function withoutStopTokens(text: string): string {
  let end = text.trimEnd().length;
  for (;;) {
    const token = STOP_TOKENS.find((candidate) => text.endsWith(candidate, end));
    if (token === undefined) return text.slice(0, end).trim();
    end -= token.length;
    while (end > 0 && /\s/.test(text.charAt(end - 1))) end -= 1;
  }
}

/** The text before the first line in which the model goes on as somebody else. Lines in fenced code are content. */
export function withoutOtherRoles(text: string): string {
  let inFence = false;
  let hasText = false;
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    if (text.startsWith("```", at)) inFence = !inFence;
    if (!inFence && hasText && ROLE_MARKER.test(text.slice(at, Math.min(end, at + 40))))
      return text.slice(0, at);
    hasText ||= text.slice(at, end).trim() !== "";
    at = end + 1;
  }
  return text;
}
