import { type CallGroup, type CallRefusal, type Pairs } from "../../calls/call.ts";
import { MAX_CALL_BODY_BYTES } from "../../calls/call-limits.ts";
import { STATUS } from "../guest/enums.ts";
import { type Host } from "./host.ts";
import { type HostFunction, type Numbers } from "../guest/machine.ts";
import { decodePairs } from "../guest/pairs.ts";

/** Fuel for a call, in addition to the fuel for its bytes. */
const CALL_FUEL = 400;
/** Bytes of a list of fields that one unit of fuel pays for, as a power of two. */
const PAIRS_SHIFT = 2;
/** The number of parameters of functions that some SDKs declare without metadata. */
const GRPC_CALL_WITHOUT_METADATA = 10;
const GRPC_STREAM_WITHOUT_METADATA = 7;

const REFUSED: Readonly<Record<CallRefusal, number>> = {
  "unknown-upstream": STATUS.badArgument,
  "bad-request": STATUS.badArgument,
  "too-large": STATUS.badArgument,
  full: STATUS.internalFailure,
};

/** The host functions for calls to the upstreams of the configuration. */
export function callFunctions(instance: Host): Record<string, HostFunction> {
  const { machine } = instance;
  return {
    proxy_http_call: machine.wrap((_memory, parameters) => httpCall(instance, parameters)),
    proxy_grpc_call: machine.wrap((_memory, parameters) => grpcCall(instance, parameters)),
    proxy_grpc_stream: machine.wrap((_memory, parameters) => grpcStream(instance, parameters)),
    proxy_grpc_send: machine.wrap((_memory, parameters) => grpcSend(instance, parameters)),
    proxy_grpc_cancel: machine.wrap((_memory, [id = 0]) => (instance.calls.cancel(id) ? STATUS.ok : STATUS.notFound)),
    proxy_grpc_close: machine.wrap((_memory, [id = 0]) => {
      const stream = instance.calls.stream(id);
      if (stream === undefined) return instance.calls.cancel(id) ? STATUS.ok : STATUS.notFound;
      stream.halfClose();
      return STATUS.ok;
    }),
    proxy_get_status: machine.wrap((memory, [code = 0, address = 0, length = 0]) => {
      const { status } = instance.root;
      memory.setU32(code, status.code);
      machine.giveText(Buffer.from(status.message).toString("latin1"), address, length);
      return STATUS.ok;
    }),
  };
}

/** The stream's calls, which end with it. Undefined while the module is initialised: it cannot call yet. */
function groupOf({ context, root, plugin, machine }: Host): CallGroup | undefined {
  machine.charge(CALL_FUEL);
  if (!root.mayCall) return undefined;
  return context.calls ?? plugin.calls.own;
}

function httpCall(instance: Host, parameters: Numbers): number {
  const [upstream = 0, upstreamLength = 0, fields = 0, fieldsLength = 0, body = 0, bodyLength = 0] = parameters;
  const [trailers = 0, trailersLength = 0, timeoutMs = 0, out = 0] = parameters.slice(6);
  const group = groupOf(instance);
  if (group === undefined) return STATUS.internalFailure;
  const fieldPairs = pairs(instance, fields, fieldsLength);
  const trailerPairs = pairs(instance, trailers, trailersLength);
  const held = bytes(instance, body, bodyLength);
  if (fieldPairs === undefined || trailerPairs === undefined || held === undefined) return STATUS.badArgument;
  const request = {
    upstream: utf8(instance, upstream, upstreamLength),
    fields: fieldPairs,
    trailers: trailerPairs,
    body: held,
    timeoutMs,
  };
  return begun(instance, instance.calls.http(group, request), out);
}

function grpcCall(instance: Host, parameters: Numbers): number {
  const [metadata = 0, metadataLength = 0] = parameters.slice(6);
  const isShort = parameters.length === GRPC_CALL_WITHOUT_METADATA;
  const [message = 0, messageLength = 0, timeoutMs = 0, out = 0] = parameters.slice(isShort ? 6 : 8);
  const group = groupOf(instance);
  if (group === undefined) return STATUS.internalFailure;
  const fields = isShort ? [] : pairs(instance, metadata, metadataLength);
  const held = bytes(instance, message, messageLength);
  if (fields === undefined || held === undefined) return STATUS.badArgument;
  const request = { ...named(instance, parameters), metadata: fields, message: held, timeoutMs };
  return begun(instance, instance.calls.grpc(group, request), out);
}

function grpcStream(instance: Host, parameters: Numbers): number {
  const isShort = parameters.length === GRPC_STREAM_WITHOUT_METADATA;
  const [metadata = 0, metadataLength = 0] = parameters.slice(6);
  const group = groupOf(instance);
  if (group === undefined) return STATUS.internalFailure;
  const fields = isShort ? [] : pairs(instance, metadata, metadataLength);
  if (fields === undefined) return STATUS.badArgument;
  const request = { ...named(instance, parameters), metadata: fields };
  return begun(instance, instance.calls.grpcStream(group, request), parameters[isShort ? 6 : 8] ?? 0);
}

function grpcSend(instance: Host, [id = 0, message = 0, length = 0, end = 0]: Numbers): number {
  const stream = instance.calls.stream(id);
  if (stream === undefined) return STATUS.notFound;
  if (length === 0 && message === 0 && end !== 0) {
    stream.halfClose();
    return STATUS.ok;
  }
  const held = bytes(instance, message, length);
  if (held === undefined) return STATUS.badArgument;
  const sent = stream.send(held, end !== 0);
  if (sent === "full") return STATUS.internalFailure;
  return sent === "sent" ? STATUS.ok : STATUS.badArgument;
}

/** The upstream, service and method of a gRPC call. */
function named(instance: Host, parameters: Numbers) {
  const [upstream = 0, upstreamLength = 0, service = 0, serviceLength = 0, method = 0, methodLength = 0] = parameters;
  return {
    upstream: utf8(instance, upstream, upstreamLength),
    service: utf8(instance, service, serviceLength),
    method: utf8(instance, method, methodLength),
  };
}

function begun({ machine }: Host, call: number | CallRefusal, out: number): number {
  if (typeof call === "string") return REFUSED[call];
  machine.enter().setU32(out, call);
  return STATUS.ok;
}

function utf8({ machine }: Host, pointer: number, length: number): string {
  return Buffer.from(machine.enter(length).copy(pointer, length)).toString();
}

function pairs({ machine }: Host, pointer: number, length: number): Pairs | undefined {
  machine.charge(length >>> PAIRS_SHIFT);
  return decodePairs(machine.enter(), pointer, length);
}

/** A copy of the bytes; undefined if there are too many. */
function bytes({ machine }: Host, pointer: number, length: number): Uint8Array | undefined {
  const memory = machine.enter(length);
  memory.check(pointer, length);
  return length > MAX_CALL_BODY_BYTES ? undefined : memory.copy(pointer, length);
}
