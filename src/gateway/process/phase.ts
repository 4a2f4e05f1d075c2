import { Deadline, type TimerWheel } from "../../lib/timer-wheel.ts";
import { type ConnectionPermit, type ServerConnection } from "../server-host.ts";
import { type Wire, type WireHandler } from "../wire/wire.ts";
import { RefusedConnection } from "./refused-connection.ts";

/** What a phase needs of the listener that its connection came by. */
export interface Entrance {
  readonly wheel: TimerWheel;
  /** The connection is over, or has become another one's. */
  closed(connection: ServerConnection): void;
}

/**
 * What a connection is before its protocol is known. Each phase ends by its deadline, or by putting the next one in its
 * place on the wire:
 *
 *   PROXY header (where one is asked for) → TLS handshake (where there is one) → first bytes → HTTP/1 or HTTP/2
 */
export abstract class Phase extends Deadline implements WireHandler, ServerConnection {
  rosterIndex = -1;
  permit: ConnectionPermit | undefined;
  readonly idleSince: number;
  readonly #wire: Wire;
  readonly #entrance: Entrance;

  constructor(wire: Wire, entrance: Entrance, ms: number) {
    super();
    this.#wire = wire;
    this.#entrance = entrance;
    this.idleSince = entrance.wheel.now();
    entrance.wheel.set(this, ms);
  }

  get wire(): Wire {
    return this.#wire;
  }

  /** Another deadline. */
  within(ms: number): void {
    this.#entrance.wheel.set(this, ms);
  }

  /** Makes way for what has taken its place, or for nothing. */
  leave(): void {
    this.#entrance.wheel.remove(this);
    this.#entrance.closed(this);
  }

  abstract onData(chunk: Buffer): void;

  onDrain(): void {}

  onEnd(): void {
    this.#wire.terminate();
  }

  onClose(): void {
    this.leave();
  }

  drain(): void {
    this.#wire.terminate();
  }

  cutOff(): void {
    this.#wire.terminate();
  }

  makeWay(): void {
    this.cutOff();
  }

  /** There is no place for it, as its client is told where that can be. */
  refuse(): void {
    this.cutOff();
  }

  /** Refuses in plain text. */
  protected refuseInWords(): void {
    this.#wire.data = new RefusedConnection(this.#wire, this.#entrance.wheel);
    this.leave();
  }

  override onDeadline(): void {
    this.#wire.terminate();
  }
}
