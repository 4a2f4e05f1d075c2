import { type EventRing, type KeptEvent } from "./event-ring.ts";

/** Characters of events that a reader gets in one write. It limits the memory for a slow reader. */
const MAX_BATCH = 65_536;
/** Milliseconds for which events are collected, so that many events wake a reader only a few times a second. */
const GATHER_MS = 50;

/** The events that a reader gets in one write. */
export interface Batch {
  readonly events: readonly KeptEvent[];
  /** Events before these that the reader has missed. */
  readonly lost: number;
  /** The id to continue from. */
  readonly next: number;
}

export interface EventReader {
  readonly isReadOnly?: boolean;
  /** There may be new events, or the log is closed. */
  wake(): void;
}

export type StreamSource = Pick<StreamedRings, "isClosed" | "lastId" | "now" | "read" | "subscribe">;

/** The numbers of concurrent readers, and the clock in Unix milliseconds. */
interface RingOptions {
  /** If there are more readers, a request for the stream is refused. */
  readonly readers: number;
  /** Readers with the read-only key. The other places are kept for operators. */
  readonly readOnly: number;
  readonly clock: () => number;
}

/**
 * Kept events that readers stream. Readers hold no events: each reader has the id of the last event that it read. A
 * reader that stops costs nothing, and misses events that are no longer kept. Ids grow by one with each event. They
 * begin at the start time, so that ids of an earlier process are smaller.
 */
export class StreamedRings {
  readonly #rings: readonly EventRing[];
  readonly #most: RingOptions;
  readonly #readers = new Set<EventReader>();
  /** Unix milliseconds of its clock. */
  readonly now: () => number;
  readonly #firstId: number;
  #lastId: number;
  #gathering: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(rings: readonly EventRing[], options: RingOptions) {
    this.#rings = rings;
    this.#most = options;
    this.now = options.clock;
    this.#lastId = options.clock() * 1000;
    this.#firstId = this.#lastId + 1;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get lastId(): number {
    return this.#lastId;
  }

  /**
   * The next events for a reader that has read up to `id`, oldest first, as many as fit. An id that this process has
   * not given is from an earlier process: its reader gets all kept events.
   */
  read(id: number): Batch {
    const known = id >= this.#firstId - 1 && id <= this.#lastId;
    const from = known ? id : this.#firstId - 1;
    const events: KeptEvent[] = [];
    let length = 0;
    for (const event of this.after(from)) {
      length += event.json.length;
      if (length > MAX_BATCH && events.length > 0) break;
      events.push(event);
    }
    const next = events.at(-1)?.id ?? this.#lastId;
    return { events, lost: next - from - events.length, next };
  }

  /** Wakes `reader` when something is new. Returns the function that ends it; undefined with too many readers. */
  subscribe(reader: EventReader): (() => void) | undefined {
    if (this.#readers.size >= this.#most.readers || this.#closed) return undefined;
    const isReadOnly = reader.isReadOnly === true;
    if (isReadOnly && [...this.#readers].filter((other) => other.isReadOnly).length >= this.#most.readOnly)
      return undefined;
    this.#readers.add(reader);
    return () => void this.#readers.delete(reader);
  }

  /** Ends the streams of all readers. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /** The head of a new event. */
  protected next<K extends string>(kind: K): { readonly id: number; readonly time_ms: number; readonly kind: K } {
    this.#lastId += 1;
    return { id: this.#lastId, time_ms: this.now(), kind };
  }

  /** The kept events with a greater id, oldest first. */
  protected after(id: number): KeptEvent[] {
    return this.#rings.flatMap((ring) => [...ring.after(id)]).toSorted((a, b) => a.id - b.id);
  }

  /** Wakes the readers, a moment later. */
  protected wakeSoon(): void {
    if (this.#readers.size > 0) this.#gathering ??= setTimeout(() => this.#wake(), GATHER_MS);
  }

  #wake(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    for (const reader of this.#readers) reader.wake();
  }
}
