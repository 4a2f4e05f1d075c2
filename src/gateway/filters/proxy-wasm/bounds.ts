const MEBIBYTE = 1024 * 1024;

/** Streams that one instance carries at a time, those that wait for their filter's `proxy_done` among them. */
export const MAX_STREAMS = 16_384;
/** Fields of one list, as Envoy's host allows. */
export const MAX_MAP_PAIRS = 1024;
/** Bytes of one list of fields. */
export const MAX_MAP_BYTES = MEBIBYTE;
/** Bytes of a response's body that wait for the filter. */
export const MAX_HELD_RESPONSE_BYTES = 16 * MEBIBYTE;
/** Bytes of a body that a filter makes larger. */
export const MAX_EDITED_BYTES = 16 * MEBIBYTE;
/** The body of a local response. */
export const MAX_LOCAL_BYTES = MEBIBYTE;
/** A line of a log; the rest is cut off. */
export const MAX_LOG_BYTES = 4096;
/** Lines of one invocation; those after them are dropped. */
export const MAX_LOG_LINES = 64;
/** What a filter has written to standard output without an end of line. */
export const MAX_PARTIAL_LINE_BYTES = MAX_LOG_BYTES;
/** Properties that the filters of one request set, and bytes of their names and values. */
export const MAX_PROPERTIES = 64;
export const MAX_PROPERTY_BYTES = 65_536;
/** Entries of shared data of one worker, and bytes of their keys and values. */
export const MAX_SHARED_ENTRIES = 65_536;
export const MAX_SHARED_BYTES = 16 * MEBIBYTE;
/** Shared queues of one worker, messages of one, and bytes of all messages. */
export const MAX_QUEUES = 256;
export const MAX_QUEUE_MESSAGES = 4096;
export const MAX_QUEUE_BYTES = 16 * MEBIBYTE;
/** Messages of which one instance is told in one turn. @bound */
export const MESSAGES_A_TURN = 64;
/** Bytes of the name of a shared entry, a queue, a property or a metric. */
export const MAX_NAME_BYTES = 4096;
/** Metrics that one filter defines. */
export const MAX_METRICS = 256;
/** The shortest period of ticks, in milliseconds. @bound */
export const MIN_TICK_MS = 10;
/** Random bytes of one call. */
export const MAX_RANDOM_BYTES = 65_536;
/** Starts of a broken instance that follow at once; those after them wait. @bound */
export const QUICK_RESTARTS = 3;
/** The first wait and the longest one before a broken instance is started again, in milliseconds. @bound */
export const FIRST_BACK_OFF_MS = 100;
export const MAX_BACK_OFF_MS = 5000;
/** An instance that has lived so long without a failure is sound: the next failure counts as the first. Milliseconds. @bound */
export const SOUND_AFTER_MS = 10_000;
