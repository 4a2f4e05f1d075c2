import { EventGate } from "../../telemetry/event-gate.ts";
import { type Actor, type EventKind, type EventSink, type NewEvent } from "../../telemetry/event.ts";
import { EventRing, type KeptEvent } from "./event-ring.ts";

/** Events that are kept, without lines of the log; and those. @internal */
export const MAX_EVENTS = 1000;
export const MAX_LINES = 500;
/** Readers of the stream at one time. @internal */
export const MAX_READERS = 32;
/** Characters of a message or a line; what is longer is cut off. */
const MAX_MESSAGE = 2000;
/** Characters of an event's JSON; details that make it longer are left out. */
const MAX_JSON = 8192;
/** Characters of events that a reader gets at one time, and so what the program holds for one that is slow. */
const MAX_BATCH = 65_536;
/** Milliseconds in which events for readers are gathered, so that a storm of them wakes a reader a few times a second. */
const GATHER_MS = 50;

/** What operators do: none of it is left out. */
const OPERATORS: ReadonlySet<EventKind> = new Set(["reload", "change", "persist", "drain", "tenant"]);

/** An event as clients see it; details are further members. */
export interface GatewayEvent {
  readonly id: number;
  /** Unix milliseconds. */
  readonly time_ms: number;
  readonly kind: EventKind;
  readonly by?: Actor;
  readonly outcome?: string;
  readonly message: string;
  readonly [detail: string]: unknown;
}

/** A line of the program's own log. */
export interface LogLine {
  readonly time_ms: number;
  /** The worker's row, from 1 on; 0: the supervisor. Where the gateway is one process, all is 0. */
  readonly worker: number;
  readonly text: string;
}

/** What a reader gets at one time. */
export interface Batch {
  readonly events: readonly KeptEvent[];
  /** Events before these that the reader has missed. */
  readonly lost: number;
  /** Where to go on. */
  readonly next: number;
}

/** Who reads events as they come. */
export interface EventReader {
  /** There may be something new, or the log is closed. */
  wake(): void;
}

/**
 * What has happened in the gateway, and the newest lines of its log. Readers hold no events: each knows the id that it has read
 * up to, so that one which does not read costs nothing, and misses what is not kept any more.
 *
 * Ids grow by one with each event. They begin at the time of the start, so that those of an earlier process are smaller.
 */
export class EventLog implements EventSink {
  readonly #clock: () => number;
  readonly #events = new EventRing(MAX_EVENTS);
  readonly #lines = new EventRing(MAX_LINES);
  readonly #readers = new Set<EventReader>();
  readonly #firstId: number;
  #lastId: number;
  #audit: ((json: string) => void) | undefined;
  readonly #gate = new EventGate((kind, count) => {
    this.addLine(`${count} further events (${kind}) were left out: there were too many at once`);
  });
  #gathering: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  /** `clock` gives Unix milliseconds. */
  constructor(clock: () => number = Date.now) {
    this.#clock = clock;
    this.#lastId = clock() * 1000;
    this.#firstId = this.#lastId + 1;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** The id of the newest event. */
  get lastId(): number {
    return this.#lastId;
  }

  /** Takes the JSON of every event from now on, but of lines of the log. */
  set audit(audit: ((json: string) => void) | undefined) {
    this.#audit = audit;
  }

  /** Something has happened. Of what nobody asked for, a storm is left out, and counted; what an operator does never is. */
  add({ kind, message, by, outcome, details }: NewEvent): void {
    if (!OPERATORS.has(kind) && !this.#gate.passes(kind)) return;
    const event = {
      ...this.#next(kind),
      ...(by === undefined ? {} : { by }),
      ...(outcome === undefined ? {} : { outcome }),
      message: cut(message),
    };
    const whole = JSON.stringify({ ...event, ...details, ...event });
    const json = whole.length > MAX_JSON ? JSON.stringify({ ...event, details_left_out: true }) : whole;
    this.#events.add({ id: event.id, kind, json });
    this.#audit?.(json);
    this.#wakeSoon();
  }

  /** A line of the program's own log, of the supervisor (0) or a worker. */
  addLine(text: string, worker = 0): void {
    const event = { ...this.#next("log"), worker, message: cut(text) };
    this.#lines.add({ id: event.id, kind: "log", json: JSON.stringify(event) });
    this.#wakeSoon();
  }

  /** The newest lines of the log, oldest first. */
  lines(): LogLine[] {
    return this.#lines.after(0).map(({ json }) => {
      // It was written above.
      const {
        time_ms,
        worker,
        message: text,
      } = JSON.parse(json) as { time_ms: number; worker: number; message: string };
      return { time_ms, worker, text };
    });
  }

  /** All events behind `id` that are kept, oldest first, lines of the log among them. */
  since(id: number): GatewayEvent[] {
    // They were written above.
    return this.#after(id).map(({ json }) => JSON.parse(json) as GatewayEvent);
  }

  /**
   * The next events for a reader that has read up to `id`, oldest first, as many as fit. An id that this process has not given
   * is of an earlier one: its reader gets all that is kept.
   */
  read(id: number): Batch {
    const known = id >= this.#firstId - 1 && id <= this.#lastId;
    const from = known ? id : this.#firstId - 1;
    const events: KeptEvent[] = [];
    let length = 0;
    for (const event of this.#after(from)) {
      length += event.json.length;
      if (length > MAX_BATCH && events.length > 0) break;
      events.push(event);
    }
    const next = events.at(-1)?.id ?? this.#lastId;
    return { events, lost: next - from - events.length, next };
  }

  /** Wakes `reader` when there is something new, until the function that is returned is called; undefined: there are too many. */
  subscribe(reader: EventReader): (() => void) | undefined {
    if (this.#readers.size >= MAX_READERS || this.#closed) return undefined;
    this.#readers.add(reader);
    return () => void this.#readers.delete(reader);
  }

  /** Ends what readers read. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  #next(kind: EventKind): { readonly id: number; readonly time_ms: number; readonly kind: EventKind } {
    this.#lastId += 1;
    return { id: this.#lastId, time_ms: this.#clock(), kind };
  }

  #after(id: number): KeptEvent[] {
    return [...this.#events.after(id), ...this.#lines.after(id)].toSorted((a, b) => a.id - b.id);
  }

  #wakeSoon(): void {
    if (this.#readers.size > 0) this.#gathering ??= setTimeout(() => this.#wake(), GATHER_MS);
  }

  #wake(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    for (const reader of this.#readers) reader.wake();
  }
}

function cut(text: string): string {
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
}
