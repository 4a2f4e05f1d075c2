/** HTTP/1.1 messages for tests: latin1 text, parsed strictly, so that no error is hidden. */

export interface Message {
  readonly startLine: string;
  /** Names as they were sent. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly trailers: readonly (readonly [name: string, value: string])[];
  readonly framing: "none" | "length" | "chunked" | "close";
  /** The whole message as received. */
  readonly raw: string;
}

export interface Parsed {
  readonly message: Message;
  /** The offset of the next message. */
  readonly next: number;
}

export interface ParseOptions {
  /** The method of the response's request; undefined: the text contains requests. */
  readonly responseTo?: string;
  /** True if no more bytes can come, which ends a body without framing. */
  readonly ended?: boolean;
  /** Called with the length that the text must have before another attempt makes sense. Each attempt copies a long text. */
  readonly needs?: (length: number) => void;
}

function parseFields(text: string): (readonly [string, string])[] {
  if (text === "") return [];
  return text.split("\r\n").map((line) => {
    const colon = line.indexOf(":");
    if (colon <= 0) throw new Error(`Cannot parse a field line: ${JSON.stringify(line)}`);
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
  });
}

/** Every value of a field, in order; `name` in any capitalisation. */
export function valuesOf(message: Pick<Message, "fields">, name: string): string[] {
  const lower = name.toLowerCase();
  return message.fields.filter(([field]) => field.toLowerCase() === lower).map(([, value]) => value);
}

export function statusOf(message: Message): number {
  return Number(message.startLine.split(" ")[1]);
}

function framingOf(fields: Message["fields"], startLine: string, options: ParseOptions): Message["framing"] {
  if (options.responseTo !== undefined) {
    const status = Number(startLine.split(" ")[1]);
    const bodiless = options.responseTo === "HEAD" || status < 200 || status === 204 || status === 304;
    if (bodiless) return "none";
  }
  const coding = valuesOf({ fields }, "transfer-encoding");
  if (coding.length > 0) {
    if (coding.join().toLowerCase() !== "chunked") throw new Error(`Cannot parse a body in coding "${coding.join()}"`);
    return "chunked";
  }
  if (valuesOf({ fields }, "content-length").length > 0) return "length";
  return options.responseTo === undefined ? "none" : "close";
}

/** The message that begins at `from`, or undefined if it is not complete yet. Throws an Error if it is malformed. */
export function parseMessage(text: string, from: number, options: ParseOptions = {}): Parsed | undefined {
  const headEnd = text.indexOf("\r\n\r\n", from);
  if (headEnd === -1) return undefined;
  const lineEnd = text.indexOf("\r\n", from);
  const startLine = text.slice(from, lineEnd);
  const fields = parseFields(text.slice(lineEnd + 2, Math.max(headEnd, lineEnd + 2)));
  const framing = framingOf(fields, startLine, options);
  const start = headEnd + 4;
  const done = (next: number, body: string, trailers: Message["trailers"] = []): Parsed => ({
    message: { startLine, fields, body, trailers, framing, raw: text.slice(from, next) },
    next,
  });
  if (framing === "none") return done(start, "");
  if (framing === "close") return options.ended === true ? done(text.length, text.slice(start)) : undefined;
  if (framing === "chunked") return parseChunked({ text, from: start, needs: options.needs }, done);
  const lengths = valuesOf({ fields }, "content-length");
  const length = Number(lengths[0]);
  if (lengths.length !== 1 || !/^\d+$/.test(lengths[0] ?? "")) {
    throw new Error(`Cannot parse a body of length "${lengths.join(" and ")}"`);
  }
  if (text.length >= start + length) return done(start + length, text.slice(start, start + length));
  options.needs?.(start + length);
  return undefined;
}

type Done = (next: number, body: string, trailers?: Message["trailers"]) => Parsed;

interface ChunkedText {
  readonly text: string;
  readonly from: number;
  readonly needs: ParseOptions["needs"];
}

function parseChunked({ text, from, needs }: ChunkedText, done: Done): Parsed | undefined {
  let body = "";
  for (let at = from; ; ) {
    const lineEnd = text.indexOf("\r\n", at);
    if (lineEnd === -1) return undefined;
    const line = text.slice(at, lineEnd);
    if (!/^[0-9a-fA-F]+(;.*)?$/.test(line)) throw new Error(`Cannot parse a chunk size: ${JSON.stringify(line)}`);
    const size = Number.parseInt(line, 16);
    at = lineEnd + 2;
    if (size === 0) {
      const end = text.startsWith("\r\n", at) ? at : text.indexOf("\r\n\r\n", at);
      if (end === -1 || text.length < at + 2) return undefined;
      return end === at ? done(at + 2, body) : done(end + 4, body, parseFields(text.slice(at, end)));
    }
    if (text.length < at + size + 2) {
      needs?.(at + size + 2);
      return undefined;
    }
    body += text.slice(at, at + size);
    if (!text.startsWith("\r\n", at + size)) throw new Error("Cannot parse a chunk: no CRLF after its data");
    at += size + 2;
  }
}
