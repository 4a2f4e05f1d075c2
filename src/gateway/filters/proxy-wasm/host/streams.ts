import { MAX_LOCAL_BYTES } from "../../module/proxy-wasm-bounds.ts";
import { STATUS, STREAM } from "../guest/enums.ts";
import { type Host } from "./host.ts";
import { type HostFunction, type Numbers } from "../guest/machine.ts";
import { decodePairs } from "../guest/pairs.ts";

/** The host functions that continue or end a stream. They take effect once the filter's callback has returned. */
export function streamFunctions(instance: Host): Record<string, HostFunction> {
  const { machine } = instance;
  const goOn = (kind: number): number => {
    const { wishes } = instance.context;
    if (wishes === undefined) return STATUS.badArgument;
    if (kind === STREAM.request) wishes.continueRequest();
    else if (kind === STREAM.response) wishes.continueResponse();
    else return STATUS.unimplemented;
    return STATUS.ok;
  };
  return {
    proxy_continue_stream: machine.wrap((_memory, [kind = 0]) => goOn(kind)),
    proxy_continue_request: machine.wrap(() => goOn(STREAM.request)),
    proxy_continue_response: machine.wrap(() => goOn(STREAM.response)),
    proxy_close_stream: machine.wrap((_memory, [kind = 0]) => {
      const { wishes } = instance.context;
      if (wishes === undefined) return STATUS.badArgument;
      if (kind !== STREAM.request && kind !== STREAM.response) return STATUS.unimplemented;
      wishes.close();
      return STATUS.ok;
    }),
    proxy_send_local_response: machine.wrap((_memory, parameters) => respond(instance, parameters)),
  };
}

/** Bytes of a list of fields that one unit of fuel pays for, as a power of two. */
const PAIRS_SHIFT = 2;

/** Sends a local response. Ignores the details, which Envoy writes to its log. */
function respond(instance: Host, parameters: Numbers): number {
  const [status = 0, , , body = 0, bodyLength = 0, fields = 0, fieldsLength = 0, grpcStatus = -1] = parameters;
  const { machine, context } = instance;
  const memory = machine.enter(bodyLength);
  memory.check(body, bodyLength);
  machine.charge(fieldsLength >>> PAIRS_SHIFT);
  const pairs = decodePairs(memory, fields, fieldsLength);
  if (pairs === undefined || context.wishes === undefined) return STATUS.badArgument;
  if (bodyLength > MAX_LOCAL_BYTES) return STATUS.badArgument;
  context.wishes.respond({ status, fields: pairs, body: memory.copy(body, bodyLength), grpcStatus: grpcStatus | 0 });
  return STATUS.ok;
}
