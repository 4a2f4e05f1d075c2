import { type Exchange } from "../../exchange/exchange.ts";
import { type BodyMemory } from "../../policy/gathered-body.ts";
import { type ForwardTarget } from "../../proxy/target.ts";
import {
  type CallGroup,
  type CallRefusal,
  type GrpcCallRequest,
  type GrpcListener,
  type GrpcOutcome,
  type GrpcRequest,
  type GrpcStream,
  type HttpCallOutcome,
  type HttpCallRequest,
  type OpenCall,
} from "./call.ts";
import { callHead, callTrailers } from "./call-head.ts";
import {
  MAX_CALL_MESSAGE_BYTES,
  MAX_CALL_BODY_BYTES,
  MAX_CALLS_A_FILTER,
  MAX_CALLS_A_STREAM,
  MAX_CALLS_A_WORKER,
} from "./call-limits.ts";
import { grpcHead } from "./grpc-head.ts";
import { GrpcUnary } from "./grpc-unary.ts";
import { GrpcUpstreamStream } from "./grpc-upstream-stream.ts";
import { HttpCall } from "./http-call.ts";
import { type CallKeeper, callMs } from "./upstream-call.ts";

export interface UpstreamCallsOptions {
  /** The forwarding target for an upstream of the active configuration; undefined without it. */
  readonly target: (upstream: string) => ForwardTarget | undefined;
  readonly memory: BodyMemory;
  readonly onError: (error: unknown) => void;
}

/** The calls of all filters of a worker. It is one object, which survives reloads. */
export class UpstreamCalls {
  readonly options: UpstreamCallsOptions;
  size = 0;

  constructor(options: UpstreamCallsOptions) {
    this.options = options;
  }

  filter(): FilterCalls {
    return new FilterCalls(this);
  }
}

/** The calls of one filter: its own, and those for the requests that it processes. */
export class FilterCalls {
  readonly own: CallGroup;
  readonly #all: UpstreamCalls;
  readonly #streams = new Set<OpenCalls>();
  #size = 0;

  constructor(all: UpstreamCalls) {
    this.#all = all;
    this.own = this.#group(undefined, MAX_CALLS_A_FILTER);
  }

  /** The calls for a request. Close the group when the filter has finished with the request. */
  stream(client: Exchange): CallGroup {
    const group = this.#group(client, MAX_CALLS_A_STREAM);
    this.#streams.add(group);
    return group;
  }

  close(): void {
    this.own.close();
    for (const stream of this.#streams) stream.close();
  }

  #group(client: Exchange | undefined, most: number): OpenCalls {
    const group: OpenCalls = new OpenCalls(this.#all.options, client, {
      mayBegin: () => group.size < most && this.#size < MAX_CALLS_A_FILTER && this.#all.size < MAX_CALLS_A_WORKER,
      changed: (by) => {
        this.#size += by;
        this.#all.size += by;
      },
      closed: () => this.#streams.delete(group),
    });
    return group;
  }
}

interface Counter {
  mayBegin(): boolean;
  changed(by: number): void;
  closed(): void;
}

/** The calls of one request, or those of the filter itself. */
class OpenCalls implements CallGroup {
  readonly #options: UpstreamCallsOptions;
  readonly #client: Exchange | undefined;
  readonly #counter: Counter;
  readonly #calls = new Set<OpenCall>();
  #isClosed = false;

  constructor(options: UpstreamCallsOptions, client: Exchange | undefined, counter: Counter) {
    this.#options = options;
    this.#client = client;
    this.#counter = counter;
  }

  get size(): number {
    return this.#calls.size;
  }

  http(request: HttpCallRequest, done: (outcome: HttpCallOutcome) => void): OpenCall | CallRefusal {
    const { body } = request;
    const keeper = this.#keeper(request.upstream);
    if (typeof keeper === "string") return keeper;
    if (body.length > MAX_CALL_BODY_BYTES) return "too-large";
    const rest = callTrailers(request.trailers);
    if (typeof rest === "string") return rest;
    const { trailers } = rest;
    // HTTP/1.1 can only send trailers after a chunked body.
    const head = callHead(request.fields, trailers === "" ? body.length : -1);
    if (typeof head === "string") return head;
    const call = new HttpCall(keeper, { head, body, trailers }, done);
    if (!call.account()) return "full";
    this.#add(call);
    call.begin(callMs(request.timeoutMs));
    return call;
  }

  grpc(request: GrpcCallRequest, done: (outcome: GrpcOutcome) => void): OpenCall | CallRefusal {
    const keeper = this.#keeper(request.upstream);
    if (typeof keeper === "string") return keeper;
    const ms = callMs(request.timeoutMs);
    const head = grpcHead(request, ms);
    if (typeof head === "string") return head;
    const { message } = request;
    if (message.length > MAX_CALL_MESSAGE_BYTES) return "too-large";
    const call = new GrpcUnary(keeper, { head, message }, done);
    if (!call.account()) return "full";
    this.#add(call);
    call.begin(ms);
    return call;
  }

  grpcStream(request: GrpcRequest, listener: GrpcListener): GrpcStream | CallRefusal {
    const keeper = this.#keeper(request.upstream);
    if (typeof keeper === "string") return keeper;
    const head = grpcHead(request, undefined);
    if (typeof head === "string") return head;
    const stream = new GrpcUpstreamStream(keeper, head, listener);
    this.#add(stream);
    stream.begin(Number.POSITIVE_INFINITY);
    return stream;
  }

  close(): void {
    this.#isClosed = true;
    for (const call of this.#calls) call.cancel();
    this.#counter.closed();
  }

  #keeper(upstream: string): CallKeeper | CallRefusal {
    const { target: targetOf, memory, onError } = this.#options;
    const target = targetOf(upstream);
    if (target === undefined) return "unknown-upstream";
    if (this.#isClosed || !this.#counter.mayBegin()) return "full";
    const left = (call: OpenCall): void => {
      this.#calls.delete(call);
      this.#counter.changed(-1);
    };
    return { target, client: this.#client, memory, onError, left };
  }

  #add(call: OpenCall): void {
    this.#calls.add(call);
    this.#counter.changed(1);
  }
}
