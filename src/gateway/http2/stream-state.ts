/**
 * The states of a stream (RFC 9113 §5.1). Pushes are off, so no stream is reserved.
 *
 *   idle ── HEADERS, either way ──▶ open
 *
 *                 we send END_STREAM            they send END_STREAM
 *   open ──────────▶ half-closed (local) ─────────────▶ closed
 *     └────────────▶ half-closed (remote) ────────────▶ closed        RST_STREAM, either way: closed
 *                 they send END_STREAM          we send END_STREAM
 *
 * A stream that was reset is closed as well. It has its own states for two reasons: frames that still arrive for it are
 * ignored, and a message that was complete before the reset is still complete.
 */
export const IDLE = 0;
/** The states after it. From `CLOSED` on, nothing more is sent or read. @internal */
export const OPEN = 1;
export const HALF_CLOSED_LOCAL = 2;
export const HALF_CLOSED_REMOTE = 3;
export const CLOSED = 4;
/** Closed by RST_STREAM, or with its connection, before the peer's message was complete. @internal */
export const RESET = 5;
/** Closed in the same way, after the peer's message was complete. @internal */
export const RESET_WHOLE = 6;

export type StreamState = 0 | 1 | 2 | 3 | 4 | 5 | 6;

/** HEADERS and DATA frames. */
export const SEND_HEADERS = 0;
export const RECEIVE_HEADERS = 1;
export const RECEIVE_DATA = 3;
/** A DATA frame of this side. @internal */
export const SEND_DATA = 2;
/** END_STREAM, on a DATA or HEADERS frame. */
export const SEND_END = 4;
export const RECEIVE_END = 5;
/** RST_STREAM. The end of the connection also resets its streams. */
export const SEND_RESET = 6;
export const RECEIVE_RESET = 7;

/** An event that moves a stream: one of the frames above. */
export type StreamEvent = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;

/** The frame is not allowed in this state. */
const NO = undefined;
/** The next state, by state and event, in the order of the constants. */
const NEXT: readonly (readonly (StreamState | undefined)[])[] = [
  /* idle                 */ [OPEN, OPEN, NO, NO, NO, NO, NO, NO],
  /* open                 */ [OPEN, OPEN, OPEN, OPEN, HALF_CLOSED_LOCAL, HALF_CLOSED_REMOTE, RESET, RESET],
  /* half-closed (local)  */ [NO, HALF_CLOSED_LOCAL, NO, HALF_CLOSED_LOCAL, NO, CLOSED, RESET, RESET],
  /* half-closed (remote) */ [HALF_CLOSED_REMOTE, NO, HALF_CLOSED_REMOTE, NO, CLOSED, NO, RESET_WHOLE, RESET_WHOLE],
  /* closed               */ [NO, NO, NO, NO, NO, NO, CLOSED, CLOSED],
  /* reset                */ [NO, RESET, NO, RESET, NO, RESET, RESET, RESET],
  /* reset, whole         */ [NO, RESET_WHOLE, NO, RESET_WHOLE, NO, RESET_WHOLE, RESET_WHOLE, RESET_WHOLE],
];

/**
 * The state after a frame; undefined if the frame is not allowed. If this side sends it, that is a defect; if the peer sends
 * it, STREAM_CLOSED or PROTOCOL_ERROR.
 */
export function nextState(state: StreamState, event: StreamEvent): StreamState | undefined {
  return NEXT[state]?.[event];
}

/** True if nothing more is sent or read: both messages are complete, or the stream was reset. */
export function isOver(state: StreamState): boolean {
  return state >= CLOSED;
}

/** True if this side has sent END_STREAM, and no reset has followed. */
export function isLocalEnded(state: StreamState): boolean {
  return state === HALF_CLOSED_LOCAL || state === CLOSED;
}

/** True if the peer's message has arrived completely. */
export function isRemoteEnded(state: StreamState): boolean {
  return state === HALF_CLOSED_REMOTE || state === CLOSED || state === RESET_WHOLE;
}
