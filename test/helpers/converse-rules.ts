/** The body of a Converse request, as far as the fake service reads it. */
export interface ConverseBody {
  messages?: { role: string; content?: { text?: string }[] }[];
  system?: { text?: string }[];
  inferenceConfig?: { maxTokens?: number; temperature?: number; stopSequences?: string[] };
  toolConfig?: unknown;
}

/** What a model answers, before limits are applied. */
export interface FakeReply {
  text?: string;
  reasoning?: string;
  finish?: string;
}

/** The rules of Converse that clients trip over; the ValidationException's message, or undefined. */
export function converseRefusal(body: ConverseBody): string | undefined {
  if (body.toolConfig !== undefined) return "This model doesn't support tool use.";
  if (body.system?.some(({ text }) => isBlank(text)))
    return "The text field in the SystemContentBlock is blank.";
  const { maxTokens, stopSequences } = body.inferenceConfig ?? {};
  if (maxTokens !== undefined && !Number.isInteger(maxTokens))
    return "maxTokens must be an integer.";
  if (stopSequences?.length === 0) return "stopSequences must not be empty.";
  return messagesRefusal(body.messages ?? []);
}

function messagesRefusal(messages: NonNullable<ConverseBody["messages"]>): string | undefined {
  if (messages[0]?.role !== "user") return "A conversation must start with a user message.";
  if (messages.at(-1)?.role !== "user") return "The conversation must end with a user message.";
  for (const [index, { role, content = [] }] of messages.entries()) {
    if (role === messages[index - 1]?.role)
      return "A conversation must alternate between user and assistant roles.";
    if (content.length === 0) return `The content field at messages.${index} is empty.`;
    if (content.some(({ text }) => isBlank(text)))
      return `The text field in the ContentBlock object at messages.${index} is blank.`;
  }
  return undefined;
}

/** Cuts a reply at its first stop sequence or at its token limit, one token a word, as the service does. */
export function limited(reply: string | FakeReply, body: ConverseBody): Required<FakeReply> {
  const whole = typeof reply === "string" ? { text: reply } : reply;
  let { text = "", finish = "end_turn" } = whole;
  const { maxTokens = Number.POSITIVE_INFINITY, stopSequences = [] } = body.inferenceConfig ?? {};
  const cuts = stopSequences
    .map((sequence) => text.indexOf(sequence))
    .filter((index) => index >= 0);
  if (cuts.length > 0) {
    text = text.slice(0, Math.min(...cuts));
    finish = "stop_sequence";
  }
  const tokens = text.match(/\s*\S+\s*/g) ?? [];
  if (tokens.length > maxTokens) {
    text = tokens.slice(0, maxTokens).join("");
    finish = "max_tokens";
  }
  return { text, reasoning: whole.reasoning ?? "", finish };
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === "";
}
