/** Characters of a directory's error text that are repeated; the rest is cut off. */
const MAX_DETAIL = 300;

/** The reason why an order failed. */
export class AcmeError extends Error {
  /** The directory's name of the error, such as `rateLimited`; empty if the directory sent no readable response. */
  readonly type: string;
  /** Milliseconds that the directory asks the client to wait; 0: it does not ask. */
  readonly retryAfterMs: number;

  constructor(message: string, { type = "", retryAfterMs = 0 }: { type?: string; retryAfterMs?: number } = {}) {
    super(message);
    this.name = "AcmeError";
    this.type = type;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A directory's error text for operators: one line of limited length, because it comes from outside. */
export function wordsOf(text: unknown): string {
  if (typeof text !== "string") return "";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  const line = text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").trim();
  return line.length > MAX_DETAIL ? `${line.slice(0, MAX_DETAIL)}…` : line;
}
