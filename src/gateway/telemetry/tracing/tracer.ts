import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { eventTime } from "../../../lib/event-clock.ts";
import { withoutFields } from "../../../lib/fields.ts";
import { type Config } from "../../config/config.ts";
import { type Exchange } from "../../exchange.ts";
import { Exporter, type ExporterDeps } from "./exporter.ts";
import { encodeSpans, envelope } from "./otlp.ts";
import { RequestTrace } from "./request-trace.ts";
import { contextFields, parentOf, passOn, stateOf, TRACE_FIELDS } from "./trace-context.ts";

/** Random bytes that are asked for at a time: one call costs more than the bytes. */
const RANDOM_BYTES = 4096;
/** The ratio looks at the last 7 bytes of a trace id, which are random in any trace of W3C's level 2. */
const RATIO_BYTES = 7;
const RATIO_RANGE = 2 ** (8 * RATIO_BYTES);

let pool: Buffer = Buffer.alloc(0);

/** Of `length` bytes; not all of them are zero. */
function randomHex(length: number): string {
  if (pool.length < length) pool = randomBytes(RANDOM_BYTES);
  const hex = pool.toString("hex", 0, length);
  pool = pool.subarray(length);
  return /^0+$/.test(hex) ? randomHex(length) : hex;
}

const newSpanId = (): string => randomHex(8);

/** `key1=value1,key2=value2`; a value may be percent-encoded. */
function headersOf(text: string): Record<string, string> {
  const pairs = text.split(",").filter((pair) => pair.includes("="));
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())] as const;
    }),
  );
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Decides which requests are traced, and sends their spans to the collector. */
export class Tracer {
  readonly #settings: Config["otel"];
  readonly #exporter: Exporter;
  readonly #share: number;

  constructor(settings: Config["otel"], deps: ExporterDeps) {
    this.#settings = settings;
    this.#share = (settings.sample_rate / 100) * RATIO_RANGE;
    this.#exporter = new Exporter(
      {
        url: `${settings.collector_url.replace(/\/+$/, "")}/v1/traces`,
        headers: headersOf(settings.headers),
        maxBatch: settings.max_batch_size,
        flushMs: settings.flush_interval_s * 1000,
        envelope: envelope(settings.service_name),
      },
      deps,
    );
  }

  /** True where it does what a tracer of these settings would do. */
  serves(settings: Config["otel"]): boolean {
    return isDeepStrictEqual(settings, this.#settings);
  }

  /** Undefined: the request is not traced, and goes on with its client's context, or with one that says so. */
  begin({ head }: Exchange): RequestTrace | undefined {
    const parent = parentOf(head.fields);
    if (parent === undefined) {
      head.fields = withoutFields(head.fields, TRACE_FIELDS);
      const traceId = randomHex(16);
      const isSampled = Number.parseInt(traceId.slice(-2 * RATIO_BYTES), 16) < this.#share;
      if (isSampled) return new RequestTrace({ traceId, parentId: "", state: "" }, newSpanId);
      // Without it a server that samples by itself would begin a trace of its own.
      head.fields += contextFields({ traceId, spanId: traceId.slice(16), sampled: false }, "");
      return undefined;
    }
    if (!parent.sampled) {
      head.fields = passOn(head.fields, parent);
      return undefined;
    }
    const state = stateOf(head.fields);
    head.fields = withoutFields(head.fields, TRACE_FIELDS);
    return new RequestTrace({ traceId: parent.traceId, parentId: parent.spanId, state }, newSpanId);
  }

  /** The request is over. `route` is its path prefix, or empty. */
  end(exchange: Exchange, trace: RequestTrace, route: string): void {
    const epoch = Date.now() - performance.now();
    this.#exporter.add(encodeSpans(exchange, trace, { endedAt: eventTime(), epoch, route }));
  }

  /** Sends what is left; waits `ms` milliseconds at most. */
  flush(ms: number): Promise<void> {
    return this.#exporter.flush(ms);
  }
}
