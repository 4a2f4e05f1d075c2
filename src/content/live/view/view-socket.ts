import { type ServerWebSocket } from "bun";
import { inputOf } from "./input.ts";
import { type Picture, type Shown } from "./screencast.ts";
import { type Viewer, type Viewers } from "./viewers.ts";

/** The subprotocol of WebSockets for viewers. */
const VIEW_PROTOCOL = "turnpike.view";
/** Bytes of a viewer's message. */
const MAX_MESSAGE_BYTES = 300;

/** Status codes of RFC 6455 §7.4.1, and of its registry. */
const NORMAL = 1000;
const POLICY = 1008;
const TOO_LONG = 1009;
const TRY_AGAIN = 1013;

type Socket = Pick<ServerWebSocket<unknown>, "send" | "close">;

/**
 * The WebSocket of a viewer. A message is a line of JSON with the title and the address of the page, and after
 * it a picture, if there is another one. The next message is sent when the viewer has responded to it, so a slow viewer gets
 * fewer pictures, and only one waits for it. A response that is an object is an input.
 */
export class ViewSocket implements Viewer {
  readonly protocol = VIEW_PROTOCOL;
  readonly #viewers: Viewers;
  readonly #controls: boolean;
  #socket: Socket | undefined;
  #text = "";
  #number = 0;
  #isReady = true;

  /** `controls`: the person may act in the page. */
  constructor(viewers: Viewers, controls: boolean) {
    this.#viewers = viewers;
    this.#controls = controls;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  run(socket: Socket): void {
    this.#socket = socket;
    if (!this.#viewers.enter(this)) socket.close(TRY_AGAIN, "too many viewers");
  }

  message(socket: Socket, message: string | Uint8Array): void {
    if (message.length > MAX_MESSAGE_BYTES) return socket.close(TOO_LONG, "the message is too long");
    if (typeof message === "string" && message.startsWith("{")) return this.#act(socket, message);
    this.#isReady = true;
    this.#viewers.ask();
  }

  #act(socket: Socket, message: string): void {
    const input = this.#controls ? inputOf(message) : undefined;
    if (input === undefined)
      return socket.close(POLICY, this.#controls ? "not an input" : "this address gives no control");
    this.#viewers.act(input);
  }

  show(shown: Shown, picture: Picture | undefined): void {
    const text = `${JSON.stringify({ ...shown, controls: this.#controls })}\n`;
    const fresh = picture !== undefined && picture.number > this.#number ? picture : undefined;
    if (!this.#isReady || (text === this.#text && fresh === undefined)) return;
    this.#isReady = false;
    this.#text = text;
    this.#number = fresh?.number ?? this.#number;
    this.#socket?.send(Buffer.concat([Buffer.from(text), fresh?.bytes ?? Buffer.alloc(0)]));
  }

  ended(): void {
    this.#socket?.close(NORMAL, "the browser has ended");
  }

  /** Nothing waits for it but one message. */
  drained(): void {}

  closed(): void {
    this.#viewers.leave(this);
  }
}
