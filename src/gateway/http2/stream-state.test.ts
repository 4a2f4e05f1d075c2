import { describe, expect, test } from "bun:test";
import {
  CLOSED,
  HALF_CLOSED_LOCAL,
  HALF_CLOSED_REMOTE,
  IDLE,
  isLocalEnded,
  isRemoteEnded,
  nextState,
  OPEN,
  RECEIVE_DATA,
  RECEIVE_END,
  RECEIVE_HEADERS,
  RECEIVE_RESET,
  RESET,
  RESET_WHOLE,
  SEND_DATA,
  SEND_END,
  SEND_HEADERS,
  SEND_RESET,
  type StreamEvent,
  type StreamState,
} from "./stream-state.ts";

const STATES: ReadonlyMap<StreamState, string> = new Map([
  [IDLE, "idle"],
  [OPEN, "open"],
  [HALF_CLOSED_LOCAL, "half-closed (local)"],
  [HALF_CLOSED_REMOTE, "half-closed (remote)"],
  [CLOSED, "closed"],
  [RESET, "reset"],
  [RESET_WHOLE, "reset, whole"],
]);

const EVENTS: ReadonlyMap<StreamEvent, string> = new Map([
  [SEND_HEADERS, "send HEADERS"],
  [RECEIVE_HEADERS, "receive HEADERS"],
  [SEND_DATA, "send DATA"],
  [RECEIVE_DATA, "receive DATA"],
  [SEND_END, "send END_STREAM"],
  [RECEIVE_END, "receive END_STREAM"],
  [SEND_RESET, "send RST_STREAM"],
  [RECEIVE_RESET, "receive RST_STREAM"],
]);

/** The moves in the diagram of RFC 9113 §5.1. A pair that is absent is not allowed. */
const DRAWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  idle: { "send HEADERS": "open", "receive HEADERS": "open" },
  open: {
    "send HEADERS": "open",
    "receive HEADERS": "open",
    "send DATA": "open",
    "receive DATA": "open",
    "send END_STREAM": "half-closed (local)",
    "receive END_STREAM": "half-closed (remote)",
    "send RST_STREAM": "reset",
    "receive RST_STREAM": "reset",
  },
  "half-closed (local)": {
    "receive HEADERS": "half-closed (local)",
    "receive DATA": "half-closed (local)",
    "receive END_STREAM": "closed",
    "send RST_STREAM": "reset",
    "receive RST_STREAM": "reset",
  },
  "half-closed (remote)": {
    "send HEADERS": "half-closed (remote)",
    "send DATA": "half-closed (remote)",
    "send END_STREAM": "closed",
    "send RST_STREAM": "reset, whole",
    "receive RST_STREAM": "reset, whole",
  },
  closed: { "send RST_STREAM": "closed", "receive RST_STREAM": "closed" },
  reset: {
    "receive HEADERS": "reset",
    "receive DATA": "reset",
    "receive END_STREAM": "reset",
    "send RST_STREAM": "reset",
    "receive RST_STREAM": "reset",
  },
  "reset, whole": {
    "receive HEADERS": "reset, whole",
    "receive DATA": "reset, whole",
    "receive END_STREAM": "reset, whole",
    "send RST_STREAM": "reset, whole",
    "receive RST_STREAM": "reset, whole",
  },
};

describe("a stream moves as RFC 9113 §5.1 draws it", () => {
  for (const [state, from] of STATES) {
    for (const [event, frame] of EVENTS) {
      const expected = DRAWN[from]?.[frame];
      test(`${from}, ${frame}: ${expected ?? "not allowed"}`, () => {
        const next = nextState(state, event);
        expect(next === undefined ? undefined : STATES.get(next)).toBe(expected);
      });
    }
  }
});

test("no frame opens a closed stream again", () => {
  for (const from of [CLOSED, RESET, RESET_WHOLE] as const) {
    for (const event of EVENTS.keys()) expect(nextState(from, event)).toBeOneOf([undefined, from]);
  }
});

test("the ends of a stream follow from its state", () => {
  const states = [...STATES.keys()];
  expect(states.filter(isLocalEnded)).toEqual([HALF_CLOSED_LOCAL, CLOSED]);
  expect(states.filter(isRemoteEnded)).toEqual([HALF_CLOSED_REMOTE, CLOSED, RESET_WHOLE]);
});
