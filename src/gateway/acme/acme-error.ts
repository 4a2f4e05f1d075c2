/** Characters of a directory's words that are repeated. */
const MAX_DETAIL = 300;

/** Why an order went wrong. */
export class AcmeError extends Error {
  /** The directory's own name of it, as `rateLimited`; empty where it gave no response that can be read. */
  readonly type: string;
  /** Milliseconds that the directory asks to wait; 0: it asks for nothing. */
  readonly retryAfterMs: number;

  constructor(message: string, { type = "", retryAfterMs = 0 }: { type?: string; retryAfterMs?: number } = {}) {
    super(message);
    this.name = "AcmeError";
    this.type = type;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A directory's words for an operator: one line, bounded. They come from outside. */
export function wordsOf(text: unknown): string {
  if (typeof text !== "string") return "";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  const line = text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").trim();
  return line.length > MAX_DETAIL ? `${line.slice(0, MAX_DETAIL)}…` : line;
}
