import { Deadline, type TimerWheel } from "../../lib/timer-wheel.ts";
import { unacknowledged } from "../../lib/unacknowledged.ts";
import { type Outgoing } from "./outgoing.ts";
import { type Wire } from "./wire.ts";

/** Milliseconds in which a client that did not want a response resets its connection. @bound */
const MOMENT_MS = 50;
/** Milliseconds to the first look, and between two looks at most. @bound */
const FIRST_LOOK_MS = 10;
const LONGEST_PAUSE_MS = 1000;

/** Told once whether the client's side took a response. */
export type Taken = (taken: boolean) => void;

interface Awaited {
  /** `Outgoing.bytesWritten` behind the response. */
  readonly upTo: number;
  /** Wheel time. */
  readonly since: number;
  readonly told: Taken;
}

export interface ArrivalsOptions {
  readonly out: Outgoing;
  readonly wire: Wire;
  readonly wheel: TimerWheel;
  /** Milliseconds without any progress after which nothing is waited for any more. */
  readonly patienceMs: () => number;
  /** Nothing is under way any more: the connection may send its FIN. */
  readonly onArrived: () => void;
}

/**
 * Finds out which responses of a TCP connection the client's side took: its system acknowledged all of their bytes, and did not
 * reset the connection within a moment. A socket takes megabytes for a client that reads nothing, so "written" says little. The
 * kernel does not report acknowledgements: it is asked, and only for responses that somebody asked for.
 *
 *   written ─ acknowledged ─▶ arrived ─ a moment, or FIN ─▶ taken
 *      └─ closed, no progress ─▶ not taken ◀─ reset ─┘
 */
export class Arrivals extends Deadline {
  readonly #options: ArrivalsOptions;
  /** Oldest first: the first `#arrivedCount` have arrived. */
  readonly #awaited: Awaited[] = [];
  #arrivedCount = 0;
  #arrivedBytes = 0;
  #progressAt = 0;
  #pauseMs = FIRST_LOOK_MS;

  constructor(options: ArrivalsOptions) {
    super();
    this.#options = options;
  }

  /** Some response is not acknowledged: a FIN would hide what becomes of it. */
  get isUnderWay(): boolean {
    return this.#arrivedCount < this.#awaited.length;
  }

  /** What was written so far ends with a response that `told` waits for. */
  await(told: Taken): void {
    const { out, wheel } = this.#options;
    const since = wheel.now();
    this.#awaited.push({ upTo: out.bytesWritten, since, told });
    this.#progressAt = since;
    this.#pauseMs = FIRST_LOOK_MS;
    wheel.set(this, FIRST_LOOK_MS);
  }

  /** The client has sent its FIN: it did not reset what arrived. */
  peerEnded(): void {
    this.#look();
    this.#tell(this.#arrivedCount, true);
  }

  /** The connection is closed. */
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
    while ((this.#awaited[0]?.since ?? now) + MOMENT_MS <= now && this.#arrivedCount > 0) this.#tell(1, true);
    if (this.#awaited.length > 0) {
      this.#pauseMs = Math.min(this.#pauseMs * 2, this.isUnderWay ? LONGEST_PAUSE_MS : MOMENT_MS);
      wheel.set(this, this.#pauseMs);
    }
    if (wasUnderWay && !this.isUnderWay) onArrived();
  }

  #look(): void {
    if (!this.isUnderWay) return;
    const { out, wire, wheel } = this.#options;
    const queued = wire.fd === undefined ? 0 : unacknowledged(wire.fd);
    if (queued === -1) return;
    const arrived = out.bytesWritten - out.bytesLost - out.backlogBytes - queued;
    if (arrived > this.#arrivedBytes) {
      this.#arrivedBytes = arrived;
      this.#progressAt = wheel.now();
    }
    while ((this.#awaited[this.#arrivedCount]?.upTo ?? Number.POSITIVE_INFINITY) <= arrived) this.#arrivedCount++;
  }

  /** Tells the oldest `count`. */
  #tell(count: number, taken: boolean): void {
    this.#arrivedCount = Math.max(this.#arrivedCount - count, 0);
    for (const { told } of this.#awaited.splice(0, count)) told(taken);
  }
}
