import { type Outgoing } from "../wire/outgoing.ts";
import { type Http2Stream } from "./stream.ts";

/** The parts of its connection that the queue uses. */
interface Sender {
  readonly out: Outgoing;
  readonly sendWindow: number;
}

/**
 * The streams of a connection that have data to send, or that wait until flow control lets them send. Each sends one
 * frame in turn. A stream whose own window is shut leaves the queue, and returns when the window opens.
 */
export class SendQueue {
  readonly #sender: Sender;
  #waiting: Http2Stream[] = [];
  /** Streams for which the connection's window is too small. */
  #starved: Http2Stream[] = [];
  #pumping = false;

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  add(stream: Http2Stream): void {
    if (stream.queued) return;
    stream.queued = true;
    this.#waiting.push(stream);
  }

  /**
   * Forgets a closed stream. Without this, a client could reset any number of streams while a window is shut, and each
   * would stay in memory.
   */
  remove(stream: Http2Stream): void {
    if (!stream.queued) return;
    stream.queued = false;
    for (const queue of [this.#waiting, this.#starved]) {
      const at = queue.indexOf(stream);
      if (at !== -1) queue.splice(at, 1);
    }
  }

  /** The connection's window has grown. */
  windowOpened(): void {
    if (this.#starved.length === 0) return;
    this.#waiting = this.#waiting.concat(this.#starved);
    this.#starved = [];
  }

  /** Sends until the socket is full or there is nothing to send. */
  pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      this.#sendAll();
    } finally {
      // A stream that throws here may do so in an event of another connection, and this connection continues.
      this.#pumping = false;
    }
  }

  #sendAll(): void {
    const { out } = this.#sender;
    while (!out.blocked) {
      const stream = this.#waiting.shift();
      if (stream === undefined) return;
      if (stream.isStarved) this.#starve(stream);
      else if (stream.sendTurn()) {
        stream.queued = false;
        stream.tellSendable();
      } else this.#waiting.push(stream);
    }
  }

  /** The stream's timeout starts here: before, the stream may have waited for the socket or for other streams. */
  #starve(stream: Http2Stream): void {
    stream.starve();
    if (stream.sendWindow <= 0) stream.queued = false;
    else this.#starved.push(stream);
  }
}
