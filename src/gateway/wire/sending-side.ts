import { type BufferAccount } from "../../lib/buffer-pool.ts";
import { type TimerWheel } from "../../lib/timer-wheel.ts";
import { Arrivals, type Taken } from "./arrivals.ts";
import { Outgoing } from "./outgoing.ts";
import { type Wire } from "./wire.ts";
import { WriteDeadline } from "./write-deadline.ts";

export interface SendingSideOptions {
  readonly wire: Wire;
  readonly wheel: TimerWheel;
  readonly buffers: BufferAccount;
  /** Milliseconds without progress after which a peer that does not read is cut off. */
  readonly writeMs: () => number;
  /** What several events write leaves together: see `Outgoing`. */
  readonly gathers?: boolean | undefined;
  /** No response is under way to the peer any more. */
  readonly onArrived: () => void;
}

/** The sending half of a client's connection: what waits for the socket, how long it may wait, and whether it arrived. */
export class SendingSide {
  readonly out: Outgoing;
  readonly #options: SendingSideOptions;
  #writeDeadline: WriteDeadline | undefined;
  #arrivals: Arrivals | undefined;

  constructor(options: SendingSideOptions) {
    const { wire, buffers, gathers } = options;
    this.#options = options;
    this.out = new Outgoing(wire, () => this.#onBlocked(), buffers, gathers);
  }

  /** Something waits for the socket, or is not acknowledged: a FIN now would be too early. */
  get isUnderWay(): boolean {
    return this.out.blocked || this.#arrivals?.isUnderWay === true;
  }

  /** The socket has room. True: it took all that waited. */
  drain(): boolean {
    const { out } = this;
    const before = out.backlogBytes;
    if (!out.drain()) {
      // The time to write counts anew while the peer reads.
      if (out.backlogBytes < before) this.#onBlocked();
      return false;
    }
    if (this.#writeDeadline !== undefined) this.#options.wheel.clear(this.#writeDeadline);
    return true;
  }

  /** Has `told` hear whether what was written so far arrives. */
  awaitArrival(told: Taken): void {
    const { wire, wheel, writeMs: patienceMs, onArrived } = this.#options;
    this.#arrivals ??= new Arrivals({ out: this.out, wire, wheel, patienceMs, onArrived });
    this.#arrivals.await(told);
  }

  /** The peer has sent its FIN. */
  peerEnded(): void {
    this.#arrivals?.peerEnded();
  }

  /** The connection is gone. */
  closed(isReset: boolean): void {
    if (this.#writeDeadline !== undefined) this.#options.wheel.remove(this.#writeDeadline);
    this.#arrivals?.closed(isReset);
    this.out.discard();
  }

  #onBlocked(): void {
    const { wire, wheel, writeMs } = this.#options;
    this.#writeDeadline ??= new WriteDeadline(wire);
    wheel.set(this.#writeDeadline, this.out.exhausted ? 0 : writeMs());
  }
}
