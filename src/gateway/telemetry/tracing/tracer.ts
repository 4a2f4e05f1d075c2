import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { eventTime } from "../../../lib/event-clock.ts";
import { withoutFields } from "../../../lib/fields.ts";
import { type Config } from "../../config/config.ts";
import { type Exchange } from "../../exchange.ts";
import { Exporter, type ExporterDeps } from "./exporter.ts";
import { encodeChild, encodeSpans, envelope, isOpen, type SpanContext } from "./otlp.ts";
import { RequestTrace } from "./request-trace.ts";
import { contextFields, parentOf, stateOf, TRACE_FIELDS } from "./trace-context.ts";
import { UpstreamRecord } from "./upstream-record.ts";

/** Random bytes that are asked for at a time: one call costs more than the bytes. */
const RANDOM_BYTES = 4096;
/** The ratio looks at the last 7 bytes of a trace id, which are random in any trace of W3C's level 2. */
const RATIO_DIGITS = 14;
const RATIO_RANGE = 16 ** RATIO_DIGITS;

const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;
const NO_TRACE = "0".repeat(TRACE_DIGITS);

let random = "";
let used = 0;

/** So many random hexadecimal digits; not all of them are zero. */
function randomHex(digits: number): string {
  if (random.length - used < digits) {
    random = randomBytes(RANDOM_BYTES).toString("hex");
    used = 0;
  }
  const hex = random.slice(used, used + digits);
  used += digits;
  return NO_TRACE.startsWith(hex) ? randomHex(digits) : hex;
}

const newSpanId = (): string => randomHex(SPAN_DIGITS);

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

/** The digits of so many of 1; all of 1 is beyond any digits. */
function ratioDigits(share: number): string {
  if (share >= 1) return "g";
  return Math.ceil(share * RATIO_RANGE)
    .toString(16)
    .padStart(RATIO_DIGITS, "0");
}

/** Decides which requests are traced, and sends their spans to the collector. */
export class Tracer {
  readonly #settings: Config["otel"];
  readonly #exporter: Exporter;
  /** Trace ids whose last digits are below it are sampled: digits of one length compare as their numbers do. */
  readonly #below: string;

  constructor(settings: Config["otel"], deps: ExporterDeps) {
    this.#settings = settings;
    this.#below = ratioDigits(settings.sample_rate / 100);
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

  /** Not sampled, it goes on with its client's context, or with one that says so. */
  begin({ head }: Exchange): UpstreamRecord {
    const { fields } = head;
    const bare = withoutFields(fields, TRACE_FIELDS);
    const parent = bare === fields ? undefined : parentOf(fields);
    head.fields = bare;
    if (parent === undefined) {
      const traceId = randomHex(TRACE_DIGITS);
      const isSampled = traceId.slice(-RATIO_DIGITS) < this.#below;
      if (isSampled) return new RequestTrace({ traceId, parentId: "", state: "" }, newSpanId);
      // Without it a server that samples by itself would begin a trace of its own.
      const spanId = traceId.slice(SPAN_DIGITS);
      return new UpstreamRecord(contextFields({ traceId, spanId, sampled: false }, ""));
    }
    const state = stateOf(fields);
    if (!parent.sampled) return new UpstreamRecord(contextFields(parent, state));
    return new RequestTrace({ traceId: parent.traceId, parentId: parent.spanId, state }, newSpanId);
  }

  /** The request is over. */
  end(exchange: Exchange, trace: RequestTrace, { route, hidden }: SpanContext): void {
    const context = { endedAt: eventTime(), epoch: Date.now() - performance.now(), route, hidden };
    this.#exporter.add(encodeSpans(exchange, trace, context));
    if (!trace.children.some(isOpen)) return;
    trace.onLate = (span) => this.#exporter.add([encodeChild(exchange, trace, span, context)]);
  }

  /** Sends what is left; waits `ms` milliseconds at most. */
  flush(ms: number): Promise<void> {
    return this.#exporter.flush(ms);
  }
}
