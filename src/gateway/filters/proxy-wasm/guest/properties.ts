import { fieldValue } from "../../../../lib/http/fields.ts";
import { parseGrpcStatus } from "../../../../lib/http/grpc-status.ts";
import { hostAndPort } from "../../../../lib/http/url-host.ts";
import { plainAddress } from "../../../exchange/client-address.ts";
import { type Exchange, type Transport } from "../../../exchange/exchange.ts";
import { type Context } from "./context.ts";
import { MAP } from "./enums.ts";
import { type FieldList } from "./field-list.ts";
import { type Plugin } from "./plugin.ts";

/** Latin1 text, or bytes. */
type Value = string | Uint8Array;

export interface PropertyScope {
  readonly context: Context;
  readonly plugin: Plugin;
}

const INBOUND = 1;
/** Separates the segments of a path. */
const BETWEEN = "\0";
/** The names under which Envoy also shows properties that filters have set. */
const FILTER_STATE = `filter_state${BETWEEN}wasm.`;
/** Properties that Envoy shows in two places. */
const XDS = new Set(["cluster_name", "listener_direction", "route_name"]);

/** A number of 8 bytes. */
function int(value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(BigInt(value));
  return bytes;
}

function nanoseconds(milliseconds: number): Uint8Array {
  return int(Math.round(milliseconds * 1_000_000));
}

/** The path of a property as in the Go and Rust SDKs: NUL between segments. C++ ends the last with NUL too. */
export function propertyPath(text: string): string {
  return text.endsWith(BETWEEN) ? text.slice(0, -1) : text;
}

/** A property that filters have set, or one of Envoy. Undefined if the gateway does not support it, or does not know it yet. */
export function propertyOf(path: string, scope: PropertyScope): Value | undefined {
  const { context, plugin } = scope;
  const set = path.startsWith(FILTER_STATE) ? path.slice(FILTER_STATE.length) : path;
  return envoyProperty(path, scope) ?? plugin.properties.get(context.exchange ?? plugin, set);
}

function envoyProperty(path: string, scope: PropertyScope): Value | undefined {
  const [first = "", second = "", ...rest] = path.split(BETWEEN);
  if (first === "xds") return rest.length === 0 && XDS.has(second) ? envoyProperty(second, scope) : undefined;
  const plain = PLUGIN[first];
  if (plain !== undefined) return second === "" ? plain(scope) : undefined;
  const { exchange } = scope.context;
  if (exchange === undefined) return undefined;
  const kind = LISTS[`${first}.${second}`];
  if (kind !== undefined) return listProperty(scope.context.fields(kind), rest.join(BETWEEN));
  return rest.length === 0
    ? STREAM[second === "" ? first : `${first}.${second}`]?.(exchange, scope.context, scope.plugin)
    : undefined;
}

const PLUGIN: Readonly<Record<string, (scope: PropertyScope) => Value>> = {
  plugin_name: ({ plugin }) => latin1(plugin.settings.name),
  plugin_root_id: ({ plugin }) => latin1(plugin.settings.rootId),
  plugin_vm_id: ({ plugin }) => latin1(plugin.settings.vmId),
  listener_direction: () => int(INBOUND),
};

const LISTS: Readonly<Record<string, number>> = {
  "request.headers": MAP.requestHeaders,
  "request.trailers": MAP.requestTrailers,
  "response.headers": MAP.responseHeaders,
  "response.trailers": MAP.responseTrailers,
};

type OfStream = (exchange: Exchange, context: Context, plugin: Plugin) => Value | undefined;

const REQUEST: Readonly<Record<string, OfStream>> = {
  "request.path": (_exchange, context) => requestField(context, ":path"),
  "request.url_path": (_exchange, context) => requestField(context, ":path")?.split("?")[0],
  "request.query": (_exchange, context) => requestField(context, ":path")?.split("?").slice(1).join("?"),
  "request.host": (_exchange, context) => requestField(context, ":authority"),
  "request.method": (_exchange, context) => requestField(context, ":method"),
  "request.scheme": (_exchange, context) => requestField(context, ":scheme"),
  "request.referer": (_exchange, context) => requestField(context, "referer"),
  "request.useragent": (_exchange, context) => requestField(context, "user-agent"),
  "request.id": (exchange) => exchange.id,
  "request.protocol": ({ protocol }) =>
    protocol.endsWith(".0") && protocol !== "HTTP/1.0" ? protocol.slice(0, -2) : protocol,
  "request.time": (exchange) => nanoseconds(performance.timeOrigin + exchange.beganAt),
  "request.duration": (exchange) => nanoseconds(performance.now() - exchange.beganAt),
  "request.size": ({ bytesReceived, head }) => int(head.bodyLength === -1 ? bytesReceived : head.bodyLength),
  "request.headers_bytes": (_exchange, context) => int(bytesOf(context, MAP.requestHeaders)),
  "request.total_size": ({ bytesReceived }, context) => int(bytesReceived + bytesOf(context, MAP.requestHeaders)),
};

const RESPONSE: Readonly<Record<string, OfStream>> = {
  "response.code": ({ status }, context) => {
    const code = status === 0 ? Number(context.fields(MAP.responseHeaders)?.get(":status") ?? 0) : status;
    return code === 0 ? undefined : int(code);
  },
  "response.flags": () => int(0),
  "response.grpc_status": (_exchange, context) => {
    const text =
      context.fields(MAP.responseTrailers)?.get("grpc-status") ??
      context.fields(MAP.responseHeaders)?.get("grpc-status");
    const status = parseGrpcStatus(text);
    return status === undefined ? undefined : int(status);
  },
  "response.size": ({ bytesSent }) => int(bytesSent),
  "response.headers_bytes": (_exchange, context) => int(bytesOf(context, MAP.responseHeaders)),
  "response.total_size": ({ bytesSent }, context) =>
    int(bytesSent + bytesOf(context, MAP.responseHeaders) + bytesOf(context, MAP.responseTrailers)),
};

const PLACE: Readonly<Record<string, OfStream>> = {
  route_name: (_exchange, _context, { settings }) => latin1(settings.route),
  cluster_name: ({ triedUpstream = "" }, _context, { settings }) => known(latin1(triedUpstream || settings.upstream)),
};

const CONNECTION: Readonly<Record<string, OfStream>> = {
  "source.address": (exchange) => hostAndPort(exchange.clientAddress, clientPort(exchange)),
  "source.port": (exchange) => int(clientPort(exchange)),
  "destination.address": ({ transport }) =>
    transport?.localAddress === undefined
      ? undefined
      : hostAndPort(plainAddress(transport.localAddress), transport.localPort ?? 0),
  "destination.port": ({ transport }) => (transport?.localPort === undefined ? undefined : int(transport.localPort)),
  "connection.id": ({ transport }) => connectionId(transport),
  connection_id: ({ transport }) => connectionId(transport),
  "connection.mtls": ({ head }) =>
    Uint8Array.of(Number(fieldValue(head.fields, "x-client-cert-verified") === "SUCCESS")),
  "connection.subject_peer_certificate": ({ head }) => fieldValue(head.fields, "x-client-cert-subject"),
  "connection.tls_version": ({ transport }) => known(transport?.getTLSVersion?.()),
  "connection.requested_server_name": ({ transport }) => known(transport?.getServername?.()),
  "upstream.address": ({ triedServer }) => known(triedServer),
  "upstream.port": ({ triedServer = "" }) => {
    const port = /:(\d+)$/.exec(triedServer)?.[1];
    return port === undefined ? undefined : int(Number(port));
  },
};

const STREAM: Readonly<Record<string, OfStream>> = { ...REQUEST, ...RESPONSE, ...CONNECTION, ...PLACE };

function requestField(context: Context, name: string): string | undefined {
  return context.fields(MAP.requestHeaders)?.get(name);
}

function bytesOf(context: Context, kind: number): number {
  return context.fields(kind)?.bytes ?? 0;
}

/** Undefined for an empty text. */
function known(text: string | null | undefined): string | undefined {
  return text === "" || text === null ? undefined : text;
}

/** The client's port; 0 if another proxy has told its address. */
function clientPort({ clientAddress, transport }: Exchange): number {
  const isPeer = plainAddress(transport?.remoteAddress ?? "") === clientAddress;
  return isPeer ? (transport?.remotePort ?? 0) : 0;
}

const ids = new WeakMap<Transport, Uint8Array>();
let lastId = 0;

/** A number for each connection of this worker. */
function connectionId(transport: Transport | undefined): Uint8Array | undefined {
  if (transport === undefined) return undefined;
  const id = ids.get(transport) ?? int(++lastId);
  ids.set(transport, id);
  return id;
}

/** One field, or the whole list in the encoding for filters. */
function listProperty(list: FieldList | undefined, name: string): Value | undefined {
  return name === "" ? list?.encoded() : list?.joined(name);
}

function latin1(text: string): string {
  return Buffer.from(text).toString("latin1");
}
