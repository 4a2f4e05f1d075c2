import { Deadline, type TimerWheel } from "../../lib/time/timer-wheel.ts";
import { unacknowledged } from "../../lib/net/unacknowledged.ts";
import { type Outgoing } from "./outgoing.ts";
import { type Wire } from "./wire.ts";

/**
 * Milliseconds within which a client that did not want a response resets its connection or stream. A later reset does not count.
 * @bound
 */
const MOMENT_MS = 50;
/** Milliseconds before the first check; `LONGEST_PAUSE_MS` is the longest time between two checks. @bound */
const FIRST_LOOK_MS = 10;
const LONGEST_PAUSE_MS = 1000;

/** Called once: true if the client's side received the whole response. */
export type Taken = (taken: boolean) => void;

interface Awaited {
  /** The value of `Outgoing.bytesWritten` at the end of the response. */
  readonly upTo: number;
  /** The time by the timer wheel at which it had arrived. */
  arrivedAt: number;
  readonly told: Taken;
}

/** The connection that `Arrivals` observes, and its limit in time. */
export interface ArrivalsOptions {
  readonly out: Outgoing;
  readonly wire: Wire;
  readonly wheel: TimerWheel;
  /** Milliseconds without progress after which the unacknowledged responses count as not taken. */
  readonly patienceMs: () => number;
  /** Called when all responses are acknowledged or given up: the connection may send its FIN. */
  readonly onArrived: () => void;
}

/**
 * Finds out which responses of a TCP connection the client's side took: its system acknowledged all bytes, and did not
 * reset the connection shortly after. A socket takes megabytes for a client that reads nothing, so a completed write does
 * not show this. The kernel does not report acknowledgements: the gateway queries it, only for responses that are awaited.
 *
 *   written ─ acknowledged ─▶ arrived ─ MOMENT_MS, or FIN ─▶ taken
 *      └─ closed, no progress ─▶ not taken ◀─ reset ─┘
 */
export class Arrivals extends Deadline {
  readonly #options: ArrivalsOptions;
  /** Oldest first. The first `#arrivedCount` have arrived. */
  readonly #awaited: Awaited[] = [];
  #arrivedCount = 0;
  #arrivedBytes = 0;
  #progressAt = 0;
  #pauseMs = FIRST_LOOK_MS;

  constructor(options: ArrivalsOptions) {
    super();
    this.#options = options;
  }

  /** True if a response is not acknowledged. After a FIN the result would stay unknown. */
  get isUnderWay(): boolean {
    return this.#arrivedCount < this.#awaited.length;
  }

  /** Reports to `told` whether the response that ends with the bytes written so far is taken. */
  await(told: Taken): void {
    const { out, wheel } = this.#options;
    this.#awaited.push({ upTo: out.bytesWritten, arrivedAt: Number.POSITIVE_INFINITY, told });
    this.#progressAt = wheel.now();
    this.#pauseMs = FIRST_LOOK_MS;
    wheel.set(this, FIRST_LOOK_MS);
  }

  /** The client has reset the stream of a response that was written, because it did not want it. */
  refused(told: Taken): void {
    const at = this.#awaited.findIndex((one) => one.told === told);
    if (at === -1) return;
    if (at < this.#arrivedCount) this.#arrivedCount--;
    this.#awaited.splice(at, 1);
    told(false);
  }

  /** The client has sent its FIN, so it did not reset the responses that arrived. */
  peerEnded(): void {
    this.#look();
    this.#tell(this.#arrivedCount, true);
  }

  closed(isReset: boolean): void {
    this.#options.wheel.remove(this);
    this.#tell(this.#arrivedCount, !isReset);
    this.#tell(this.#awaited.length, false);
  }

  override onDeadline(): void {
    const { wheel, patienceMs, onArrived } = this.#options;
    const wasUnderWay = this.isUnderWay;
    this.#look();
    const now = wheel.now();
    if (this.isUnderWay && now - this.#progressAt >= patienceMs()) {
      this.#tell(this.#arrivedCount, true);
      this.#tell(this.#awaited.length, false);
    }
    while ((this.#awaited[0]?.arrivedAt ?? Number.POSITIVE_INFINITY) + MOMENT_MS <= now) this.#tell(1, true);
    if (this.#awaited.length > 0) {
      this.#pauseMs = Math.min(this.#pauseMs * 2, this.isUnderWay ? LONGEST_PAUSE_MS : MOMENT_MS);
      wheel.set(this, this.#pauseMs);
    }
    if (wasUnderWay && !this.isUnderWay) onArrived();
  }

  #look(): void {
    if (!this.isUnderWay) return;
    const { out, wire, wheel } = this.#options;
    // Bytes that are still gathered have not arrived.
    out.flush();
    const queued = wire.fd === undefined ? 0 : unacknowledged(wire.fd);
    if (queued === -1) return;
    const arrived = out.bytesWritten - out.bytesLost - out.backlogBytes - queued;
    if (arrived > this.#arrivedBytes) {
      this.#arrivedBytes = arrived;
      this.#progressAt = wheel.now();
    }
    for (const one of this.#awaited.slice(this.#arrivedCount)) {
      if (one.upTo > arrived) break;
      one.arrivedAt = wheel.now();
      this.#arrivedCount++;
    }
  }

  /** Reports the result of the oldest `count` responses. */
  #tell(count: number, taken: boolean): void {
    this.#arrivedCount = Math.max(this.#arrivedCount - count, 0);
    for (const { told } of this.#awaited.splice(0, count)) told(taken);
  }
}
