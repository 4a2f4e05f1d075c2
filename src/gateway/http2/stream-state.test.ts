import { describe, expect, test } from "bun:test";
import { isLocalEnded, isRemoteEnded, nextState, type StreamEvent, type StreamState } from "./stream-state.ts";

const STATES = ["idle", "open", "half-closed (local)", "half-closed (remote)", "closed", "reset", "reset, whole"];
const EVENTS = ["send H", "recv H", "send D", "recv D", "send ES", "recv ES", "send R", "recv R"];

/** Every pair of state and frame, as RFC 9113 §5.1 draws it; "-" is not allowed. */
const DRAWN: Readonly<Record<string, readonly string[]>> = {
  idle: ["open", "open", "-", "-", "-", "-", "-", "-"],
  open: ["open", "open", "open", "open", "half-closed (local)", "half-closed (remote)", "reset", "reset"],
  "half-closed (local)": ["-", "half-closed (local)", "-", "half-closed (local)", "-", "closed", "reset", "reset"],
  "half-closed (remote)": [
    "half-closed (remote)",
    "-",
    "half-closed (remote)",
    "-",
    "closed",
    "-",
    "reset, whole",
    "reset, whole",
  ],
  closed: ["-", "-", "-", "-", "-", "-", "closed", "closed"],
  reset: ["-", "reset", "-", "reset", "-", "reset", "reset", "reset"],
  "reset, whole": ["-", "reset, whole", "-", "reset, whole", "-", "reset, whole", "reset, whole", "reset, whole"],
};

const PAIRS = STATES.flatMap((state, from) =>
  EVENTS.map((event, at) => [state, event, DRAWN[state]?.[at] ?? "", from, at] as const),
);

describe("a stream moves as RFC 9113 §5.1 draws it", () => {
  test.each(PAIRS)("%s, %s: %s", (_, _event, expected, from, at) => {
    // The names stand in the order of the constants.
    const next = nextState(from as StreamState, at as StreamEvent);
    expect(next === -1 ? "-" : STATES[next]).toBe(expected);
  });
});

test("no frame opens a closed stream again", () => {
  for (const from of [4, 5, 6] as const) {
    for (let event = 0; event < EVENTS.length; event++) {
      // The events are 0 to 7.
      expect(nextState(from, event as StreamEvent)).toBeOneOf([-1, from]);
    }
  }
});

test("the ends of a stream follow from its state", () => {
  const all = STATES.map((_, state) => state as StreamState); // the states are 0 to 6
  expect(all.filter(isLocalEnded).map((state) => STATES[state])).toEqual(["half-closed (local)", "closed"]);
  expect(all.filter(isRemoteEnded).map((state) => STATES[state])).toEqual([
    "half-closed (remote)",
    "closed",
    "reset, whole",
  ]);
});
