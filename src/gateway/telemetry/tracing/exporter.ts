import { readJsonUpTo } from "../../../lib/http/response-bytes.ts";
import { isObject } from "../../../lib/is-object.ts";
import { retryWaitMs } from "../../../lib/http/retry-after.ts";
import { messageOf } from "../../../lib/caught.ts";
import { within } from "../../../lib/time/within.ts";
import { type Counts } from "../metrics/counts.ts";

/** Spans that wait for a collector, and the characters of these spans. Further spans are dropped and counted. */
const MAX_QUEUED_SPANS = 8192;
const MAX_QUEUED_CHARS = 8_388_608;
/** Times that a batch is sent before it is dropped. */
const MAX_SENDS = 5;
/** Milliseconds that a collector has for a response. After them the batch is sent again. @bound */
const RESPONSE_MS = 10_000;
/**
 * Milliseconds before a batch is sent again: for the first time, and at most, even if Retry-After asks for more. @bound
 */
const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 30_000;
/** Maximum bytes of a response that are read. A longer response is ignored. */
const MAX_RESPONSE = 65_536;
/** Statuses after which a batch is sent again (OTLP specification, "Failures"). */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * The collector (OTLP over HTTP, as JSON) and the batches for it. `maxBatch` counts spans. After `flushMs` milliseconds
 * a batch is sent even if it is not full.
 */
export interface ExporterSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBatch: number;
  readonly flushMs: number;
  /** The JSON around the spans. */
  readonly envelope: readonly [before: string, after: string];
}

/** The services of an exporter. `random` is as `Math.random`; `clock` returns Unix milliseconds. */
export interface ExporterDeps {
  readonly counts: Pick<Counts, "add">;
  readonly log: (message: string) => void;
  readonly random: () => number;
  readonly clock: () => number;
}

/** The result of sending a batch. `waitMs`: milliseconds before it is sent again, -1 for the exporter's own pace. */
type Fate =
  | { readonly kind: "taken" }
  | { readonly kind: "refused" | "again"; readonly why: string; readonly waitMs: number };

/** Sends spans to a collector in batches. Requests never wait for it. */
export class Exporter {
  readonly #settings: ExporterSettings;
  readonly #deps: ExporterDeps;
  #queue: string[] = [];
  #chars = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> | undefined;
  /** Ends the wait before a batch is sent again. */
  #hurry: (() => void) | undefined;
  #lastCall = false;
  /** The collector is unavailable, and the log says so. */
  #away = false;

  constructor(settings: ExporterSettings, deps: ExporterDeps) {
    this.#settings = settings;
    this.#deps = deps;
  }

  /** Takes spans, each as OTLP's JSON. */
  add(spans: readonly string[]): void {
    for (const span of spans) {
      if (this.#queue.length >= MAX_QUEUED_SPANS || this.#chars + span.length > MAX_QUEUED_CHARS) {
        this.#deps.counts.add("spans", 1, "dropped");
        continue;
      }
      this.#queue.push(span);
      this.#chars += span.length;
    }
    if (this.#queue.length >= this.#settings.maxBatch) this.#begin();
    else this.#timer ??= setTimeout(() => this.#begin(), this.#settings.flushMs);
  }

  /** Sends all spans, each batch once. Spans that are not sent within `ms` milliseconds are dropped. */
  async flush(ms: number): Promise<void> {
    this.#lastCall = true;
    this.#hurry?.();
    this.#begin();
    await within(ms, this.#sending ?? Promise.resolve());
    clearTimeout(this.#timer);
    if (this.#queue.length > 0) this.#deps.counts.add("spans", this.#queue.length, "dropped");
    this.#queue = [];
    this.#chars = 0;
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, this.#settings.maxBatch);
      for (const span of batch) this.#chars -= span.length;
      await this.#deliver(batch);
    }
  }

  async #deliver(batch: readonly string[]): Promise<void> {
    const [before, after] = this.#settings.envelope;
    const body = `${before}${batch.join(",")}${after}`;
    for (let sends = 1; ; sends++) {
      const fate = await this.#send(body, batch.length).catch(
        (error: unknown): Fate => ({ kind: "again", why: reasonOf(error), waitMs: -1 }),
      );
      if (fate.kind === "taken") {
        if (this.#away) this.#deps.log("traces: the collector accepts spans again");
        this.#away = false;
        return;
      }
      this.#tell(fate.why);
      if (fate.kind === "refused" || sends >= MAX_SENDS || this.#lastCall) {
        this.#deps.counts.add("spans", batch.length, "dropped");
        return;
      }
      await this.#wait(fate.waitMs, sends);
    }
  }

  /** Logs a failure once per outage. */
  #tell(why: string): void {
    if (this.#away) return;
    this.#away = true;
    this.#deps.log(`Cannot export traces: ${why}; spans beyond the queue are dropped`);
  }

  async #wait(asked: number, sends: number): Promise<void> {
    const paced = FIRST_WAIT_MS * 2 ** (sends - 1) * (0.5 + this.#deps.random() / 2);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#hurry = resolve;
    await within(Math.min(asked === -1 ? paced : asked, MAX_WAIT_MS), promise);
    this.#hurry = undefined;
  }

  async #send(body: string, spans: number): Promise<Fate> {
    const { url, headers } = this.#settings;
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", "accept-encoding": "identity" },
      body,
      // The headers are only for this collector, so redirects are not followed.
      redirect: "manual",
      signal: AbortSignal.timeout(RESPONSE_MS),
    });
    const { status } = response;
    const reply = await readJsonUpTo(response, MAX_RESPONSE);
    if (status >= 200 && status < 300) {
      const rejected = Math.min(rejectedIn(reply), spans);
      this.#deps.counts.add("spans", spans - rejected, "exported");
      this.#deps.counts.add("spans", rejected, "rejected");
      return { kind: "taken" };
    }
    const why = `the collector responds with ${status}`;
    if (!RETRYABLE.has(status)) return { kind: "refused", why, waitMs: 0 };
    const waitMs = retryWaitMs(response.headers.get("retry-after"), this.#deps.clock()) ?? -1;
    return { kind: "again", why, waitMs };
  }
}

/** The reason of the failure, without the URL, which can hold a secret. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError")
    return `the collector has not responded within ${RESPONSE_MS} ms`;
  if (error instanceof Error && "code" in error) return `the collector cannot be reached (${String(error.code)})`;
  return messageOf(error).includes("connect")
    ? "the collector cannot be reached"
    : "the exchange with the collector failed";
}

/** The spans that the collector rejected: `{"partialSuccess": {"rejectedSpans": "3"}}`. They are not sent again. */
function rejectedIn(reply: unknown): number {
  const partial = isObject(reply) ? reply["partialSuccess"] : undefined;
  const count = isObject(partial) ? String(partial["rejectedSpans"]) : "";
  return /^\d{1,15}$/.test(count) ? Number(count) : 0;
}
