import { endEvent, eventTime } from "./event-clock.ts";

/**
 * Milliseconds a tick: a deadline fires within two of them, which leaves 30 of the 50 ms that it may be late for an event loop
 * that is busy. A tick costs 4 us.
 */
export const TICK_MS = 10;
/** One turn is 10 s; a later deadline waits in the farthest slot and is put forward from there. @bound */
const SLOTS = 1024;

/** Something with at most one deadline. Setting one again is two comparisons and a write, so a request may do it freely. */
export abstract class Deadline {
  /** Wheel time, or Infinity for none. */
  due = Number.POSITIVE_INFINITY;
  /** The wheel's own: the tick in whose slot this entry hangs, -1 when it hangs nowhere, and its neighbours there. */
  slotTick = -1;
  next: Deadline | undefined;
  previous: Deadline | undefined;

  abstract onDeadline(): void;
}

export interface WheelClock {
  /** Monotonic milliseconds. */
  now(): number;
  /** Calls `tick` every `ms` until the returned function is called. */
  every(ms: number, tick: () => void): () => void;
}

const realClock: WheelClock = {
  now: eventTime,
  every: (ms, tick) => {
    const timer = setInterval(() => {
      // A tick is no part of an event: one whose handler threw must not stop the clock.
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
 * A hashed timing wheel: one timer for all deadlines of a worker. An entry stays where it hangs while its deadline
 * only moves later, and is moved when its slot comes round; so a keep-alive connection is relinked once in seconds.
 */
export class TimerWheel {
  readonly #clock: WheelClock;
  readonly #onFault: (error: unknown) => void;
  readonly #slots: (Deadline | undefined)[] = Array.from({ length: SLOTS }, () => undefined);
  #tick = 0;
  #entries = 0;
  #started = 0;
  #stop: (() => void) | undefined;

  /** `onFault` is told what a deadline threw; the others fire all the same. */
  constructor(clock: WheelClock = realClock, onFault: (error: unknown) => void = rethrow) {
    this.#clock = clock;
    this.#onFault = onFault;
    this.#started = clock.now();
  }

  /** Milliseconds since the wheel was made, as of the event that is being handled. */
  now(): number {
    return this.#clock.now() - this.#started;
  }

  /** Calls `entry.onDeadline` once, `ms` from now (no earlier, and at most two ticks later), unless set again or cleared. */
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

  /** Keeps the entry hanging, so that the next `set` is cheap. An object that will not be used again wants `remove`. */
  clear(entry: Deadline): void {
    entry.due = Number.POSITIVE_INFINITY;
  }

  remove(entry: Deadline): void {
    entry.due = Number.POSITIVE_INFINITY;
    if (entry.slotTick !== -1) this.#unlink(entry);
  }

  /** Stops the timer; entries never fire afterwards. */
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
    // After a stall of more than a turn every slot is due once; visiting them again would find them empty.
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
        // A callback may have moved the neighbour to another slot: then the rest of this one is found from its head.
        const moved = next !== undefined && (next.slotTick === -1 || (next.slotTick - this.#tick) % SLOTS !== 0);
        entry = moved ? this.#slots[this.#tick % SLOTS] : next;
      }
    }
    if (this.#entries === 0) this.close();
  }
}
