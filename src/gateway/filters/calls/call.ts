import { type TurnpikeError } from "../../../lib/errors.ts";

/** Names and values of fields as latin1, in order; pseudo-header fields such as `:method` among them. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/** A request to an upstream of the configuration, as a filter has made it; nothing in it is trusted. */
export interface HttpCallRequest {
  readonly upstream: string;
  /** `:method`, `:path` and `:authority` (or `host`) must be there. Fields that frame a message or end at the next hop are left out. */
  readonly fields: Pairs;
  /** Kept until the call is over: not a view of the filter's memory. */
  readonly body: Uint8Array;
  readonly trailers: Pairs;
  /** 0, or more than MAX_CALL_MS: that. */
  readonly timeoutMs: number;
}

export type HttpCallOutcome =
  | {
      readonly kind: "response";
      /** `:status` comes first; names are lower case. */
      readonly fields: Pairs;
      readonly body: Uint8Array;
      readonly trailers: Pairs;
    }
  /** No response, or not a whole one: the upstream is unknown to the network, late, broken, or sends too much. */
  | { readonly kind: "failed"; readonly error: TurnpikeError };

/** A call of gRPC to an upstream, or the begin of a stream of calls. */
export interface GrpcRequest {
  readonly upstream: string;
  readonly service: string;
  readonly method: string;
  readonly metadata: Pairs;
}

export interface GrpcCallRequest extends GrpcRequest {
  readonly message: Uint8Array;
  /** As of HttpCallRequest. */
  readonly timeoutMs: number;
}

/** How a call of gRPC has ended. */
export interface GrpcOutcome {
  /** As in lib/grpc-status.ts. */
  readonly status: number;
  /** What the server says of it. */
  readonly message: string;
  /** The response; of a status other than OK there is none. */
  readonly reply: Uint8Array | undefined;
  readonly initialMetadata: Pairs;
  readonly trailingMetadata: Pairs;
}

/** Is told what comes of a gRPC stream; `closed` is the last. Nothing is called from within a function of the stream. */
export interface GrpcListener {
  initialMetadata(fields: Pairs): void;
  message(bytes: Uint8Array): void;
  trailingMetadata(fields: Pairs): void;
  /** `status` as in lib/grpc-status.ts. */
  closed(status: number, message: string): void;
}

/** Why a call was not begun; no other word follows. `full`: too many are under way, or there is no memory. */
export type CallRefusal = "unknown-upstream" | "bad-request" | "too-large" | "full";

/** A call that is under way. */
export interface OpenCall {
  /** Gives it up; nothing more is heard of it. */
  cancel(): void;
}

export interface GrpcStream extends OpenCall {
  /** Sends a message, which must not be a view of the filter's memory. `full`: as much waits as may. `closed`: the stream takes no more. */
  send(message: Uint8Array, isLast: boolean): "sent" | "too-large" | "full" | "closed";
  /** Says that no message follows; responses still come. */
  halfClose(): void;
}

/** Whose calls are counted and ended together: those of a filter, or of one request in a filter. */
export interface CallGroup {
  /** `done` is called once, unless the call is cancelled, and never from within. */
  http(request: HttpCallRequest, done: (outcome: HttpCallOutcome) => void): OpenCall | CallRefusal;
  grpc(request: GrpcCallRequest, done: (outcome: GrpcOutcome) => void): OpenCall | CallRefusal;
  grpcStream(request: GrpcRequest, listener: GrpcListener): GrpcStream | CallRefusal;
  /** Calls under way. */
  readonly size: number;
  /** Cancels every call of the group; it takes no more of them. */
  close(): void;
}
