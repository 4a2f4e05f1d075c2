import { type EventLog, type EventReader } from "./event-log.ts";

/** Milliseconds after which a client that has lost its connection comes back. */
const RETRY_MS = 2000;

const encoder = new TextEncoder();

/** Times in milliseconds. */
const PATIENCE = {
  /** Of silence, after which a line says that the connection is alive. */
  aliveMs: 15_000,
  /** Within which the body is begun to be read, or nobody will: the request was HEAD. */
  beginMs: 5000,
};

/** The id of an event, as `since` or `Last-Event-ID` gives it; undefined if it is not one. */
export function parseEventId(text: string): number | undefined {
  const id = Number(text);
  return /^\d{1,16}$/.test(text) && Number.isSafeInteger(id) ? id : undefined;
}

/**
 * The body of an event stream (HTML standard, server-sent events) with the events behind `since`; left out: from the next one
 * on. Undefined if there are too many readers. The HTTP side lets the connection be silent for more than 15 s.
 */
export function eventStream(
  log: EventLog,
  since = log.lastId,
  { aliveMs, beginMs } = PATIENCE,
): ReadableStream<Uint8Array> | undefined {
  const reader = new StreamReader(log, since, aliveMs);
  const unsubscribe = log.subscribe(reader);
  if (unsubscribe === undefined) return undefined;
  const end = (): void => {
    clearTimeout(timer);
    unsubscribe();
    reader.end();
  };
  const timer = setTimeout(end, beginMs);
  return new ReadableStream(
    {
      async pull(controller) {
        clearTimeout(timer);
        const text = await reader.next();
        if (text !== undefined) {
          controller.enqueue(encoder.encode(text));
          return;
        }
        end();
        // A stream that was cancelled meanwhile is closed already.
        if (!reader.isCancelled) controller.close();
      },
      cancel() {
        reader.isCancelled = true;
        end();
      },
    },
    // The next piece is made when the client has taken the one before: a slow client holds one at most.
    { highWaterMark: 0 },
  );
}

/** What one client gets, piece by piece. */
class StreamReader implements EventReader {
  isCancelled = false;
  readonly #log: EventLog;
  readonly #aliveMs: number;
  #at: number;
  #begun = false;
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(log: EventLog, at: number, aliveMs: number) {
    this.#aliveMs = aliveMs;
    this.#log = log;
    this.#at = at;
  }

  wake(): void {
    this.#wake?.();
  }

  /** There is nobody to read any more. */
  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** The next piece, once there is one; undefined: there will be none. */
  async next(): Promise<string | undefined> {
    if (!this.#begun) {
      this.#begun = true;
      // At once, so that the client gets the head of the response.
      return `retry: ${RETRY_MS}\n\n${this.#news()}`;
    }
    for (;;) {
      if (this.#ended) return undefined;
      const news = this.#news();
      if (news !== "") return news;
      if (this.#log.isClosed) return undefined;
      if (!(await this.#woken())) return ": alive\n\n";
    }
  }

  #news(): string {
    const since = this.#at;
    const { events, lost, next } = this.#log.read(since);
    this.#at = next;
    const text = events.map(({ id, kind, json }) => message(id, kind, json)).join("");
    // Who begins at 0 asks for all that is kept.
    if (lost === 0 || since === 0) return text;
    const last = (events[0]?.id ?? next + 1) - 1;
    return message(last, "lost", lostJson(last, lost)) + text;
  }

  /** False: nothing has happened for long. */
  async #woken(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, this.#aliveMs, false);
    this.#wake = () => resolve(true);
    const woken = await promise;
    clearTimeout(timer);
    this.#wake = undefined;
    return woken;
  }
}

function message(id: number, kind: string, json: string): string {
  return `id: ${id}\nevent: ${kind}\ndata: ${json}\n\n`;
}

function lostJson(id: number, lost: number): string {
  const text = `${lost} events were lost: this reader was away for too long, or too slow`;
  return JSON.stringify({ id, time_ms: Date.now(), kind: "lost", lost, message: text });
}
