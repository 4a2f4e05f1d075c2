import { type ServerWebSocket, type WebSocketHandler } from "bun";
import { pause } from "../lib/time/pause.ts";
import { MAX_LIVE_MESSAGE_BYTES, type LiveSocket, MAX_UNSENT_BYTES } from "./live/live-socket.ts";
import { type ViewSocket } from "./live/view/view-socket.ts";
import { type TextFeed } from "./operations/operation.ts";

/** Milliseconds that a client has to read a message. A slower client is disconnected with a reason. @bound */
export const SLOW_MS = 60_000;
/** Seconds without a byte after which a connection is closed. The server asks for a sign of life before. @bound */
const IDLE_TIMEOUT_S = 30;
/** Bytes of a client's message, which is not read. */
const MAX_MESSAGE_BYTES = 1024;

/** Status codes of RFC 6455 §7.4.1, and of its registry. */
const NORMAL = 1000;
const GOING_AWAY = 1001;
const TOO_LONG = 1009;
const INTERNAL = 1011;
const TRY_AGAIN = 1013;

type Sender = Pick<ServerWebSocket<TextSocket>, "send" | "close">;

/** Sends the messages of a feed to a WebSocket, as fast as its client reads. */
export class TextSocket {
  readonly #feed: TextFeed;
  readonly #slowMs: number;
  readonly #closed = new AbortController();
  #drained = Promise.withResolvers<void>();

  constructor(feed: TextFeed, slowMs = SLOW_MS) {
    this.#feed = feed;
    this.#slowMs = slowMs;
  }

  async run(socket: Sender): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await this.#feed.texts.next();
        if (this.#closed.signal.aborted) return;
        if (done === true) return socket.close(value ? NORMAL : GOING_AWAY, value ? "end" : "the service stops");
        if (!(await this.#sent(socket, value))) return socket.close(TRY_AGAIN, "reads too slowly");
      }
    } catch {
      socket.close(INTERNAL, "error");
    }
  }

  /** The client has nothing to say. */
  message(socket: Sender, message: string | Uint8Array): void {
    if (message.length > MAX_MESSAGE_BYTES) socket.close(TOO_LONG, "the message is too long");
  }

  drained(): void {
    this.#drained.resolve();
  }

  closed(): void {
    this.#closed.abort();
    this.#drained.resolve();
    this.#feed.close();
  }

  /** False if the client does not read. */
  async #sent(socket: Sender, text: string): Promise<boolean> {
    this.#drained = Promise.withResolvers();
    const sent = socket.send(text);
    // Sent, or dropped; -1: it waits for the client.
    if (sent >= 0) return sent > 0;
    const nap = new AbortController();
    const late = pause(this.#slowMs, AbortSignal.any([this.#closed.signal, nap.signal])).then(() => false);
    const isSent = await Promise.race([this.#drained.promise.then(() => true), late]);
    nap.abort();
    return isSent;
  }
}

/** The state of a WebSocket. */
export type AnySocket = TextSocket | LiveSocket | ViewSocket;

export const WEBSOCKET: WebSocketHandler<AnySocket> = {
  idleTimeout: IDLE_TIMEOUT_S,
  maxPayloadLength: MAX_LIVE_MESSAGE_BYTES,
  backpressureLimit: MAX_UNSENT_BYTES,
  closeOnBackpressureLimit: true,
  open: (socket) => void socket.data.run(socket),
  drain: (socket) => socket.data.drained(),
  close: (socket) => socket.data.closed(),
  message: (socket, message) => socket.data.message(socket, message),
};
