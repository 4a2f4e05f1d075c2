import { writeLatin1 } from "../../lib/latin1.ts";
import { type Wire } from "./wire.ts";

/** Bytes gathered before they go to the socket: a head and a small body leave in one write. */
const CORK_BYTES = 131_072;
/** A chunk from here on is written from where it lies: copying it costs more than a second write (bench proxy, 64k). */
const DIRECT_BYTES = 98_304;

const cork = Buffer.allocUnsafeSlow(CORK_BYTES);
/** Copies from any byte array, as `Buffer.prototype.copy` does, without a view in between. */
const { copy: copyBytes } = Buffer.prototype;
let corkLength = 0;
let corkOwner: Outgoing | undefined;
/** An event is being handled, at whose end `flushCork` is called. */
let inEvent = false;
let flushScheduled = false;

/**
 * The sending half of a connection. What is written within one event is gathered in a buffer that all connections of
 * the worker share, and leaves when the event ends (`flush`) or another connection needs the buffer. What the socket
 * does not take waits in `#backlog`; its size is bounded by whoever heeds `blocked`.
 */
export class Outgoing {
  readonly #wire: Wire;
  readonly #onBlocked: () => void;
  #backlog: Uint8Array[] = [];
  #backlogBytes = 0;
  /** Bytes given to this connection since it opened, taken by the socket or not. */
  bytesWritten = 0;

  constructor(wire: Wire, onBlocked: () => void) {
    this.#wire = wire;
    this.#onBlocked = onBlocked;
  }

  /** True while bytes wait for the socket: whoever produces them must stop until `drain` answers true. */
  get blocked(): boolean {
    return this.#backlogBytes > 0;
  }

  get backlogBytes(): number {
    return this.#backlogBytes;
  }

  /** Writes latin1 text. */
  text(text: string): void {
    if (text.length > CORK_BYTES || this.#backlogBytes > 0) {
      this.bytes(Buffer.from(text, "latin1"));
      return;
    }
    this.bytesWritten += text.length;
    if (!this.#claim(text.length)) {
      this.#keep(Buffer.from(text, "latin1"));
      return;
    }
    corkLength += writeLatin1(cork, text, corkLength);
  }

  /** Writes the bytes of `chunk` from `start` to `end`; they must not change afterwards. */
  bytes(chunk: Uint8Array, start = 0, end = chunk.length): void {
    const length = end - start;
    if (length === 0) return;
    this.bytesWritten += length;
    if (this.#backlogBytes > 0) {
      this.#keep(chunk.subarray(start, end));
      return;
    }
    if (length >= DIRECT_BYTES) {
      this.flush();
      this.#send(chunk, start, end);
      return;
    }
    if (!this.#claim(length)) {
      this.#keep(chunk.subarray(start, end));
      return;
    }
    copyBytes.call(chunk, cork, corkLength, start, end);
    corkLength += length;
  }

  /** Sends what this connection has gathered. */
  flush(): void {
    if (corkOwner === this) flushOwner();
  }

  /** Takes up the backlog when the socket has room; true when nothing waits any more. */
  drain(): boolean {
    while (this.#backlog.length > 0) {
      const chunk = this.#backlog[0];
      if (chunk === undefined) break;
      const taken = this.#wire.write(chunk, 0, chunk.byteLength);
      if (taken < 0) {
        this.discard();
        return false;
      }
      this.#backlogBytes -= taken;
      if (taken < chunk.byteLength) {
        this.#backlog[0] = chunk.subarray(taken);
        return false;
      }
      this.#backlog.shift();
    }
    return true;
  }

  /** Forgets all that was not sent. */
  discard(): void {
    if (corkOwner === this) {
      corkOwner = undefined;
      corkLength = 0;
    }
    this.#backlog = [];
    this.#backlogBytes = 0;
  }

  /** Makes the buffer this connection's, with `room` bytes free in it. False: emptying it began a backlog, which goes first. */
  #claim(room: number): boolean {
    if (corkOwner !== this || corkLength + room > CORK_BYTES) {
      flushOwner();
      if (this.#backlogBytes > 0) return false;
    }
    // eslint-disable-next-line typescript/no-this-alias -- it is the buffer's owner, not an alias
    corkOwner = this;
    if (!inEvent) scheduleFlush();
    return true;
  }

  #keep(chunk: Uint8Array): void {
    this.#backlog.push(chunk);
    this.#backlogBytes += chunk.byteLength;
    if (this.#backlog.length === 1) this.#onBlocked();
  }

  #send(bytes: Uint8Array, start: number, end: number): void {
    const taken = this.#backlogBytes > 0 ? 0 : this.#wire.write(bytes, start, end - start);
    if (taken >= end - start || taken < 0) return;
    // The shared buffer is used again at once, so what is left of it is copied; anything else is kept as it lies.
    const rest = bytes.subarray(start + taken, end);
    this.#keep(bytes === cork ? Buffer.from(rest) : rest);
  }

  static sendCork(owner: Outgoing, length: number): void {
    owner.#send(cork, 0, length);
  }
}

function flushOwner(): void {
  const owner = corkOwner;
  if (owner === undefined) return;
  const length = corkLength;
  corkOwner = undefined;
  corkLength = 0;
  if (length > 0) Outgoing.sendCork(owner, length);
}

/** What is written after an `await` has no event whose end would send it. */
function scheduleFlush(): void {
  if (flushScheduled) return;
  flushScheduled = true;
  queueMicrotask(() => {
    flushScheduled = false;
    flushOwner();
  });
}

/** Begins an event: what is written from now on waits for `flushCork`. */
export function holdCork(): void {
  inEvent = true;
}

/** Ends an event: sends whatever any connection has gathered. */
export function flushCork(): void {
  inEvent = false;
  flushOwner();
}
