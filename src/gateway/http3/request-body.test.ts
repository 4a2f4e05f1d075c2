import { afterEach, beforeEach, expect, test } from "bun:test";
import { TurnpikeError } from "../../lib/errors.ts";
import { Host } from "../http2/testing/scripted-client.ts";
import { Http3RequestBody } from "./request-body.ts";

let host: Host;
let seen: string[];
/** The reader accepts further data. */
let hasRoom: boolean;

const reader = {
  data(bytes: Uint8Array, start: number, end: number): boolean {
    seen.push(Buffer.from(bytes.subarray(start, end)).toString());
    return hasRoom;
  },
  end: (trailers: string) => void seen.push(`end ${trailers}`),
  abort: ({ code }: TurnpikeError) => void seen.push(`abort ${code}`),
};

beforeEach(() => {
  host = new Host();
  host.current = { ...host.current, bodyMs: 1000 };
  seen = [];
  hasRoom = true;
});

afterEach(() => host.wheel.close());

function create({ length = -1, most = 100 } = {}): Http3RequestBody {
  return new Http3RequestBody(host, length, most);
}

function receive(body: Http3RequestBody, ...texts: string[]): void {
  for (const text of texts) body.receive(Buffer.from(text));
}

test("data that arrives before its reader waits, and comes in order", () => {
  const body = create();
  receive(body, "a", "b");
  expect([seen, body.received]).toEqual([[], 2]);
  body.readTo(reader);
  receive(body, "c");
  expect([body.ended, body.complete]).toEqual([false, false]);
  body.receiveEnd("x: 1\r\n");
  expect(seen).toEqual(["a", "b", "c", "end x: 1\r\n"]);
  expect([body.ended, body.complete, host.buffers.used]).toEqual([true, true, 0]);
});

test("a body is read once", () => {
  const body = create();
  body.readTo(reader);
  expect(() => body.readTo(reader)).toThrow("Cannot read a request body: it is being read already");
});

test("data waits while its reader has no room, and the end waits behind it", () => {
  const body = create();
  body.readTo(reader);
  hasRoom = false;
  receive(body, "a", "b", "c");
  body.receiveEnd("");
  expect(seen).toEqual(["a"]);
  body.resume();
  expect(seen).toEqual(["a", "b"]);
  body.resume();
  expect(seen).toEqual(["a", "b", "c"]);
  body.resume();
  body.resume();
  expect(seen).toEqual(["a", "b", "c", "end "]);
});

test("the end of a body waits for its reader, and while the reader has paused it", () => {
  const early = create();
  early.receiveEnd("x: 1\r\n");
  early.readTo(reader);
  expect(seen).toEqual(["end x: 1\r\n"]);
  const paused = create();
  paused.readTo(reader);
  paused.pause();
  paused.receiveEnd("");
  expect(seen.length).toBe(1);
  paused.resume();
  expect(seen).toEqual(["end x: 1\r\n", "end "]);
});

test.each([
  ["with its last data", () => {}],
  ["before the end arrives", (body: Http3RequestBody) => body.receiveEnd("")],
])("a body that its reader drops %s does not end for it", (_, arrives) => {
  const body = create();
  receive(body, "a");
  if (arrives.length === 0) body.receiveEnd("");
  body.readTo({
    ...reader,
    data(bytes, start = 0, end = bytes.length) {
      reader.data(bytes, start, end);
      body.discard();
      return true;
    },
  });
  arrives(body);
  expect([seen, host.buffers.used]).toEqual([["a"], 0]);
});

test("data waits while its reader has paused it", () => {
  const body = create();
  body.readTo(reader);
  body.pause();
  receive(body, "a");
  expect(seen).toEqual([]);
  body.resume();
  receive(body, "b");
  expect(seen).toEqual(["a", "b"]);
});

test("a reader that resumes while it gets data gets each piece once, and its pause stops the others", () => {
  const body = create();
  receive(body, "a", "b");
  body.readTo({
    ...reader,
    data(bytes, start = 0, end = bytes.length) {
      reader.data(bytes, start, end);
      body.resume();
      body.pause();
      return true;
    },
  });
  expect(seen).toEqual(["a"]);
});

test.each([
  [100, 100, ["ok"]],
  [101, 100, ["abort body-too-large"]],
])("a body of an announced length of %i bytes, where at most %i are allowed: %j", (length, most, expected) => {
  const body = create({ length, most });
  body.readTo(reader);
  receive(body, "ok");
  expect(seen).toEqual(expected);
  expect([body.error?.message, body.complete]).toEqual(
    length > most ? ["the body is larger than 100 bytes", true] : [undefined, false],
  );
});

test("a body is refused with the first byte over its limit, and what comes later is dropped", () => {
  const body = create({ most: 3 });
  body.readTo(reader);
  receive(body, "abc", "d", "e");
  body.receiveEnd("");
  expect(seen).toEqual(["abc", "abort body-too-large"]);
  expect([body.received, body.ended]).toEqual([4, false]);
});

test("without limits a body has any size and any time", () => {
  const body = create({ most: 3 });
  body.readTo(reader);
  body.liftLimits();
  host.clock.advance(10_000);
  receive(body, "abcdef");
  body.pause();
  body.resume();
  host.clock.advance(10_000);
  expect(seen).toEqual(["abcdef"]);
});

test("the times in which its reader pauses it do not count for a body", () => {
  const body = create();
  body.readTo(reader);
  host.clock.advance(400);
  body.pause();
  host.clock.advance(5000);
  body.resume();
  host.clock.advance(570);
  expect(seen).toEqual([]);
  host.clock.advance(60);
  expect(seen).toEqual(["abort request-timeout"]);
  expect(body.error?.message).toBe("the request body did not arrive in time");
});

test("a reader without room does not use up the time of the body", () => {
  const body = create();
  body.readTo(reader);
  hasRoom = false;
  receive(body, "a");
  host.clock.advance(5000);
  expect(seen).toEqual(["a"]);
  hasRoom = true;
  body.resume();
  host.clock.advance(1050);
  expect(seen).toEqual(["a", "abort request-timeout"]);
});

test("a body that is not read has its time too", () => {
  const body = create();
  receive(body, "a");
  host.clock.advance(1050);
  expect(body.error?.code).toBe("request-timeout");
  expect(host.buffers.used).toBe(0);
  body.readTo(reader);
  expect(seen).toEqual(["abort request-timeout"]);
});

test("a complete body has no time limit", () => {
  const body = create();
  receive(body, "a");
  body.receiveEnd("");
  host.clock.advance(5000);
  body.pause();
  body.readTo(reader);
  body.pause();
  host.clock.advance(5000);
  expect(seen).toEqual(["a", "end "]);
});

test("a body that was aborted or discarded frees its memory, and reports nothing more", () => {
  const broken = new TurnpikeError("bad-request", "reset");
  const drops = [
    [(body: Http3RequestBody) => body.abort(broken), ["a", "abort bad-request"]],
    [(body: Http3RequestBody) => body.discard(), ["a"]],
  ] as const;
  for (const [drop, expected] of drops) {
    seen = [];
    hasRoom = false;
    const body = create();
    body.readTo(reader);
    receive(body, "a", "b");
    expect(host.buffers.used).toBeGreaterThan(0);
    drop(body);
    expect(host.buffers.used).toBe(0);
    hasRoom = true;
    body.resume();
    receive(body, "c");
    body.receiveEnd("");
    body.abort(broken);
    host.clock.advance(5000);
    expect<readonly string[]>(seen).toEqual(expected);
    expect(host.buffers.used).toBe(0);
  }
});
