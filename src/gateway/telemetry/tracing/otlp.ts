import { fieldValue } from "../../../lib/fields.ts";
import { VERSION } from "../../../lib/version.ts";
import { type Exchange } from "../../exchange.ts";
import { type HiddenParameters } from "../hidden-parameters.ts";
import { type ChildSpan, type FilterRun, type RequestTrace } from "./request-trace.ts";
import { bareHost } from "../../../lib/url-host.ts";

/** Maximum characters of an attribute's value. The rest is cut off. */
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

/** The context of a request's spans. */
export interface SpanContext {
  /** The route's path prefix, or empty. */
  readonly route: string;
  /** The query parameters that are redacted. */
  readonly hidden: HiddenParameters;
}

/** `endedAt` is the end of the request. `epoch` is the Unix time in milliseconds at which `eventTime` was 0. */
interface Ended extends SpanContext {
  readonly endedAt: number;
  readonly epoch: number;
}

/** The spans of a request that has ended, each as OTLP's JSON. Lasting spans that have not ended are left out. */
export function encodeSpans(exchange: Exchange, trace: RequestTrace, context: Ended): string[] {
  const { endedAt, route } = context;
  const known = knownMethod(exchange);
  const { spanId, parentId } = trace;
  const { status } = exchange;
  const server = {
    ...sharedBy(trace),
    spanId,
    ...(parentId === "" ? {} : { parentSpanId: parentId }),
    name: route === "" ? known : `${known} ${route}`,
    kind: SERVER,
    ...between(context, exchange.beganAt, endedAt),
    attributes: requestAttributes(exchange, context),
    ...(status >= 500 ? { status: { code: ERROR } } : {}),
  };
  const children = trace.children.filter((child) => !isOpen(child));
  return [JSON.stringify(server), ...children.map((child) => encodeChild(exchange, trace, child, context))];
}

/** True for a lasting span that has not ended. */
export function isOpen({ lasts, endedAt }: ChildSpan): boolean {
  return lasts && endedAt === -1;
}

/** A child span as OTLP's JSON. If it does not last, it ends with its request. */
export function encodeChild(exchange: Exchange, trace: RequestTrace, child: ChildSpan, context: Ended): string {
  return JSON.stringify({
    ...sharedBy(trace),
    spanId: child.spanId,
    parentSpanId: child.parentId,
    name: child.to === undefined ? child.name : knownMethod(exchange),
    kind: child.to === undefined ? INTERNAL : CLIENT,
    ...between(context, child.beganAt, child.endedAt === -1 ? context.endedAt : child.endedAt),
    ...childAttributes(exchange, child, context),
  });
}

function between({ epoch }: Ended, from: number, to: number): object {
  return { startTimeUnixNano: nanos(epoch + from), endTimeUnixNano: nanos(epoch + Math.max(from, to)) };
}

function knownMethod({ head }: Exchange): string {
  return METHODS.has(head.method) ? head.method : "HTTP";
}

function sharedBy({ traceId, state }: RequestTrace): object {
  return state === "" ? { traceId } : { traceId, traceState: state };
}

/** Unix nanoseconds in decimal digits. A number would be exact only to 256 ns. */
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
  // The client closed its connection before the response.
  else if (status === 0) attributes.push(text("error.type", "client_gone"));
  return attributes;
}

function methodOf(method: string): Attribute[] {
  if (METHODS.has(method)) return [text("http.request.method", method)];
  return [text("http.request.method", "_OTHER"), text("http.request.method_original", method)];
}

/** Attributes for `host`, `host:port`, `[::1]:port` or `unix:/path`. */
function addressOf(place: string): Attribute[] {
  if (place.startsWith("unix:")) return [text("server.address", place.slice(5))];
  const [, host = place, port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(place) ?? [];
  const address = text("server.address", bareHost(host));
  return port === undefined ? [address] : [address, integer("server.port", Number(port))];
}

function childAttributes({ head }: Exchange, child: ChildSpan, { hidden }: SpanContext): object {
  const error = child.error !== "" ? child.error : child.status >= 400 ? String(child.status) : "";
  const failed = error === "" ? {} : { status: { code: ERROR } };
  if (child.to === undefined) {
    const attributes = child.run === undefined ? [] : filterAttributes(child.run);
    if (error !== "") attributes.push(text("error.type", error));
    return attributes.length === 0 ? {} : { attributes, ...failed };
  }
  const { server, scheme, rewrite } = child.to;
  const path = rewrite === undefined ? head.path : rewrite(head.path);
  const place = server.startsWith("unix:") ? "localhost" : server;
  const url = `${scheme}://${place}${path}${hidden.query(head.query)}`;
  const attributes = [...methodOf(head.method), ...addressOf(server), text("url.full", url)];
  if (child.status !== 0) attributes.push(integer("http.response.status_code", child.status));
  if (child.resends > 0) attributes.push(integer("http.request.resend_count", child.resends));
  if (error !== "") attributes.push(text("error.type", error));
  return { attributes, ...failed };
}

function filterAttributes({ filter, phase, outcome, fuel }: FilterRun): Attribute[] {
  return [
    text("turnpike.filter.name", filter),
    text("turnpike.filter.phase", phase),
    text("turnpike.filter.outcome", outcome),
    integer("turnpike.filter.fuel", fuel),
  ];
}

/** The JSON of an export before and after its spans. */
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
