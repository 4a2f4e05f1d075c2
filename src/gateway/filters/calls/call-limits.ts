/** Bytes of the body of a call's request, and of its response: they are held whole. */
export const MAX_CALL_BODY_BYTES = 1_048_576;
/** Header fields of a call's request, or trailers of it. */
export const MAX_CALL_FIELDS = 256;
/** Bytes of them, names and values. */
export const MAX_CALL_FIELD_BYTES = 65_536;
/** Bytes of one message of gRPC in either direction. */
export const MAX_CALL_MESSAGE_BYTES = 1_048_576;
/** Bytes of the messages of one gRPC stream that wait for its upstream to take them. */
export const MAX_UNSENT_BYTES = 1_048_576;
/** Messages of one gRPC stream that are handed over in one turn of the event loop; each runs a filter. @bound */
export const MESSAGES_A_TURN = 16;
/** Milliseconds that a call takes at most, and those that a gRPC stream may be silent. */
export const MAX_CALL_MS = 300_000;

/** Calls under way of one request that a filter looks at. */
export const MAX_CALLS_A_STREAM = 32;
/** Calls under way of one filter in one worker. */
export const MAX_CALLS_A_FILTER = 512;
/** Calls under way of all filters of one worker. */
export const MAX_CALLS_A_WORKER = 2048;
