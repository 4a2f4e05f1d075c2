import { visibleJson } from "../../../lib/text/visible-text.ts";
import { EventGate } from "../../telemetry/event-gate.ts";
import { type Actor, type EventKind, type EventSink, type NewEvent } from "../../telemetry/event.ts";
import { EventRing, type KeptEvent } from "./event-ring.ts";

/** Kept events without log lines, and kept log lines. If there are more, the oldest are dropped. @internal */
export const MAX_EVENTS = 1000;
export const MAX_LINES = 500;
/** Concurrent readers of the stream. If there are more, a request for the stream is refused. @internal */
export const MAX_READERS = 32;
/** Concurrent readers with the read-only key. The other places are kept for operators. @internal */
export const MAX_READ_ONLY = 24;
/** Characters of a message or a line. The rest of a longer one is cut off. */
const MAX_MESSAGE = 2000;
/** Characters of an event's JSON. Details that would make it longer are left out. */
const MAX_JSON = 8192;
/** Characters of events that a reader gets in one write. It limits the memory for a slow reader. */
const MAX_BATCH = 65_536;
/** Milliseconds for which events are collected, so that many events wake a reader only a few times a second. */
const GATHER_MS = 50;

/** Actions of operators: these events are never left out. */
const OPERATORS: ReadonlySet<EventKind> = new Set(["reload", "change", "persist", "drain", "tenant"]);

/** An event as clients see it. Details are further members. */
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
  /** The worker's row, from 1 on; 0: the supervisor. In a gateway with one process it is always 0. */
  readonly worker: number;
  readonly text: string;
}

/** The events that a reader gets in one write. */
export interface Batch {
  readonly events: readonly KeptEvent[];
  /** Events before these that the reader has missed. */
  readonly lost: number;
  /** The id to continue from. */
  readonly next: number;
}

/** Reads events as they happen. */
export interface EventReader {
  /** It has the read-only key. */
  readonly isReadOnly?: boolean;
  /** There may be new events, or the log is closed. */
  wake(): void;
}

/**
 * The events of the gateway, and the newest lines of its log. Readers hold no events: each reader has the id of the
 * last event that it read. A reader that stops costs nothing, and misses events that are no longer kept. Ids grow by
 * one with each event. They begin at the start time, so that ids of an earlier process are smaller.
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

  /** `clock` returns Unix milliseconds. */
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

  /** Receives the JSON of every event from now on, except log lines. */
  set audit(audit: ((json: string) => void) | undefined) {
    this.#audit = audit;
  }

  /** Adds an event. If there are too many, those that no operator caused are left out and counted. */
  add({ kind, message, by, outcome, details }: NewEvent): void {
    if (!OPERATORS.has(kind) && !this.#gate.passes(kind)) return;
    const event = {
      ...this.#next(kind),
      ...(by === undefined ? {} : { by }),
      ...(outcome === undefined ? {} : { outcome }),
      message: cut(message),
    };
    const whole = visibleJson({ ...event, ...details, ...event });
    const json = whole.length > MAX_JSON ? visibleJson({ ...event, details_left_out: true }) : whole;
    this.#events.add({ id: event.id, kind, json });
    this.#audit?.(json);
    this.#wakeSoon();
  }

  /** Adds a line of the program's own log, from the supervisor (0) or a worker. */
  addLine(text: string, worker = 0): void {
    const event = { ...this.#next("log"), worker, message: cut(text) };
    this.#lines.add({ id: event.id, kind: "log", json: visibleJson(event) });
    this.#wakeSoon();
  }

  /** The newest lines of the log, oldest first. */
  lines(): LogLine[] {
    return this.#lines.after(0).map(({ json }) => {
      // This class wrote the JSON.
      const {
        time_ms,
        worker,
        message: text,
      } = JSON.parse(json) as { time_ms: number; worker: number; message: string };
      return { time_ms, worker, text };
    });
  }

  /** All kept events after `id`, with log lines, oldest first. */
  since(id: number): GatewayEvent[] {
    // This class wrote the JSON.
    return this.#after(id).map(({ json }) => JSON.parse(json) as GatewayEvent);
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
    for (const event of this.#after(from)) {
      length += event.json.length;
      if (length > MAX_BATCH && events.length > 0) break;
      events.push(event);
    }
    const next = events.at(-1)?.id ?? this.#lastId;
    return { events, lost: next - from - events.length, next };
  }

  /** Wakes `reader` when something is new. Returns the function that ends it; undefined with too many readers. */
  subscribe(reader: EventReader): (() => void) | undefined {
    if (this.#readers.size >= MAX_READERS || this.#closed) return undefined;
    const isReadOnly = reader.isReadOnly === true;
    if (isReadOnly && [...this.#readers].filter((other) => other.isReadOnly).length >= MAX_READ_ONLY) return undefined;
    this.#readers.add(reader);
    return () => void this.#readers.delete(reader);
  }

  /** Unix milliseconds of its clock. */
  now(): number {
    return this.#clock();
  }

  /** Ends the streams of all readers. */
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
