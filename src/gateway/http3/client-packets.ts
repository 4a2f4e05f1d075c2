import { Deadline, type TimerWheel } from "../../lib/time/timer-wheel.ts";
import { type Taken } from "../wire/arrivals.ts";

/**
 * Milliseconds within which a client that received a response acknowledges it, or closes its connection. The connection of a client
 * that has vanished ends later. @bound
 */
const SILENT_MS = 1000;
/** Milliseconds before the first check. The time doubles with each check, up to `SILENT_MS`. @bound */
const FIRST_LOOK_MS = 10;

/** The end of a response: its time by the timer wheel, and the bytes that the client had sent before. */
export interface ResponseEnd {
  readonly at: number;
  readonly received: bigint;
}

interface Awaited extends ResponseEnd {
  readonly told: Taken;
}

/**
 * Finds out which responses of an HTTP/3 connection its client took. The engine reports no acknowledgements, and closes a stream when it
 * has sent all of it. But a client that is still there sends a packet soon afterwards.
 */
export class ClientPackets extends Deadline {
  readonly #wheel: TimerWheel;
  readonly #received: () => bigint;
  /** Each came with a request, so a packet of a later request reports the earlier ones. */
  #awaited: Awaited[] = [];
  #pauseMs = FIRST_LOOK_MS;
  #isOver = false;

  /** `received`: the bytes that the client has sent. */
  constructor(wheel: TimerWheel, received: () => bigint) {
    super();
    this.#wheel = wheel;
    this.#received = received;
  }

  mark(): ResponseEnd {
    return { at: this.#wheel.now(), received: this.#received() };
  }

  /** Reports to `told` whether the client took the response that ended at `end`. */
  await(end: ResponseEnd, told: Taken): void {
    this.#awaited.push({ ...end, told });
    this.#pauseMs = FIRST_LOOK_MS;
    this.onDeadline();
  }

  closed(): void {
    this.#isOver = true;
    this.onDeadline();
  }

  override onDeadline(): void {
    const received = this.#received();
    const isHeard = (one: Awaited): boolean => received > one.received;
    const { heard = [], silent = [] } = Object.groupBy(this.#awaited, (one) => (isHeard(one) ? "heard" : "silent"));
    this.#awaited = this.#isOver ? [] : silent;
    this.#wheel.remove(this);
    if (this.#awaited.length > 0) {
      this.#wheel.set(this, this.#pauseMs);
      this.#pauseMs = Math.min(this.#pauseMs * 2, SILENT_MS);
    }
    for (const { told } of heard) told(true);
    if (!this.#isOver) return;
    // The engine counts no packet that closes a connection.
    const now = this.#wheel.now();
    for (const { at, told } of silent) told(now - at < SILENT_MS);
  }
}
