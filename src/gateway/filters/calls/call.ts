import { type TurnpikeError } from "../../../lib/errors.ts";

/** Names and values of fields as latin1, in order, including pseudo-header fields such as `:method`. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/** A request of a filter to an upstream of the configuration. Nothing in it is trusted. */
export interface HttpCallRequest {
  readonly upstream: string;
  /**
   * `:method`, `:path` and `:authority` (or `host`) are required. Fields that frame a message or end at the next hop
   * are left out.
   */
  readonly fields: Pairs;
  /** Kept until the end of the call, so it cannot be a view of the filter's memory. */
  readonly body: Uint8Array;
  readonly trailers: Pairs;
  /** 0, or more than MAX_CALL_MS, means MAX_CALL_MS. */
  readonly timeoutMs: number;
}

/** The end of an HTTP call: its complete response, or an error. */
export type HttpCallOutcome =
  | {
      readonly kind: "response";
      /** `:status` comes first. Names are in lower case. */
      readonly fields: Pairs;
      readonly body: Uint8Array;
      readonly trailers: Pairs;
    }
  /** There is no complete response: the upstream cannot be reached, is too late, fails, or sends too much. */
  | { readonly kind: "failed"; readonly error: TurnpikeError };

/** A gRPC call to an upstream, or the start of a gRPC stream. */
export interface GrpcRequest {
  readonly upstream: string;
  readonly service: string;
  readonly method: string;
  readonly metadata: Pairs;
}

/** A unary gRPC call, with its message. */
export interface GrpcCallRequest extends GrpcRequest {
  readonly message: Uint8Array;
  /** The same as in HttpCallRequest. */
  readonly timeoutMs: number;
}

export interface GrpcOutcome {
  /** A status of lib/grpc-status.ts. */
  readonly status: number;
  /** The server's message about the status. */
  readonly message: string;
  /** The response; undefined if the status is not OK. */
  readonly reply: Uint8Array | undefined;
  readonly initialMetadata: Pairs;
  readonly trailingMetadata: Pairs;
}

/** Receives the events of a gRPC stream, last `closed`; never from within a function of the stream. */
export interface GrpcListener {
  initialMetadata(fields: Pairs): void;
  message(bytes: Uint8Array): void;
  trailingMetadata(fields: Pairs): void;
  /** `status` is one of lib/grpc-status.ts. */
  closed(status: number, message: string): void;
}

/** Why a call did not begin. No other event follows. `full`: too many calls, or there is no memory. */
export type CallRefusal = "unknown-upstream" | "bad-request" | "too-large" | "full";

export interface OpenCall {
  /** Cancels the call. No event follows. */
  cancel(): void;
}

export interface GrpcStream extends OpenCall {
  /** Sends a message, not a view of the filter's memory. `full`: unsent bytes are at their limit. `closed`: no more. */
  send(message: Uint8Array, isLast: boolean): "sent" | "too-large" | "full" | "closed";
  /** Ends the filter's messages. Responses can still arrive. */
  halfClose(): void;
}

/** Calls that are counted and ended together: those of a filter, or of one request in a filter. */
export interface CallGroup {
  /** `done` is called once, unless the call is cancelled, and never before this function returns. */
  http(request: HttpCallRequest, done: (outcome: HttpCallOutcome) => void): OpenCall | CallRefusal;
  grpc(request: GrpcCallRequest, done: (outcome: GrpcOutcome) => void): OpenCall | CallRefusal;
  grpcStream(request: GrpcRequest, listener: GrpcListener): GrpcStream | CallRefusal;
  readonly size: number;
  /** Cancels every call of the group. The group accepts no more calls. */
  close(): void;
}
