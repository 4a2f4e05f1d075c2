import { Deadline, type TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { type HeadError } from "../../exchange/refusal.ts";
import { refuse } from "../../http1/refusal.ts";
import { lingeringRoom } from "./descriptor-limit.ts";
import { type Wire, type WireHandler } from "../../wire/wire.ts";

/** Milliseconds that a refused client has to read the reason; then the connection is closed. @bound */
const LINGER_MS = 1000;

const mostLingering = lingeringRoom();
let lingering = 0;

const TOO_MANY: HeadError = { code: "overloaded", detail: "this server has its maximum number of connections" };

/** Sends a client the reason why it is not served, by default 503, and closes its connection. */
export class RefusedConnection extends Deadline implements WireHandler {
  readonly #wire: Wire;
  readonly #wheel: TimerWheel;

  constructor(wire: Wire, wheel: TimerWheel, error = TOO_MANY) {
    super();
    this.#wire = wire;
    this.#wheel = wheel;
    const connection = { scheme: "http", clientAddress: wire.remoteAddress ?? "" } as const;
    const bytes = Buffer.from(refuse(error, "", connection).text, "latin1");
    wire.write(bytes, 0, bytes.length);
    wire.shutdown();
    // Not closed here, because its socket may have no handler yet.
    wheel.set(this, lingering >= mostLingering ? 0 : LINGER_MS);
    lingering++;
  }

  onData(): void {}
  onDrain(): void {}
  onEnd(): void {}

  onClose(): void {
    lingering--;
    this.#wheel.remove(this);
  }

  override onDeadline(): void {
    this.#wire.terminate();
  }
}
