import { type ServerWebSocket } from "bun";
import { type LiveBrowser } from "./live-browser.ts";
import { type Relay } from "./relay.ts";

/** Bytes of a client's message. @operator @bound */
export const MAX_LIVE_MESSAGE_BYTES = 8 * 1024 * 1024;
/** Bytes that wait for a client that does not read, beyond which it is disconnected. @bound */
export const MAX_UNSENT_BYTES = 64 * 1024 * 1024;
/** Milliseconds for which a client may read nothing. @bound */
const SLOW_MS = 60_000;
/** Messages of a client that wait until its session has begun, and their length in all. */
const MAX_EARLY = 100;
const MAX_EARLY_LENGTH = MAX_LIVE_MESSAGE_BYTES;

/** Status codes of RFC 6455 §7.4.1, and of its registry. */
const NORMAL = 1000;
const POLICY = 1008;
const INTERNAL = 1011;
const TRY_AGAIN = 1013;

type Socket = Pick<ServerWebSocket<unknown>, "send" | "close" | "getBufferedAmount">;

/** The WebSocket of a client that controls a browser. */
export class LiveSocket {
  readonly protocol = undefined;
  readonly #browser: LiveBrowser;
  #relay: Relay | undefined;
  #early: (string | Uint8Array)[] | undefined = [];
  #earlyLength = 0;
  #slow: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  /** `browser` must be taken for this client. */
  constructor(browser: LiveBrowser) {
    this.#browser = browser;
  }

  async run(socket: Socket): Promise<void> {
    try {
      const relay = await this.#browser.connect({
        send: (text) => this.#send(socket, text),
        closed: () => {
          socket.close(NORMAL, "the browser has ended");
          this.#browser.end();
        },
      });
      if (this.#isClosed) return relay.close();
      this.#relay = relay;
      const early = this.#early ?? [];
      this.#early = undefined;
      for (const message of early) relay.receive(message);
    } catch {
      socket.close(INTERNAL, "the browser has ended");
    }
  }

  message(socket: Socket, message: string | Uint8Array): void {
    if (this.#relay !== undefined) return this.#relay.receive(message);
    this.#earlyLength += message.length;
    if ((this.#early?.length ?? MAX_EARLY) < MAX_EARLY && this.#earlyLength <= MAX_EARLY_LENGTH)
      this.#early?.push(message);
    else socket.close(POLICY, "too many calls are open");
  }

  drained(): void {
    clearTimeout(this.#slow);
    this.#slow = undefined;
    this.#browser.resume();
  }

  closed(): void {
    this.#isClosed = true;
    clearTimeout(this.#slow);
    this.#browser.leave();
  }

  #send(socket: Socket, text: string): void {
    if (this.#isClosed || socket.send(text) > 0) return;
    if (socket.getBufferedAmount() > MAX_UNSENT_BYTES) return socket.close(TRY_AGAIN, "reads too slowly");
    this.#browser.pause();
    this.#slow ??= setTimeout(() => socket.close(TRY_AGAIN, "reads too slowly"), SLOW_MS);
  }
}
