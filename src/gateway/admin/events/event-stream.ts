import { type EventReader, type StreamSource } from "./streamed-rings.ts";
import { within } from "../../../lib/time/within.ts";

/** Milliseconds after which a client that has lost its connection reconnects. */
const RETRY_MS = 2000;

const encoder = new TextEncoder();

/** The reader of a stream, and time limits in milliseconds. */
interface StreamOptions {
  /** Silence after which a comment line shows that the connection is alive. */
  readonly aliveMs: number;
  /** Time in which the body must first be read. If it is not, the request was a HEAD, and the stream ends. */
  readonly beginMs: number;
  /** The reader has the read-only key. */
  readonly isReadOnly?: boolean;
}

/** The time limits of all streams, which tests shorten. */
export const PATIENCE: StreamOptions = { aliveMs: 15_000, beginMs: 5000 };

/** The id of an event, as in `since` or `Last-Event-ID`; undefined if it is not one. */
export function parseEventId(text: string): number | undefined {
  const id = Number(text);
  return /^\d{1,16}$/.test(text) && Number.isSafeInteger(id) ? id : undefined;
}

/**
 * The body of an event stream (HTML standard, server-sent events) with the events after `since`; by default from the
 * next event on. Undefined if there are too many readers. The HTTP side allows the connection more than 15 s of
 * silence.
 */
export function eventStream(
  log: StreamSource,
  since = log.lastId,
  { aliveMs, beginMs, isReadOnly = false }: StreamOptions = PATIENCE,
): ReadableStream<Uint8Array> | undefined {
  const reader = new StreamReader(log, since, { aliveMs, isReadOnly });
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
        // The stream is already closed if it was cancelled meanwhile.
        if (!reader.isCancelled) controller.close();
      },
      cancel() {
        reader.isCancelled = true;
        end();
      },
    },
    // The next piece is made after the client has read the previous one. A slow client holds one piece at most.
    { highWaterMark: 0 },
  );
}

/** Makes the pieces of one client's stream. */
class StreamReader implements EventReader {
  isCancelled = false;
  readonly isReadOnly: boolean;
  readonly #log: StreamSource;
  readonly #aliveMs: number;
  #at: number;
  #begun = false;
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(log: StreamSource, at: number, { aliveMs, isReadOnly }: Required<Omit<StreamOptions, "beginMs">>) {
    this.isReadOnly = isReadOnly;
    this.#aliveMs = aliveMs;
    this.#log = log;
    this.#at = at;
  }

  wake(): void {
    this.#wake?.();
  }

  /** Ends the stream: the client has left, or has not begun to read. */
  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** The next piece, as soon as there is one; undefined at the end of the stream. */
  async next(): Promise<string | undefined> {
    if (!this.#begun) {
      this.#begun = true;
      // Sent at once, so that the client receives the head of the response.
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
    // A client that begins at 0 asks for all events that are kept: it has lost none.
    if (lost === 0 || since === 0) return text;
    const last = (events[0]?.id ?? next + 1) - 1;
    return message(last, "lost", lostJson(last, lost, this.#log.now())) + text;
  }

  /** False: there was no event for a long time. */
  async #woken(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#wake = () => resolve(true);
    const woken = await within(this.#aliveMs, promise, () => false);
    this.#wake = undefined;
    return woken;
  }
}

function message(id: number, kind: string, json: string): string {
  return `id: ${id}\nevent: ${kind}\ndata: ${json}\n\n`;
}

function lostJson(id: number, lost: number, time_ms: number): string {
  const text = `${lost} events were lost: this reader was away for too long, or too slow`;
  return JSON.stringify({ id, time_ms, kind: "lost", lost, message: text });
}
