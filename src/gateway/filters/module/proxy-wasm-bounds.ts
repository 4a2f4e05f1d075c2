const MEBIBYTE = 1024 * 1024;

/** Streams that one instance carries at once, including those that wait for the filter's `proxy_done`. */
export const MAX_STREAMS = 16_384;
/** Fields of one list, the same limit as in Envoy's host. */
export const MAX_MAP_PAIRS = 1024;
/** Bytes of one list of fields. */
export const MAX_MAP_BYTES = MEBIBYTE;
/** Bytes of a response's body that are held for the filter. */
export const MAX_HELD_RESPONSE_BYTES = 16 * MEBIBYTE;
/** Bytes of a body that a filter has made longer. */
export const MAX_EDITED_BYTES = 16 * MEBIBYTE;
/** Bytes of a local response's body. */
export const MAX_LOCAL_BYTES = MEBIBYTE;
/** Bytes of a log line; the rest is cut off. */
export const MAX_LOG_BYTES = 4096;
/** Log lines of one invocation; further lines are dropped. */
export const MAX_LOG_LINES = 64;
/** Bytes that a filter has written to standard output without an end of line. */
export const MAX_PARTIAL_LINE_BYTES = MAX_LOG_BYTES;
/** Properties that the filters of one request set, and bytes of their names and values. */
export const MAX_PROPERTIES = 64;
export const MAX_PROPERTY_BYTES = 65_536;
/** Entries of shared data of one worker, and bytes of their keys and values. @operator */
export const MAX_SHARED_ENTRIES = 65_536;
export const MAX_SHARED_BYTES = 16 * MEBIBYTE;
/** Shared queues of one worker, messages of each queue, and bytes of all messages. @operator */
export const MAX_QUEUES = 256;
export const MAX_QUEUE_MESSAGES = 4096;
export const MAX_QUEUE_BYTES = 16 * MEBIBYTE;
/** Messages that one instance receives in one turn. @bound */
export const MESSAGES_A_TURN = 64;
/** Bytes of the name of a shared entry, a queue, a property or a metric. */
export const MAX_NAME_BYTES = 4096;
/** Metrics that one filter defines. @operator */
export const MAX_METRICS = 256;
/** The shortest period of ticks, in milliseconds. @bound */
export const MIN_TICK_MS = 10;
/** Random bytes of one call. */
export const MAX_RANDOM_BYTES = 65_536;
/** Restarts of a broken instance that follow at once; later restarts wait. @bound */
export const QUICK_RESTARTS = 3;
/** The first and the longest wait before a broken instance is started again, in milliseconds. @bound */
export const FIRST_BACK_OFF_MS = 100;
export const MAX_BACK_OFF_MS = 5000;
/** Milliseconds without a failure after which an instance counts as working: its next failure is the first. @bound */
export const SOUND_AFTER_MS = 10_000;
