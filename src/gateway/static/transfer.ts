import { TurnpikeError } from "../../lib/errors.ts";
import { type Exchange } from "../exchange/exchange.ts";
import { type OpenFile } from "./open-file.ts";
import { type ByteRange } from "../../lib/http/byte-ranges.ts";

/** Bytes that are read at a time for codecs that must see the data. @bound */
const CHUNK_BYTES = 65_536;
/** Bytes that fill a socket which the kernel's sending found full: only then does it report room again. */
const FILL_BYTES = 16_384;
/** Bytes sent to one client before other clients have their turn; nginx's `sendfile_max_chunk`. @bound */
const BURST_BYTES = 2 * 1024 * 1024;

/** A range of the file, and the text before it in the response. */
export interface Part extends ByteRange {
  readonly preamble: Buffer | undefined;
}

/** The parts of a response body, in order. */
export interface TransferBody {
  readonly parts: readonly Part[];
  readonly closing?: Buffer;
}

/**
 * Sends parts of a file as the body of a response whose head was sent: at the client's speed, with at most one chunk in
 * memory. The file stays open until the end, or until the client is gone. If the file has become shorter, the response
 * is cut off.
 */
export class Transfer {
  readonly #exchange: Exchange;
  readonly #file: OpenFile;
  readonly #body: TransferBody;
  readonly #onError: (error: unknown) => void;
  #next = 0;
  #at = 0;
  #to = 0;
  #waits = false;
  #over = false;

  /** `onError` gets exceptions that no event of the client's connection catches. */
  constructor(exchange: Exchange, file: OpenFile, body: TransferBody, onError: (error: unknown) => void) {
    this.#exchange = exchange;
    this.#file = file;
    this.#body = body;
    this.#onError = onError;
    file.retain();
    exchange.onCancel = () => this.#release();
    exchange.onDrain = () => {
      if (!this.#waits) return;
      this.#waits = false;
      this.run();
    };
  }

  /** Sends until the client accepts no more for now. */
  run(): void {
    let budget = BURST_BYTES;
    while (!this.#over && !this.#waits) {
      if (this.#at === this.#to && !this.#beginPart()) return;
      if (budget <= 0) {
        setImmediate(() => this.#runAlone());
        return;
      }
      const before = this.#at;
      this.#send(Math.min(this.#to, this.#at + budget));
      budget -= this.#at - before;
    }
  }

  #runAlone(): void {
    try {
      this.run();
    } catch (error) {
      this.#release();
      this.#exchange.response.abort(new TurnpikeError("internal", "the file could not be sent"));
      this.#onError(error);
    }
  }

  /** Begins the next part; false after the last part, when the response is complete. */
  #beginPart(): boolean {
    const part = this.#body.parts[this.#next++];
    const { response } = this.#exchange;
    if (part === undefined) {
      if (this.#body.closing !== undefined) response.data(this.#body.closing);
      this.#release();
      response.end("");
      return false;
    }
    // Preambles are small, and there are at most as many as ranges, so backpressure is ignored here.
    if (part.preamble !== undefined) response.data(part.preamble);
    this.#at = part.from;
    this.#to = part.to;
    return true;
  }

  #send(to: number): void {
    const { response } = this.#exchange;
    let chunkBytes = CHUNK_BYTES;
    if (response.sendFile !== undefined && this.#file.fd !== -1) {
      const sent = response.sendFile(this.#file.fd, this.#at, to - this.#at);
      this.#at += sent;
      if (this.#at === to) return;
      if (sent > 0) chunkBytes = FILL_BYTES;
    }
    const end = Math.min(to, this.#at + chunkBytes);
    const bytes = this.#file.read(this.#at, end);
    if (bytes === undefined) {
      this.#release();
      response.abort(new TurnpikeError("internal", "the file became shorter while it was sent"));
      return;
    }
    this.#at = end;
    this.#waits = true;
    if (response.data(bytes)) this.#waits = false;
  }

  #release(): void {
    if (this.#over) return;
    this.#over = true;
    this.#file.release();
  }
}
