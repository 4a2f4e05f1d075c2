import { type Callback, type Machine } from "./machine.ts";

/** The exports of modules that the gateway calls. */
export const EXPORTS = {
  initialize: "_initialize",
  start: "_start",
  main: "main",
  contextCreate: "proxy_on_context_create",
  vmStart: "proxy_on_vm_start",
  configure: "proxy_on_configure",
  requestHeaders: "proxy_on_request_headers",
  requestBody: "proxy_on_request_body",
  requestTrailers: "proxy_on_request_trailers",
  responseHeaders: "proxy_on_response_headers",
  responseBody: "proxy_on_response_body",
  responseTrailers: "proxy_on_response_trailers",
  done: "proxy_on_done",
  log: "proxy_on_log",
  remove: "proxy_on_delete",
  tick: "proxy_on_tick",
  queueReady: "proxy_on_queue_ready",
  httpCallResponse: "proxy_on_http_call_response",
  grpcInitialMetadata: "proxy_on_grpc_receive_initial_metadata",
  grpcReceive: "proxy_on_grpc_receive",
  grpcTrailingMetadata: "proxy_on_grpc_receive_trailing_metadata",
  grpcClose: "proxy_on_grpc_close",
};

/** The callbacks that see a part of a request or response, and can pause it. */
export type FlowCallback = `${"request" | "response"}${"Headers" | "Body" | "Trailers"}`;

export type Callbacks = Readonly<Partial<Record<keyof typeof EXPORTS, Callback>>> & {
  /** True if the module reads requests' bodies or trailers. */
  readonly seesRequestBodies: boolean;
  readonly seesResponseBodies: boolean;
};

/** Finds the callbacks of a module that was instantiated. */
export function callbacksOf(machine: Machine): Callbacks {
  const exported = Object.entries(EXPORTS).flatMap(([key, name]) => {
    const found = machine.callback(name);
    return found === undefined ? [] : [[key, found]];
  });
  // The keys are those of `EXPORTS`.
  const callbacks = Object.fromEntries(exported) as Partial<Record<keyof typeof EXPORTS, Callback>>;
  return {
    ...callbacks,
    seesRequestBodies: callbacks.requestBody !== undefined || callbacks.requestTrailers !== undefined,
    seesResponseBodies: callbacks.responseBody !== undefined || callbacks.responseTrailers !== undefined,
  };
}
