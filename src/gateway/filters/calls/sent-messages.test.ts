import { expect, test } from "bun:test";
import { type BodySink } from "../../exchange/exchange.ts";
import { SentMessages } from "./sent-messages.ts";

function create() {
  const events: string[] = [];
  const room = { left: Number.POSITIVE_INFINITY };
  const sink: BodySink = {
    data(chunk, start, end) {
      events.push(Buffer.from(chunk.subarray(start, end)).toString());
      return --room.left > 0;
    },
    end: (trailers) => void events.push(`end${trailers}`),
    abort() {},
  };
  const body = new SentMessages();
  const send = (text: string): void => body.send(Buffer.from(text));
  return { body, events, room, sink, send };
}

test("messages wait for the upstream, and the end behind them", () => {
  const { body, events, sink, send } = create();
  send("a");
  send("bc");
  expect([body.bytes, body.hasEnded]).toEqual([3, false]);
  body.end();
  expect([events, body.hasEnded]).toEqual([[], true]);
  body.readTo(sink);
  expect([events, body.bytes]).toEqual([["a", "bc", "end"], 0]);
  body.resume();
  expect(events.length).toBe(3);
});

test("messages pass on as they come while the upstream takes them", () => {
  const { body, events, room, sink, send } = create();
  body.readTo(sink);
  send("a");
  room.left = 1;
  send("b");
  send("c");
  body.end();
  expect([events, body.bytes]).toEqual([["a", "b"], 1]);
  room.left = 2;
  body.resume();
  expect([events, body.bytes]).toEqual([["a", "b", "c", "end"], 0]);
});

test("an upstream that pauses gets nothing until it resumes", () => {
  const { body, events, sink, send } = create();
  body.readTo(sink);
  body.pause();
  send("a");
  expect(events).toEqual([]);
  body.resume();
  expect(events).toEqual(["a"]);
});
