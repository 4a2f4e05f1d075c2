import { visibleJson } from "../../../lib/text/visible-text.ts";
import { isWatched, type WatchedBatch, type WatchedRequest, type WatchFilter } from "../../telemetry/request-watch.ts";
import { EventRing } from "./event-ring.ts";
import { type Batch, type EventReader, StreamedRings, type StreamSource } from "./streamed-rings.ts";

/** Kept requests, for readers that are a little slower. If there are more, the oldest are dropped. */
const MAX_REQUESTS = 1000;
/** Concurrent operators who watch requests. If there are more, a request for the stream is refused. @operator */
const MAX_WATCHERS = 8;
/** Concurrent watchers with the read-only key. @operator */
const MAX_READ_ONLY_WATCHERS = 6;

/** Makes the whole gateway send requests that match one of the filters. */
type Watch = (filters: readonly WatchFilter[], receive: (batch: WatchedBatch) => void) => void;

/** The newest requests that operators watch. While there is no operator, no requests are kept. */
export class RequestLog extends StreamedRings {
  readonly #ring: EventRing;
  readonly #watch: Watch;
  readonly #filters = new Set<WatchFilter>();

  /** `clock` returns Unix milliseconds. */
  constructor(watch: Watch, clock: () => number = Date.now) {
    const ring = new EventRing(MAX_REQUESTS);
    super([ring], { readers: MAX_WATCHERS, readOnly: MAX_READ_ONLY_WATCHERS, clock });
    this.#ring = ring;
    this.#watch = watch;
  }

  /** The requests that match, for one stream. Workers learn of the filter when the stream begins. */
  matching(filter: WatchFilter): StreamSource {
    return new MatchingRequests(this, filter);
  }

  /** As `subscribe`, and requests that match are kept until the reader ends. */
  follow(reader: EventReader, filter: WatchFilter): (() => void) | undefined {
    const end = this.subscribe(reader);
    if (end === undefined) return undefined;
    this.#change(() => this.#filters.add(filter));
    return () => {
      end();
      this.#change(() => this.#filters.delete(filter));
    };
  }

  #change(filters: () => void): void {
    filters();
    this.#watch([...this.#filters], (batch) => this.#take(batch));
  }

  #take({ requests, missed }: WatchedBatch): void {
    for (const request of requests) this.#add("request", request);
    if (missed > 0) this.#add("missed", { missed });
    this.wakeSoon();
  }

  #add(kind: "request" | "missed", details: WatchedRequest | { readonly missed: number }): void {
    const event = { ...this.next(kind), ...details };
    this.#ring.add({ id: event.id, kind, json: visibleJson(event) });
  }
}

class MatchingRequests implements StreamSource {
  readonly #log: RequestLog;
  readonly #filter: WatchFilter;

  constructor(log: RequestLog, filter: WatchFilter) {
    this.#log = log;
    this.#filter = filter;
  }

  get isClosed(): boolean {
    return this.#log.isClosed;
  }

  get lastId(): number {
    return this.#log.lastId;
  }

  now(): number {
    return this.#log.now();
  }

  read(id: number): Batch {
    const batch = this.#log.read(id);
    return {
      ...batch,
      events: batch.events.filter(({ kind, json }) => kind !== "request" || fits(json, this.#filter)),
    };
  }

  subscribe(reader: EventReader): (() => void) | undefined {
    return this.#log.follow(reader, this.#filter);
  }
}

function fits(json: string, filter: WatchFilter): boolean {
  // The log wrote the JSON.
  return isWatched(JSON.parse(json) as WatchedRequest, filter);
}
