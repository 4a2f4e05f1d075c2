import { type Callback, type Machine } from "./machine.ts";

/** The callbacks that a module exports. */
export class Callbacks {
  readonly initialize: Callback | undefined;
  readonly start: Callback | undefined;
  readonly main: Callback | undefined;
  readonly contextCreate: Callback | undefined;
  readonly vmStart: Callback | undefined;
  readonly configure: Callback | undefined;
  readonly requestHeaders: Callback | undefined;
  readonly requestBody: Callback | undefined;
  readonly requestTrailers: Callback | undefined;
  readonly responseHeaders: Callback | undefined;
  readonly responseBody: Callback | undefined;
  readonly responseTrailers: Callback | undefined;
  readonly done: Callback | undefined;
  readonly log: Callback | undefined;
  readonly remove: Callback | undefined;
  readonly tick: Callback | undefined;
  readonly queueReady: Callback | undefined;
  readonly httpCallResponse: Callback | undefined;
  readonly grpcInitialMetadata: Callback | undefined;
  readonly grpcReceive: Callback | undefined;
  readonly grpcTrailingMetadata: Callback | undefined;
  readonly grpcClose: Callback | undefined;

  constructor(machine: Machine) {
    const of = (name: string): Callback | undefined => machine.callback(`proxy_on_${name}`);
    this.initialize = machine.callback("_initialize");
    this.start = machine.callback("_start");
    this.main = machine.callback("main");
    this.contextCreate = of("context_create");
    this.vmStart = of("vm_start");
    this.configure = of("configure");
    this.requestHeaders = of("request_headers");
    this.requestBody = of("request_body");
    this.requestTrailers = of("request_trailers");
    this.responseHeaders = of("response_headers");
    this.responseBody = of("response_body");
    this.responseTrailers = of("response_trailers");
    this.done = of("done");
    this.log = of("log");
    this.remove = of("delete");
    this.tick = of("tick");
    this.queueReady = of("queue_ready");
    this.httpCallResponse = of("http_call_response");
    this.grpcInitialMetadata = of("grpc_receive_initial_metadata");
    this.grpcReceive = of("grpc_receive");
    this.grpcTrailingMetadata = of("grpc_receive_trailing_metadata");
    this.grpcClose = of("grpc_close");
  }

  /** True if the module reads requests' bodies or trailers. */
  get seesRequestBodies(): boolean {
    return this.requestBody !== undefined || this.requestTrailers !== undefined;
  }

  get seesResponseBodies(): boolean {
    return this.responseBody !== undefined || this.responseTrailers !== undefined;
  }
}
