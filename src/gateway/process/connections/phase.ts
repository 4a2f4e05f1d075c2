import { Deadline, type TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { type ConnectionPermit, type ServerConnection } from "../../exchange/server-host.ts";
import { type Wire, type WireHandler } from "../../wire/wire.ts";
import { RefusedConnection } from "./refused-connection.ts";

/** The parts of its listener that a phase needs. */
export interface Entrance {
  readonly wheel: TimerWheel;
  /** The connection has ended, or another phase or codec has taken it over. */
  closed(connection: ServerConnection): void;
}

/**
 * A connection before its protocol is known. Each phase ends at its deadline, or is replaced by the next one:
 *
 *   PROXY header (if configured) → TLS handshake (with TLS) → first bytes (without TLS) → HTTP/1 or HTTP/2
 */
export abstract class Phase extends Deadline implements WireHandler, ServerConnection {
  listIndex = -1;
  permit: ConnectionPermit | undefined;
  readonly idleSince: number;
  readonly wire: Wire;
  readonly #entrance: Entrance;

  constructor(wire: Wire, entrance: Entrance, ms: number) {
    super();
    this.wire = wire;
    this.#entrance = entrance;
    this.idleSince = entrance.wheel.now();
    entrance.wheel.set(this, ms);
  }

  /** Sets another deadline, in milliseconds from now. */
  within(ms: number): void {
    this.#entrance.wheel.set(this, ms);
  }

  /** Leaves the connection to its successor, or ends with it. */
  leave(): void {
    this.#entrance.wheel.remove(this);
    this.#entrance.closed(this);
  }

  abstract onData(chunk: Buffer): void;

  onDrain(): void {}

  onEnd(): void {
    this.wire.terminate();
  }

  onClose(): void {
    this.leave();
  }

  drain(): void {
    this.wire.terminate();
  }

  cutOff(): void {
    this.wire.terminate();
  }

  makeWay(): void {
    this.cutOff();
  }

  /** Closes the connection, because there is no permit for it. The client gets the reason if the phase can send it. */
  refuse(): void {
    this.cutOff();
  }

  /** Refuses in plain text. */
  protected refuseInWords(): void {
    this.wire.data = new RefusedConnection(this.wire, this.#entrance.wheel);
    this.leave();
  }

  override onDeadline(): void {
    this.wire.terminate();
  }
}
