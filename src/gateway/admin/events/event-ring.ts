/** A kept event: its position in the order of all events, and its JSON. */
export interface KeptEvent {
  readonly id: number;
  readonly kind: string;
  readonly json: string;
}

/** The newest events, up to a limit. */
export class EventRing {
  readonly #most: number;
  #events: KeptEvent[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  add(event: KeptEvent): void {
    this.#events.push(event);
    // Only now and then, so that an event does not copy all others.
    if (this.#events.length >= 2 * this.#most) this.#events = this.#events.slice(-this.#most);
  }

  /** The kept events with a greater id, oldest first. */
  after(id: number): readonly KeptEvent[] {
    const events = this.#events;
    let from = events.length;
    const first = Math.max(0, events.length - this.#most);
    while (from > first && (events[from - 1]?.id ?? 0) > id) from -= 1;
    return events.slice(from);
  }
}
