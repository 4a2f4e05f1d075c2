import { GRPC, GrpcError } from "../../lib/http/grpc-status.ts";
import { CannedError } from "../exchange/local-response.ts";

/** The errors that clients receive when a request cannot be forwarded or gets no response. */
export const NO_SERVER = new CannedError("no-upstream", "no server of the upstream is in rotation");
export const EMPTY = new CannedError("no-servers", "the upstream has no servers");
export const QUEUE_FULL = new CannedError("overloaded", "too many requests wait for the upstream");
export const NO_CONNECTION = new CannedError("upstream-timeout", "no connection to the upstream in time");
/** UNAVAILABLE, because the client may safely repeat a call that was not sent to a server. */
export const NO_CONNECTION_FOR_CALL = new GrpcError(NO_CONNECTION.code, NO_CONNECTION.message, GRPC.UNAVAILABLE);
export const LATE = new CannedError("upstream-timeout", "the call's deadline has passed");
export const REFUSED = new CannedError("upstream-failed", "the upstream refused the connection");
export const NO_RESPONSE = new CannedError("upstream-timeout", "the upstream did not respond in time");
/** UNKNOWN, as gRPC's clients make of it. */
export const NO_STATUS = new GrpcError("upstream-failed", "the upstream ended the call without a status", GRPC.UNKNOWN);
export const NO_TUNNEL = new CannedError("not-implemented", "WebSocket to upstreams over HTTP/2 is not supported");
export const TOO_LARGE = new CannedError(
  "response-too-large",
  "the upstream's response is larger than this route allows",
);
