import { type Socket } from "node:net";
import { PostgresError } from "./postgres-error.ts";

/** One message of the server: its type, for example `Z` for ReadyForQuery, and the bytes after its length. */
export interface Message {
  readonly type: string;
  readonly body: Buffer;
}

/** Longest message of a server, in bytes. A row of the ledger is less than a hundredth of it. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const HEAD_BYTES = 5;

/** Splits the server's bytes into messages. It delivers no message after its end. */
export class Wire {
  readonly #socket: Socket;
  /** Bytes of the message that has begun. */
  #pieces: Buffer[] = [];
  /** Missing bytes of the message that has begun. A value of 0 or less means that it is complete. */
  #pending = 0;
  #ended = false;
  onMessage: (message: Message) => void = () => {};
  /** Called once, for each kind of end. */
  onEnd: (error: PostgresError) => void = () => {};

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("error", (error: NodeJS.ErrnoException) => this.end(lost(error.code ?? "error")));
    socket.on("end", () => this.end(lost("ended")));
    socket.on("close", () => this.end(lost("closed")));
  }

  get ended(): boolean {
    return this.#ended;
  }

  write(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  /** Cuts the connection, and reports the error. */
  end(error: PostgresError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#socket.destroy();
    this.#pieces = [];
    this.onEnd(error);
  }

  /** Sends a last message, and closes the connection normally. */
  finish(last: Buffer): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#socket.end(last, () => this.#socket.destroy());
    this.onEnd(lost("closed by this side"));
  }

  #take(chunk: Buffer): void {
    // The pieces of a long message are joined once. Joining at each piece would copy them again and again.
    this.#pieces.push(chunk);
    this.#pending -= chunk.length;
    if (this.#pending > 0 || this.#ended) return;
    const bytes = this.#pieces.length === 1 ? chunk : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#cut(bytes);
  }

  #cut(bytes: Buffer): void {
    let at = 0;
    while (bytes.length - at >= HEAD_BYTES) {
      const length = bytes.readInt32BE(at + 1);
      if (length < 4 || length > MAX_MESSAGE_BYTES) {
        this.end(new PostgresError("protocol", "the peer does not speak PostgreSQL's protocol"));
        return;
      }
      const end = at + 1 + length;
      if (end > bytes.length) {
        this.#pending = end - bytes.length;
        break;
      }
      this.onMessage({ type: String.fromCharCode(bytes[at] ?? 0), body: bytes.subarray(at + HEAD_BYTES, end) });
      if (this.#ended) return;
      at = end;
    }
    if (at < bytes.length) this.#pieces = [bytes.subarray(at)];
  }
}

function lost(how: string): PostgresError {
  return new PostgresError("connection", `the connection was lost (${how})`);
}

/** The fields of an ErrorResponse or NoticeResponse, by their letters. */
export function fieldsOf(body: Buffer): Map<string, string> {
  const fields = new Map<string, string>();
  for (const part of body.toString("utf8").split("\0")) fields.set(part.slice(0, 1), part.slice(1));
  return fields;
}

/** The values of a DataRow; undefined if its lengths are not consistent. */
export function valuesOf(body: Buffer): (string | null)[] | undefined {
  if (body.length < 2) return undefined;
  const count = body.readInt16BE(0);
  const values: (string | null)[] = [];
  let at = 2;
  for (let i = 0; i < count; i++) {
    if (at + 4 > body.length) return undefined;
    const length = body.readInt32BE(at);
    at += 4;
    if (length < 0) {
      values.push(null);
      continue;
    }
    if (at + length > body.length) return undefined;
    values.push(body.toString("utf8", at, at + length));
    at += length;
  }
  return values;
}
