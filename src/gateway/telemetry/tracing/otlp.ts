import { fieldValue } from "../../../lib/fields.ts";
import { VERSION } from "../../../lib/version.ts";
import { type Exchange } from "../../exchange.ts";
import { type HiddenParameters } from "../hidden-parameters.ts";
import { type ChildSpan, type RequestTrace } from "./request-trace.ts";

/** Characters of an attribute's value; the rest is cut off. */
const MAX_VALUE = 2048;

/** The kinds and the status of OTLP's trace.proto. */
const INTERNAL = 1;
const SERVER = 2;
const CLIENT = 3;
const ERROR = 2;

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string };
}

function text(key: string, value: string): Attribute {
  return { key, value: { stringValue: value.length > MAX_VALUE ? value.slice(0, MAX_VALUE) : value } };
}

function integer(key: string, value: number): Attribute {
  return { key, value: { intValue: String(value) } };
}

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"]);

/** What a request's spans say beside what it says itself, and do not say. */
export interface SpanContext {
  /** The route's path prefix, or empty. */
  readonly route: string;
  /** What of queries is not told. */
  readonly hidden: HiddenParameters;
}

/** The spans of a request that has ended, each as OTLP's JSON. `epoch` is when `eventTime` was 0, in Unix milliseconds. */
export function encodeSpans(
  exchange: Exchange,
  trace: RequestTrace,
  context: SpanContext & { readonly endedAt: number; readonly epoch: number },
): string[] {
  const { endedAt, epoch, route } = context;
  const between = (from: number, to: number): object => ({
    startTimeUnixNano: nanos(epoch + from),
    endTimeUnixNano: nanos(epoch + Math.max(from, to)),
  });
  const known = METHODS.has(exchange.head.method) ? exchange.head.method : "HTTP";
  const { traceId, spanId, parentId, state } = trace;
  const shared = state === "" ? { traceId } : { traceId, traceState: state };
  const { status } = exchange;
  const server = {
    ...shared,
    spanId,
    ...(parentId === "" ? {} : { parentSpanId: parentId }),
    name: route === "" ? known : `${known} ${route}`,
    kind: SERVER,
    ...between(exchange.beganAt, endedAt),
    attributes: requestAttributes(exchange, context),
    ...(status >= 500 ? { status: { code: ERROR } } : {}),
  };
  const children = trace.children.map((child) => ({
    ...shared,
    spanId: child.spanId,
    parentSpanId: spanId,
    name: child.server === "" ? child.name : known,
    kind: child.server === "" ? INTERNAL : CLIENT,
    ...between(child.beganAt, child.endedAt === -1 ? endedAt : child.endedAt),
    ...childAttributes(exchange, child),
  }));
  return [server, ...children].map((span) => JSON.stringify(span));
}

/** Unix nanoseconds in decimal digits; a number holds them to 256 ns only. */
function nanos(ms: number): string {
  const whole = Math.floor(ms);
  return `${whole}${String(Math.floor((ms - whole) * 1_000_000)).padStart(6, "0")}`;
}

function requestAttributes(exchange: Exchange, { route, hidden }: SpanContext): Attribute[] {
  const { head, status, protocol } = exchange;
  const attributes = [
    ...methodOf(head.method),
    text("url.scheme", head.scheme),
    text("url.path", head.path),
    text("client.address", exchange.clientAddress),
    text("network.peer.address", exchange.peerAddress),
    text("network.protocol.name", "http"),
    text("network.protocol.version", protocol.replace(/^HTTP\/(?:([23])\.0)?/, "$1")),
  ];
  if (head.query.length > 1) attributes.push(text("url.query", hidden.query(head.query.slice(1))));
  if (head.authority !== "") attributes.push(...addressOf(head.authority));
  if (route !== "") attributes.push(text("http.route", route));
  const agent = fieldValue(head.fields, "user-agent");
  if (agent !== undefined) attributes.push(text("user_agent.original", agent));
  if (exchange.consumer !== "") attributes.push(text("enduser.id", exchange.consumer));
  if (status !== 0) attributes.push(integer("http.response.status_code", status));
  if (status >= 500) attributes.push(text("error.type", String(status)));
  // Nobody was there to be answered.
  else if (status === 0) attributes.push(text("error.type", "client_gone"));
  return attributes;
}

function methodOf(method: string): Attribute[] {
  if (METHODS.has(method)) return [text("http.request.method", method)];
  return [text("http.request.method", "_OTHER"), text("http.request.method_original", method)];
}

/** Of `host`, `host:port`, `[::1]:port` or `unix:/path`. */
function addressOf(place: string): Attribute[] {
  if (place.startsWith("unix:")) return [text("server.address", place.slice(5))];
  const [, host = place, port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(place) ?? [];
  const address = text("server.address", host.startsWith("[") ? host.slice(1, -1) : host);
  return port === undefined ? [address] : [address, integer("server.port", Number(port))];
}

function childAttributes({ head }: Exchange, child: ChildSpan): object {
  const error = child.error !== "" ? child.error : child.status >= 400 ? String(child.status) : "";
  const failed = error === "" ? {} : { status: { code: ERROR } };
  if (child.server === "") return { attributes: error === "" ? [] : [text("error.type", error)], ...failed };
  const attributes = [...methodOf(head.method), ...addressOf(child.server)];
  if (child.status !== 0) attributes.push(integer("http.response.status_code", child.status));
  if (child.resends > 0) attributes.push(integer("http.request.resend_count", child.resends));
  if (error !== "") attributes.push(text("error.type", error));
  return { attributes, ...failed };
}

/** What surrounds the spans of an export, before and after. */
export function envelope(serviceName: string): readonly [before: string, after: string] {
  const attributes = [
    text("service.name", serviceName),
    text("service.version", VERSION),
    text("telemetry.sdk.name", "turnpike"),
    text("telemetry.sdk.language", "nodejs"),
    text("telemetry.sdk.version", VERSION),
  ];
  const scope = JSON.stringify({ name: "turnpike", version: VERSION });
  const resource = JSON.stringify({ attributes });
  return [`{"resourceSpans":[{"resource":${resource},"scopeSpans":[{"scope":${scope},"spans":[`, "]}]}]}"];
}
