import { type Exchange } from "../../exchange.ts";
import { type Context } from "./context.ts";
import { MAP } from "./enums.ts";
import { type FieldList } from "./field-list.ts";
import { type Plugin } from "./plugin.ts";
import { hostAndPort } from "../../../lib/url-host.ts";

/** Latin1 text, or bytes. */
type Value = string | Uint8Array;

/** The context in which a filter reads a property. */
export interface PropertyScope {
  readonly context: Context;
  readonly plugin: Plugin;
}

const INBOUND = 1;
/** Separates the segments of a path. */
const BETWEEN = "\0";

/** A number of 8 bytes. */
function int(value: number | bigint): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(BigInt(value));
  return bytes;
}

function bool(value: boolean): Uint8Array {
  return Uint8Array.of(Number(value));
}

/** A property of Envoy by its path. Undefined if the gateway does not support it, or does not know its value yet. */
export function propertyOf(path: string, scope: PropertyScope): Value | undefined {
  const [first = "", second = "", ...rest] = path.split(BETWEEN);
  const plain = PLUGIN[first];
  if (plain !== undefined) return second === "" ? plain(scope) : undefined;
  const { exchange } = scope.context;
  if (exchange === undefined) return undefined;
  if (first === "request" || first === "response") {
    const lists = first === "request" ? REQUEST_LISTS : RESPONSE_LISTS;
    const kind = lists[second];
    if (kind !== undefined) return listProperty(scope.context.fields(kind), rest.join(BETWEEN));
  }
  return rest.length === 0 ? STREAM[`${first}.${second}`]?.(exchange, scope.context) : undefined;
}

const PLUGIN: Readonly<Record<string, (scope: PropertyScope) => Value>> = {
  plugin_name: ({ plugin }) => latin1(plugin.settings.name),
  plugin_root_id: ({ plugin }) => latin1(plugin.settings.rootId),
  plugin_vm_id: ({ plugin }) => latin1(plugin.settings.vmId),
  route_name: ({ plugin }) => latin1(plugin.settings.route),
  listener_direction: () => int(INBOUND),
};

const REQUEST_LISTS: Readonly<Record<string, number>> = { headers: MAP.requestHeaders, trailers: MAP.requestTrailers };
const RESPONSE_LISTS: Readonly<Record<string, number>> = {
  headers: MAP.responseHeaders,
  trailers: MAP.responseTrailers,
};

const STREAM: Readonly<Record<string, (exchange: Exchange, context: Context) => Value | undefined>> = {
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
  "request.time": (exchange) => int(BigInt(Math.round(performance.timeOrigin + exchange.beganAt)) * 1_000_000n),
  "request.duration": (exchange) => int(BigInt(Math.round((performance.now() - exchange.beganAt) * 1_000_000))),
  "request.size": ({ bytesReceived }) => int(bytesReceived),
  "request.total_size": ({ bytesReceived, head }) => int(bytesReceived + head.fields.length),
  "response.code": ({ status }, context) => {
    const code = status === 0 ? Number(context.fields(MAP.responseHeaders)?.get(":status") ?? 0) : status;
    return code === 0 ? undefined : int(code);
  },
  "response.flags": () => int(0),
  "response.size": ({ bytesSent }) => int(bytesSent),
  "response.total_size": ({ bytesSent }) => int(bytesSent),
  // The client's port is not known here. The text has Envoy's form.
  "source.address": ({ clientAddress }) => hostAndPort(clientAddress, 0),
  "source.port": () => int(0),
  "connection.mtls": () => bool(false),
  "connection.id": () => int(0),
};

function requestField(context: Context, name: string): string | undefined {
  return context.fields(MAP.requestHeaders)?.get(name);
}

/** One field, or the whole list in the encoding for filters. */
function listProperty(list: FieldList | undefined, name: string): Value | undefined {
  return name === "" ? list?.encoded() : list?.get(name);
}

function latin1(text: string): string {
  return Buffer.from(text).toString("latin1");
}
