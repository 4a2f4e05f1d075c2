/** Bytes of the body of a call's request, and of its response. Both are held completely in memory. */
export const MAX_CALL_BODY_BYTES = 1_048_576;
/** Header fields of a call's request, or its trailers. */
export const MAX_CALL_FIELDS = 256;
/** Bytes of their names and values. */
export const MAX_CALL_FIELD_BYTES = 65_536;
/** Bytes of one gRPC message in either direction. */
export const MAX_CALL_MESSAGE_BYTES = 1_048_576;
/** Bytes of the messages of one gRPC stream that wait for the upstream to take them. */
export const MAX_UNSENT_BYTES = 1_048_576;
/** Messages of one gRPC stream that the filter receives in one turn of the event loop; each runs the filter. @bound */
export const MESSAGES_A_TURN = 16;
/** Milliseconds that a call can take, and that a gRPC stream can be silent. */
export const MAX_CALL_MS = 300_000;

/** Calls in progress for one request that a filter processes. */
export const MAX_CALLS_A_STREAM = 32;
/** Calls in progress of one filter in one worker. */
export const MAX_CALLS_A_FILTER = 512;
/** Calls in progress of all filters of one worker. */
export const MAX_CALLS_A_WORKER = 2048;
