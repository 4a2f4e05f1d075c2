import { expect, test } from "bun:test";
import { isEventStream } from "./event-stream.ts";

test.each([
  [-1, "Content-Type: text/event-stream\r\n", true],
  [-1, "content-type: Text/Event-Stream; charset=utf-8\r\n", true],
  [5, "Content-Type: text/event-stream\r\n", false],
  [-1, "Content-Type: text/plain\r\n", false],
  [-1, "X: text/event-stream\r\n", false],
])("a response of %p bytes with %j is an event stream: %p", (bodyLength, fields, expected) => {
  expect(isEventStream({ status: 200, reason: "", fields, bodyLength })).toBe(expected);
});
