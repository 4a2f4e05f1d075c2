import { endEvent, eventTime } from "./event-clock.ts";

/**
 * Milliseconds of a tick. A deadline fires within two ticks, so 30 of its 50 ms of tolerance are left for a busy event
 * loop.
 * @internal
 */
export const TICK_MS = 10;
/**
 * Slots of the wheel. One turn takes 10 s; a later deadline waits in the farthest slot and is moved on from there.
 * @bound
 */
const SLOTS = 1024;

/**
 * Milliseconds by which the timer may be late before the event loop takes another turn: the process was suspended, or a
 * machine had no time for it. In that turn, data that arrived in time ends its deadline before the deadline fires. @bound
 */
const MAX_LATE_MS = 100;
/** Turns of the event loop before overdue deadlines fire, while each takes longer than a tick. Then they fire anyway. */
const MAX_TURNS = 16;

/** An object with at most one deadline. Setting it costs two comparisons and a write: for each request. */
export abstract class Deadline {
  /** Time of the wheel, or Infinity for no deadline. */
  due = Number.POSITIVE_INFINITY;
  /** Used by the wheel: the tick of this entry's slot (-1: it is in no slot), and its neighbours there. */
  slotTick = -1;
  next: Deadline | undefined;
  previous: Deadline | undefined;

  abstract onDeadline(): void;
}

/** A deadline that calls a function. */
export class Alarm extends Deadline {
  override readonly onDeadline: () => void;

  constructor(onDeadline: () => void) {
    super();
    this.onDeadline = onDeadline;
  }
}

export interface WheelClock {
  /** Monotonic milliseconds. */
  now(): number;
  /** Calls `wake` once, `ms` milliseconds from now, unless the returned function is called before. */
  after(ms: number, wake: () => void): () => void;
}

const realClock: WheelClock = {
  now: eventTime,
  after: (ms, wake) => {
    const timer = setTimeout(() => {
      // A timer is not part of an event. Otherwise a handler that threw would stop the clock.
      endEvent();
      wake();
    }, ms);
    return () => clearTimeout(timer);
  },
};

function rethrow(error: unknown): never {
  throw error;
}

/**
 * A hashed timing wheel: one timer for all deadlines of a worker. An entry whose deadline is put off stays in its slot,
 * and is moved when the wheel reaches that slot. So a keep-alive connection is moved only once in some seconds. The timer
 * waits for the first slot that is used. If it fired at each tick, the kernel would set the clock of the CPU at each wait
 * for events. That costs a tenth of a request on one connection (bench proxy, mixed1).
 */
export class TimerWheel {
  readonly #clock: WheelClock;
  readonly #onError: (error: unknown) => void;
  readonly #slots: (Deadline | undefined)[] = Array.from({ length: SLOTS }, () => undefined);
  /** The last tick whose slot was visited. */
  #tick = 0;
  /** The tick of the timer, which no entry precedes; -1 while slots are visited. */
  #wakeTick = Number.POSITIVE_INFINITY;
  #entries = 0;
  #started = 0;
  /** Turns that the overdue deadlines have waited, and the time of the last one. */
  #turns = 0;
  #turnedAt = 0;
  #stop: (() => void) | undefined;

  /** `onError` receives what a deadline throws. The other deadlines fire anyway. */
  constructor(clock: WheelClock = realClock, onError: (error: unknown) => void = rethrow) {
    this.#clock = clock;
    this.#onError = onError;
    this.#started = clock.now();
  }

  /** Milliseconds since the wheel was made, at the start of the current event. */
  now(): number {
    return this.#clock.now() - this.#started;
  }

  /** Calls `entry.onDeadline` once, from `ms` to `ms` and two ticks from now, unless it is set again or cleared. Infinity: as `clear`. */
  set(entry: Deadline, ms: number): void {
    const due = this.now() + ms;
    entry.due = due;
    if (due === Number.POSITIVE_INFINITY) return;
    const tick = Math.ceil(due / TICK_MS);
    if (entry.slotTick !== -1) {
      if (entry.slotTick <= tick) return;
      this.#unlink(entry);
    }
    this.#link(entry, tick);
  }

  /** Leaves the entry in its slot, so that `set` is cheap. Call `remove` for an object that is not used again. */
  clear(entry: Deadline): void {
    entry.due = Number.POSITIVE_INFINITY;
  }

  remove(entry: Deadline): void {
    entry.due = Number.POSITIVE_INFINITY;
    if (entry.slotTick === -1) return;
    this.#unlink(entry);
    // Otherwise the timer would keep an idle process alive.
    if (this.#entries === 0) this.close();
  }

  /** Stops the timer. No entry fires afterwards. Not for `onDeadline`. */
  close(): void {
    this.#stop?.();
    this.#stop = undefined;
    if (this.#wakeTick !== -1) this.#wakeTick = Number.POSITIVE_INFINITY;
  }

  #link(entry: Deadline, tick: number): void {
    // The slots before the timer's are empty, so they count as visited. Otherwise they would shorten the turn.
    this.#tick = Math.max(this.#tick, Math.min(Math.floor(this.now() / TICK_MS), this.#wakeTick - 1));
    const slotTick = Math.min(Math.max(tick, this.#tick + 1), this.#tick + SLOTS - 1);
    const head = this.#slots[slotTick % SLOTS];
    entry.slotTick = slotTick;
    entry.previous = undefined;
    entry.next = head;
    if (head !== undefined) head.previous = entry;
    this.#slots[slotTick % SLOTS] = entry;
    this.#entries++;
    if (slotTick < this.#wakeTick) this.#wakeAt(slotTick);
  }

  #wakeAt(tick: number): void {
    this.#stop?.();
    this.#wakeTick = tick;
    this.#stop = this.#clock.after(Math.ceil(Math.max(tick * TICK_MS - this.now(), 0)), () => this.#wake());
  }

  /** Lets the event loop read what has arrived, if it is far behind. The runtime calls timers before that. */
  #wake(): void {
    const now = this.now();
    const isLate = now - this.#wakeTick * TICK_MS > MAX_LATE_MS;
    const hasRead = this.#turns > 0 && now - this.#turnedAt <= TICK_MS;
    if (isLate && !hasRead && this.#turns < MAX_TURNS) {
      this.#turns++;
      this.#turnedAt = now;
      this.#stop = this.#clock.after(0, () => this.#wake());
      return;
    }
    this.#turns = 0;
    this.#advance();
  }

  /** Sets the timer to the first slot that is used. */
  #wakeAtNext(): void {
    this.#wakeTick = Number.POSITIVE_INFINITY;
    if (this.#entries === 0) return;
    let tick = this.#tick + 1;
    while (this.#slots[tick % SLOTS] === undefined && tick < this.#tick + SLOTS) tick++;
    this.#wakeAt(tick);
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
      this.#onError(error);
    }
  }

  #advance(): void {
    this.close();
    this.#wakeTick = -1;
    const now = this.now();
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
    this.#wakeAtNext();
  }
}
