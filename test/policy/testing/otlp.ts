/**
 * Reads exports of spans with OpenTelemetry's own code. Anything that this code does not know, or reads differently, is
 * an error.
 */
import root from "@opentelemetry/otlp-transformer/build/src/generated/root.js";
import { isDeepStrictEqual } from "node:util";

const { ExportTraceServiceRequest } = root.opentelemetry.proto.collector.trace.v1;

type Attributes = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];

export interface DecodedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  /** 1: INTERNAL, 2: SERVER, 3: CLIENT. */
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: Attributes;
  readonly status?: { readonly code: number };
}

export interface DecodedExport {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string; readonly version: string };
      readonly spans: readonly DecodedSpan[];
    }[];
  }[];
}

/** Bytes of an id. */
const ID_BYTES: Readonly<Record<string, number>> = { traceId: 16, spanId: 8, parentSpanId: 8 };

/** OTLP's JSON has ids in hexadecimal digits, and protobuf's JSON has them in Base64. */
function withIds(value: unknown, change: (id: string, bytes: number) => string): unknown {
  if (Array.isArray(value)) return value.map((each) => withIds(each, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      const bytes = ID_BYTES[key];
      return [key, bytes !== undefined && typeof each === "string" ? change(each, bytes) : withIds(each, change)];
    }),
  );
}

function toBase64(id: string, bytes: number): string {
  if (!new RegExp(`^[0-9a-f]{${2 * bytes}}$`).test(id)) throw new Error(`Not an id of ${bytes} bytes: ${id}`);
  return Buffer.from(id, "hex").toString("base64");
}

/** An export in OTLP's JSON, converted to protobuf and back. Throws if a collector would lose or change something. */
export function decodeExport(json: string): DecodedExport {
  const sent: unknown = JSON.parse(json);
  const message = ExportTraceServiceRequest.fromObject(Object(withIds(sent, toBase64)));
  const error = ExportTraceServiceRequest.verify(message);
  if (error !== null) throw new Error(`Not OTLP: ${error}`);
  const bytes = ExportTraceServiceRequest.encode(message).finish();
  const read = ExportTraceServiceRequest.toObject(ExportTraceServiceRequest.decode(bytes), {
    longs: String,
    bytes: String,
  });
  const understood = withIds(read, (id) => Buffer.from(id, "base64").toString("hex"));
  if (!isDeepStrictEqual(understood, sent))
    throw new Error(`Not understood: ${json}\nbut only: ${JSON.stringify(understood)}`);
  return understood as DecodedExport; // The comparison above and `verify` have checked these types.
}

/** The spans of one or more exports. */
export function spansIn(exports: readonly string[]): DecodedSpan[] {
  return exports.flatMap((json) =>
    decodeExport(json).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  );
}

/** By key; every value as text. */
export function attributesOf(attributes: Attributes = []): Record<string, string> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]));
}
