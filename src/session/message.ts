/** One message of a conversation. Thinking is never part of it. */
export interface Message {
  role: "user" | "assistant";
  text: string;
}

/**
 * Makes a list that every chat service takes: blank texts dropped, neighbours of one role joined by an empty line,
 * a user message first. (Converse, vLLM, llama.cpp and TGI all refuse two turns of one role in a row.)
 */
export function alternating(messages: readonly Message[]): Message[] {
  const result: Message[] = [];
  for (const { role, text } of messages) {
    if (text.trim() === "") continue;
    const last = result.at(-1);
    if (last?.role === role) last.text += `\n\n${text}`;
    else if (last || role === "user") result.push({ role, text });
  }
  return result;
}
