import { isDeepStrictEqual } from "node:util";
import { clockOffset, eventTime } from "../../../lib/time/event-clock.ts";
import { withoutFields } from "../../../lib/http/fields.ts";
import { type Config } from "../../config/config.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { hasAnyField } from "../../exchange/head-fields.ts";
import { Exporter, type ExporterDeps } from "./exporter.ts";
import { encodeChild, encodeSpans, envelope, isOpen, type SpanContext } from "./otlp.ts";
import { newSpanId, NewTraces } from "./new-traces.ts";
import { RequestTrace } from "./request-trace.ts";
import { contextFields, parentOf, stateOf, TRACE_FIELDS } from "./trace-context.ts";
import { UpstreamRecord } from "./upstream-record.ts";
import { percentDecoded } from "../../../lib/http/percent.ts";

/** Parses `key1=value1,key2=value2`. A value can be percent-encoded. */
function headersOf(text: string): Record<string, string> {
  const pairs = text.split(",").filter((pair) => pair.includes("="));
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at).trim(), percentDecoded(pair.slice(at + 1).trim())] as const;
    }),
  );
}

/** Decides which requests are traced, and sends their spans to the collector. */
export class Tracer {
  readonly #settings: Config["otel"];
  readonly #exporter: Exporter;
  readonly #newTraces: NewTraces;

  constructor(settings: Config["otel"], deps: ExporterDeps) {
    this.#settings = settings;
    this.#newTraces = new NewTraces(settings.sample_rate / 100);
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

  /** True if a tracer with these settings would do the same. */
  serves(settings: Config["otel"]): boolean {
    return isDeepStrictEqual(settings, this.#settings);
  }

  /** Begins a request's trace. An unsampled one passes on its client's context, or a new one that says so. */
  begin({ head }: Exchange): UpstreamRecord {
    if (!hasAnyField(head, TRACE_FIELDS)) return this.#beginNew();
    const { fields } = head;
    head.fields = withoutFields(fields, TRACE_FIELDS);
    const parent = parentOf(fields);
    if (parent === undefined) return this.#beginNew();
    const state = stateOf(fields);
    if (!parent.sampled) return new UpstreamRecord(contextFields(parent, state));
    return new RequestTrace({ traceId: parent.traceId, parentId: parent.spanId, state }, newSpanId);
  }

  #beginNew(): UpstreamRecord {
    const traces = this.#newTraces;
    traces.next();
    if (!traces.isSampled) return new UpstreamRecord("", traces.unsampled());
    return new RequestTrace({ traceId: traces.id, parentId: "", state: "" }, newSpanId);
  }

  end(exchange: Exchange, trace: RequestTrace, { route, hidden }: SpanContext): void {
    const context = { endedAt: eventTime(), epoch: clockOffset(), route, hidden };
    this.#exporter.add(encodeSpans(exchange, trace, context));
    if (!trace.children.some(isOpen)) return;
    trace.onLate = (span) => this.#exporter.add([encodeChild(exchange, trace, span, context)]);
  }

  /** Sends the remaining spans. It waits at most `ms` milliseconds. */
  flush(ms: number): Promise<void> {
    return this.#exporter.flush(ms);
  }
}
