import { endEvent, eventTime } from "./event-clock.ts";

/**
 * Milliseconds of a tick. A deadline fires within two ticks, so 30 of its 50 ms of tolerance are left for a busy event
 * loop. A tick costs 4 µs.
 * @internal
 */
export const TICK_MS = 10;
/**
 * Slots of the wheel. One turn takes 10 s; a later deadline waits in the farthest slot and is moved on from there.
 * @bound
 */
const SLOTS = 1024;

/**
 * An object with at most one deadline. Setting it again costs two comparisons and a write, so each request can do it.
 */
export abstract class Deadline {
  /** Time of the wheel, or Infinity for no deadline. */
  due = Number.POSITIVE_INFINITY;
  /** Used by the wheel: the tick of this entry's slot (-1: it is in no slot), and its neighbours there. */
  slotTick = -1;
  next: Deadline | undefined;
  previous: Deadline | undefined;

  abstract onDeadline(): void;
}

export interface WheelClock {
  /** Monotonic milliseconds. */
  now(): number;
  /** Calls `tick` every `ms` milliseconds until the returned function is called. */
  every(ms: number, tick: () => void): () => void;
}

const realClock: WheelClock = {
  now: eventTime,
  every: (ms, tick) => {
    const timer = setInterval(() => {
      // A tick is not part of an event. Otherwise a handler that threw would stop the clock.
      endEvent();
      tick();
    }, ms);
    return () => clearInterval(timer);
  },
};

function rethrow(error: unknown): never {
  throw error;
}

/**
 * A hashed timing wheel: one timer for all deadlines of a worker. An entry whose deadline is put off stays in its slot,
 * and is moved when the wheel reaches that slot. So a keep-alive connection is moved only once in some seconds.
 */
export class TimerWheel {
  readonly #clock: WheelClock;
  readonly #onFault: (error: unknown) => void;
  readonly #slots: (Deadline | undefined)[] = Array.from({ length: SLOTS }, () => undefined);
  #tick = 0;
  #entries = 0;
  #started = 0;
  #stop: (() => void) | undefined;

  /** `onFault` receives what a deadline throws. The other deadlines fire anyway. */
  constructor(clock: WheelClock = realClock, onFault: (error: unknown) => void = rethrow) {
    this.#clock = clock;
    this.#onFault = onFault;
    this.#started = clock.now();
  }

  /** Milliseconds since the wheel was made, at the start of the current event. */
  now(): number {
    return this.#clock.now() - this.#started;
  }

  /**
   * Calls `entry.onDeadline` once, `ms` milliseconds from now (not earlier, and at most two ticks later), unless it is
   * set again or cleared.
   */
  set(entry: Deadline, ms: number): void {
    const due = this.now() + ms;
    entry.due = due;
    const tick = Math.ceil(due / TICK_MS);
    if (entry.slotTick !== -1) {
      if (entry.slotTick <= tick) return;
      this.#unlink(entry);
    }
    this.#link(entry, tick);
  }

  /**
   * Leaves the entry in its slot, so that the next `set` is cheap. Call `remove` for an object that will not be used
   * again.
   */
  clear(entry: Deadline): void {
    entry.due = Number.POSITIVE_INFINITY;
  }

  remove(entry: Deadline): void {
    entry.due = Number.POSITIVE_INFINITY;
    if (entry.slotTick !== -1) this.#unlink(entry);
  }

  /** Stops the timer. No entry fires afterwards. */
  close(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #link(entry: Deadline, tick: number): void {
    if (this.#stop === undefined) {
      this.#tick = Math.floor(this.now() / TICK_MS);
      this.#stop = this.#clock.every(TICK_MS, () => this.#advance());
    }
    const slotTick = Math.min(Math.max(tick, this.#tick + 1), this.#tick + SLOTS - 1);
    const head = this.#slots[slotTick % SLOTS];
    entry.slotTick = slotTick;
    entry.previous = undefined;
    entry.next = head;
    if (head !== undefined) head.previous = entry;
    this.#slots[slotTick % SLOTS] = entry;
    this.#entries++;
  }

  #unlink(entry: Deadline): void {
    if (entry.previous === undefined) this.#slots[entry.slotTick % SLOTS] = entry.next;
    else entry.previous.next = entry.next;
    if (entry.next !== undefined) entry.next.previous = entry.previous;
    entry.next = undefined;
    entry.previous = undefined;
    entry.slotTick = -1;
    this.#entries--;
  }

  #fire(entry: Deadline): void {
    try {
      entry.onDeadline();
    } catch (error) {
      this.#onFault(error);
    }
  }

  #advance(): void {
    const now = this.#clock.now() - this.#started;
    const target = Math.floor(now / TICK_MS);
    // After a pause of more than a turn every slot is due once. A second visit would find it empty.
    if (target - this.#tick > SLOTS) this.#tick = target - SLOTS;
    while (this.#tick < target) {
      this.#tick++;
      let entry = this.#slots[this.#tick % SLOTS];
      while (entry !== undefined) {
        const next: Deadline | undefined = entry.next;
        this.#unlink(entry);
        if (entry.due <= now) {
          entry.due = Number.POSITIVE_INFINITY;
          this.#fire(entry);
        } else if (entry.due !== Number.POSITIVE_INFINITY) {
          this.#link(entry, Math.ceil(entry.due / TICK_MS));
        }
        // If a callback has moved the neighbour to another slot, the rest of this slot is found from its head.
        const moved = next !== undefined && (next.slotTick === -1 || (next.slotTick - this.#tick) % SLOTS !== 0);
        entry = moved ? this.#slots[this.#tick % SLOTS] : next;
      }
    }
    if (this.#entries === 0) this.close();
  }
}
