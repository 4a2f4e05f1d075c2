import { type Outgoing } from "../wire/outgoing.ts";
import { type Http2Stream } from "./stream.ts";

/** What the queue needs of its connection. */
interface Sender {
  readonly out: Outgoing;
  readonly sendWindow: number;
}

/**
 * The streams of a connection that have something to send, or wait to hear that they may: one frame each, in turn. A
 * stream whose own window is shut leaves the queue, and comes back when it opens.
 */
export class SendQueue {
  readonly #sender: Sender;
  #waiting: Http2Stream[] = [];
  /** Those for which the connection's window is too small. */
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

  /** Forgets a stream that is closed: a client may reset any number while a window stays shut. */
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

  /** Sends until the socket is full or nothing can be sent. */
  pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      this.#sendAll();
    } finally {
      // Whoever throws as it is told to go on may do so in another connection's event, and this one lives on.
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

  /** Its time runs from here: it may have waited for the socket before, or for others. */
  #starve(stream: Http2Stream): void {
    stream.starve();
    if (stream.sendWindow <= 0) stream.queued = false;
    else this.#starved.push(stream);
  }
}
