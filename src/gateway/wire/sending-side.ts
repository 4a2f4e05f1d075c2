import { type BufferAccount } from "../../lib/buffer-pool.ts";
import { type TimerWheel } from "../../lib/timer-wheel.ts";
import { Arrivals, type Taken } from "./arrivals.ts";
import { Outgoing, type Sender } from "./outgoing.ts";
import { type Wire } from "./wire.ts";
import { WriteDeadline } from "./write-deadline.ts";

/** The connection that sends. It is asked itself: closures for it take a tenth of the memory of an idle connection (bench front, idle). */
export interface SendingOwner {
  readonly wire: Wire;
  readonly wheel: TimerWheel;
  readonly buffers: BufferAccount;
  /** Milliseconds without progress after which a peer that does not read is cut off. */
  readonly writeMs: number;
  /** No response is under way to the peer any more. */
  onArrived(): void;
}

/** The sending half of a client's connection: what waits for the socket, how long it may wait, and whether it arrived. */
export class SendingSide implements Sender {
  readonly out: Outgoing;
  readonly #owner: SendingOwner;
  #writeDeadline: WriteDeadline | undefined;
  #arrivals: Arrivals | undefined;

  /** `gathers`: what several events write leaves together, see `Outgoing`. */
  constructor(owner: SendingOwner, gathers = false) {
    this.#owner = owner;
    this.out = new Outgoing(owner.wire, this, owner.buffers, gathers);
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
      if (out.backlogBytes < before) this.onBlocked();
      return false;
    }
    if (this.#writeDeadline !== undefined) this.#owner.wheel.clear(this.#writeDeadline);
    return true;
  }

  /** Has `told` hear whether what was written so far arrives. */
  awaitArrival(told: Taken): void {
    this.#arrivals ??= this.#createArrivals();
    this.#arrivals.await(told);
  }

  /** The peer has sent its FIN. */
  peerEnded(): void {
    this.#arrivals?.peerEnded();
  }

  /** The connection is gone. */
  closed(isReset: boolean): void {
    if (this.#writeDeadline !== undefined) this.#owner.wheel.remove(this.#writeDeadline);
    this.#arrivals?.closed(isReset);
    this.out.discard();
  }

  #createArrivals(): Arrivals {
    const owner = this.#owner;
    const { wire, wheel } = owner;
    const patienceMs = (): number => owner.writeMs;
    return new Arrivals({ out: this.out, wire, wheel, patienceMs, onArrived: () => owner.onArrived() });
  }

  onBlocked(): void {
    const { wire, wheel, writeMs } = this.#owner;
    this.#writeDeadline ??= new WriteDeadline(wire);
    wheel.set(this.#writeDeadline, this.out.exhausted ? 0 : writeMs);
  }
}
