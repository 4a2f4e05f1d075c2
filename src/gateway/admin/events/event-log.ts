import { visibleJson } from "../../../lib/text/visible-text.ts";
import { EventGate } from "../../telemetry/event-gate.ts";
import { type Actor, type EventKind, type EventSink, type NewEvent } from "../../telemetry/event.ts";
import { EventRing } from "./event-ring.ts";
import { StreamedRings } from "./streamed-rings.ts";

/** Kept events without log lines, and kept log lines. If there are more, the oldest are dropped. */
const MAX_EVENTS = 1000;
const MAX_LINES = 500;
/** Concurrent readers of the stream. If there are more, a request for the stream is refused. @internal */
export const MAX_READERS = 32;
/** Concurrent readers with the read-only key. The other places are kept for operators. */
const MAX_READ_ONLY = 24;
/** Characters of a message or a line. The rest of a longer one is cut off. */
const MAX_MESSAGE = 2000;
/** Characters of an event's JSON. Details that would make it longer are left out. */
const MAX_JSON = 8192;
/** Actions of operators: these events are never left out. */
const OPERATORS: ReadonlySet<EventKind> = new Set(["reload", "change", "persist", "drain", "tenant", "job"]);

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

export interface LogLine {
  readonly time_ms: number;
  /** The worker's row, from 1 on; 0: the supervisor. In a gateway with one process it is always 0. */
  readonly worker: number;
  readonly text: string;
}

/** The events of the gateway, and the newest lines of its log. */
export class EventLog extends StreamedRings implements EventSink {
  readonly #events: EventRing;
  readonly #lines: EventRing;
  /** Receives the JSON of every event from now on, except log lines. */
  audit: ((json: string) => void) | undefined;
  readonly #gate = new EventGate((kind, count) => {
    this.addLine(`${count} further events (${kind}) were left out: there were too many at once`);
  });

  /** `clock` returns Unix milliseconds. */
  constructor(clock: () => number = Date.now) {
    const events = new EventRing(MAX_EVENTS);
    const lines = new EventRing(MAX_LINES);
    super([events, lines], { readers: MAX_READERS, readOnly: MAX_READ_ONLY, clock });
    this.#events = events;
    this.#lines = lines;
  }

  /** Adds an event. If there are too many, those that no operator caused are left out and counted. */
  add({ kind, message, by, outcome, details }: NewEvent): void {
    if (!OPERATORS.has(kind) && !this.#gate.passes(kind)) return;
    const event = {
      ...this.next(kind),
      ...(by === undefined ? {} : { by }),
      ...(outcome === undefined ? {} : { outcome }),
      message: cut(message),
    };
    const whole = visibleJson({ ...event, ...details, ...event });
    const json = whole.length > MAX_JSON ? visibleJson({ ...event, details_left_out: true }) : whole;
    this.#events.add({ id: event.id, kind, json });
    this.audit?.(json);
    this.wakeSoon();
  }

  /** Adds a line of the program's own log, from the supervisor (0) or a worker. */
  addLine(text: string, worker = 0): void {
    const event = { ...this.next("log"), worker, message: cut(text) };
    this.#lines.add({ id: event.id, kind: "log", json: visibleJson(event) });
    this.wakeSoon();
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
    return this.after(id).map(({ json }) => JSON.parse(json) as GatewayEvent);
  }
}

function cut(text: string): string {
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
}
