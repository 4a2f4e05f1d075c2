import { type BufferAccount } from "../../lib/memory/buffer-pool.ts";
import { type TimerWheel, Deadline } from "../../lib/time/timer-wheel.ts";
import { Arrivals, type Taken } from "./arrivals.ts";
import { Outgoing, type Sender } from "./outgoing.ts";
import { type Wire } from "./wire.ts";

/**
 * The connection that sends. An object and not closures, which would take a tenth of the memory of an idle connection
 * (bench front, idle).
 */
export interface SendingOwner {
  readonly wire: Wire;
  readonly wheel: TimerWheel;
  readonly buffers: BufferAccount;
  /** Milliseconds without progress after which a connection is cut, because its peer does not read. */
  readonly writeMs: number;
  /** Called when no response to the peer is under way any more. */
  onArrived(): void;
}

/**
 * The sending half of a client's connection: the bytes that wait for the socket, their deadline, and their
 * acknowledgement.
 */
export class SendingSide implements Sender {
  readonly out: Outgoing;
  readonly #owner: SendingOwner;
  #writeDeadline: WriteDeadline | undefined;
  #arrivals: Arrivals | undefined;

  constructor(owner: SendingOwner) {
    this.#owner = owner;
    this.out = new Outgoing(owner.wire, this, owner.buffers);
  }

  /** True if bytes wait for the socket, or are not acknowledged. A FIN would be too early. */
  get isUnderWay(): boolean {
    return this.out.blocked || this.#arrivals?.isUnderWay === true;
  }

  /** Called when the socket has room. True if it took all waiting bytes. */
  drain(): boolean {
    const { out } = this;
    const before = out.backlogBytes;
    if (!out.drain()) {
      // The peer reads, so the write deadline begins again.
      if (out.backlogBytes < before) this.onBlocked();
      return false;
    }
    if (this.#writeDeadline !== undefined) this.#owner.wheel.clear(this.#writeDeadline);
    return true;
  }

  /** Reports to `told` whether the bytes that were written so far arrive. */
  awaitArrival(told: Taken): void {
    this.#arrivals ??= this.#createArrivals();
    this.#arrivals.await(told);
  }

  /** The peer did not want the response that `told` waits for. */
  refused(told: Taken): void {
    this.#arrivals?.refused(told);
  }

  /** Called when the peer has sent its FIN. */
  peerEnded(): void {
    this.#arrivals?.peerEnded();
  }

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

/** Cuts a connection if its peer does not read. */
class WriteDeadline extends Deadline {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    super();
    this.#wire = wire;
  }

  override onDeadline(): void {
    this.#wire.terminate();
  }
}
