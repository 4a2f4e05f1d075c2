/** A request's body on its way to one upstream request after the other. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { TurnpikeError } from "../../lib/errors.ts";
import { BufferPool } from "../../lib/memory/buffer-pool.ts";
import { SpareAccount } from "../../lib/memory/spare-account.ts";
import { type BodySink, type RequestBody } from "../exchange/exchange.ts";
import { MessageMeter } from "./message-meter.ts";
import { type RequestCopy } from "./request-copy.ts";
import { type GatherBounds, type PumpOwner, RequestPump, type UpstreamRequest } from "./request-pump.ts";
import { KeptBody } from "./retry/kept-body.ts";

/** The client's side of the body. */
class Body implements RequestBody {
  complete = false;
  sink: BodySink | undefined;
  readonly calls: string[] = [];
  readTo(sink: BodySink): void {
    this.calls.push("read");
    this.sink = sink;
  }
  pause(): void {
    this.calls.push("pause");
  }
  resume(): void {
    this.calls.push("resume");
  }
  send(text: string): boolean {
    const bytes = Buffer.from(`<${text}>`);
    return this.sink?.data(bytes, 1, bytes.length - 1) ?? false;
  }
  end(trailers = ""): void {
    this.sink?.end(trailers);
  }
}

class Upstream {
  text = "";
  takes = true;
  trailers: string[] = [];
  onSendable: (() => void) | undefined;
  data(bytes: Uint8Array, start: number, end: number): boolean {
    this.text += Buffer.from(bytes.subarray(start, end)).toString();
    return this.takes;
  }
  end(trailers: string): void {
    this.trailers.push(trailers);
  }
  /** As the pump sees it: no other members are used. */
  get request(): UpstreamRequest {
    return this as unknown as UpstreamRequest;
  }
}

class Copy implements RequestCopy {
  text = "";
  begin(): void {}
  data(chunk: Uint8Array, start: number, end: number): void {
    this.text += Buffer.from(chunk.subarray(start, end)).toString();
  }
  end(trailers: string): void {
    this.text += `|${trailers}`;
  }
  close(): void {}
}

let events: string[];
let body: Body;
let upstream: Upstream;
let copy: Copy;
let gathered: BufferPool;
let overflow: BufferPool;
let bounds: GatherBounds;
let onGathered: () => void;
let pumps: RequestPump[] = [];

beforeEach(() => {
  events = [];
  body = new Body();
  upstream = new Upstream();
  copy = new Copy();
  gathered = new BufferPool({ bufferSize: 1, bufferCount: 1_000_000, reserve: 0 });
  overflow = new BufferPool({ bufferSize: 1, bufferCount: 1_000_000, reserve: 0 });
  bounds = { maxBytes: 8, account: new SpareAccount(gathered, 1 / 2, "bytes"), overflow };
  onGathered = () => {};
});

afterEach(() => {
  // All kept bodies of a process share a limit.
  for (const pump of pumps) pump.close();
  pumps = [];
});

function pumpOf(options: { kept?: KeptBody; messages?: MessageMeter } = {}): RequestPump {
  const owner: PumpOwner = {
    copy,
    gathered: () => {
      events.push("gathered");
      onGathered();
    },
    requestSent: () => events.push("sent"),
    fail: ({ code, message }) => events.push(`${code}: ${message}`),
  };
  const pump = new RequestPump(owner, body, { kept: options.kept, messages: options.messages });
  pumps.push(pump);
  return pump;
}

describe("a streamed body", () => {
  test("flows as the upstream takes it, with its trailers and its copy", () => {
    const pump = pumpOf();
    pump.sendBy(upstream.request);
    expect([body.calls, body.send("one")]).toEqual([["read"], true]);
    upstream.takes = false;
    expect(body.send("two")).toBe(false);
    upstream.takes = true;
    upstream.onSendable?.();
    expect(body.calls).toEqual(["read", "resume"]);
    body.end("X: 1\r\n");
    expect([upstream.text, upstream.trailers, pump.sent]).toEqual(["onetwo", ["X: 1\r\n"], 6]);
    expect([events, copy.text]).toEqual([["sent"], "onetwo|X: 1\r\n"]);
    // Nothing follows the end.
    upstream.onSendable?.();
    expect([upstream.trailers.length, body.calls.length]).toEqual([1, 2]);
  });

  test("goes nowhere after the end of its request", () => {
    const pump = pumpOf();
    pump.sendBy(upstream.request);
    pump.close();
    expect(body.send("late")).toBe(true);
    body.end();
    expect([upstream.text, upstream.trailers, events]).toEqual(["", [], []]);
  });

  test("fails with its client, and by a message that is too large", () => {
    const pump = pumpOf({ messages: new MessageMeter(3) });
    pump.sendBy(upstream.request);
    expect(body.sink?.data(Buffer.from([0, 0, 0, 0, 3, 1, 2, 3]))).toBe(true);
    body.sink?.data(Buffer.from([0, 0, 0, 0, 4]));
    expect(events).toEqual(["body-too-large: a message of the call is larger than this route allows"]);
    expect(upstream.text).toHaveLength(8);
    body.sink?.abort(new TurnpikeError("bad-request", "cut"));
    expect(events.at(-1)).toBe("bad-request: cut");
  });
});

describe("a body that is sent again", () => {
  test("begins again, and goes on where the client is", () => {
    const pump = pumpOf({ kept: new KeptBody() });
    pump.sendBy(upstream.request);
    body.send("one");
    pump.detach();
    expect([body.calls, pump.isKept]).toEqual([["read", "pause"], true]);
    // Between two requests it is kept only.
    expect(body.send("two")).toBe(false);
    const second = new Upstream();
    pump.sendBy(second.request);
    expect([second.text, body.calls.at(-1)]).toEqual(["onetwo", "resume"]);
    body.send("!");
    body.end("X: 1\r\n");
    const third = new Upstream();
    pump.detach();
    pump.sendBy(third.request);
    expect([second.text, third.text, third.trailers]).toEqual(["onetwo!", "onetwo!", ["X: 1\r\n"]]);
    expect(pump.sent).toBe(7);
    expect(copy.text).toBe("onetwo!|X: 1\r\n");
    expect(events).toEqual(["sent", "sent"]);
  });

  test("ends also if the upstream takes no more after the kept bytes", () => {
    const pump = pumpOf({ kept: new KeptBody() });
    pump.sendBy(upstream.request);
    body.send("one");
    body.end();
    pump.detach();
    const second = new Upstream();
    second.takes = false;
    pump.sendBy(second.request);
    expect([second.text, second.trailers]).toEqual(["one", [""]]);
    const third = pumpOf({ kept: new KeptBody() });
    third.sendBy(upstream.request);
    body.send("two");
    third.detach();
    third.sendBy(second.request);
    expect([second.text, second.trailers.length]).toEqual(["onetwo", 1]);
  });

  test("is not, once it is forgotten or too long", () => {
    const pump = pumpOf({ kept: new KeptBody() });
    pump.sendBy(upstream.request);
    pump.forget();
    expect(pump.isKept).toBe(false);
    const long = pumpOf({ kept: new KeptBody() });
    long.sendBy(upstream.request);
    body.send("x".repeat(65_536));
    expect(long.isKept).toBe(true);
    long.detach();
    body.send("!");
    expect([long.isKept, events]).toEqual([
      false,
      ["upstream-failed: the upstream gave up a request that is too long to be sent again"],
    ]);
  });
});

describe("a gathered body", () => {
  test("that is complete with its first piece is passed on", () => {
    const pump = pumpOf();
    body.complete = true;
    pump.gather(bounds);
    expect([body.send("longer than the limit"), gathered.used, events]).toEqual([true, 0, []]);
    body.end("X: 1\r\n");
    expect(events).toEqual(["gathered"]);
    pump.sendBy(upstream.request);
    expect([upstream.text, upstream.trailers]).toEqual(["longer than the limit", ["X: 1\r\n"]]);
    expect(events).toEqual(["gathered", "sent"]);
  });

  test("in several pieces waits until its end, within the limit", () => {
    const pump = pumpOf();
    pump.gather(bounds);
    for (const piece of ["one", "two", "ok"]) expect(body.send(piece)).toBe(true);
    expect([gathered.used > 0, events]).toEqual([true, []]);
    body.end();
    pump.sendBy(upstream.request);
    expect([upstream.text, upstream.trailers, gathered.used, pump.sent]).toEqual(["onetwook", [""], 0, 8]);
  });

  test("keeps its order if it is complete only with a later piece", () => {
    const pump = pumpOf();
    pump.gather(bounds);
    body.complete = true;
    body.send("one");
    body.send("two");
    body.end();
    pump.sendBy(upstream.request);
    expect(upstream.text).toBe("onetwo");
  });

  test("beyond the limit pauses its client until the upstream takes it", () => {
    const pump = pumpOf();
    pump.gather(bounds);
    body.send("12345678");
    expect(body.send("9")).toBe(false);
    expect([events, overflow.used > 0]).toEqual([["gathered"], true]);
    expect(body.send("10")).toBe(false);
    upstream.takes = false;
    pump.sendBy(upstream.request);
    expect([upstream.text, body.calls]).toEqual(["12345678", ["read"]]);
    upstream.takes = true;
    upstream.onSendable?.();
    expect([upstream.text, body.calls, overflow.used]).toEqual(["12345678910", ["read", "resume"], 0]);
    expect(body.send("11")).toBe(true);
    body.end();
    expect([upstream.text, upstream.trailers]).toEqual(["1234567891011", [""]]);
  });

  test("beyond the limit goes on at once if the upstream takes it at once", () => {
    const pump = pumpOf();
    onGathered = () => pump.sendBy(upstream.request);
    pump.gather(bounds);
    expect(body.send("123456789")).toBe(true);
    expect([upstream.text, body.calls]).toEqual(["123456789", ["read", "resume"]]);
  });

  test("that ends while it waits ends after its bytes", () => {
    const pump = pumpOf();
    pump.gather(bounds);
    body.send("123456789");
    body.end("X: 1\r\n");
    expect(upstream.trailers).toEqual([]);
    upstream.takes = false;
    pump.sendBy(upstream.request);
    expect([upstream.text, upstream.trailers]).toEqual(["123456789", ["X: 1\r\n"]]);
  });

  test("that ends while it waits ends after its last bytes if the upstream takes them later", () => {
    const pump = pumpOf();
    pump.gather(bounds);
    for (const piece of ["12345678", "9"]) body.send(piece);
    body.end("X: 1\r\n");
    upstream.takes = false;
    pump.sendBy(upstream.request);
    expect([upstream.text, upstream.trailers]).toEqual(["12345678", []]);
    upstream.onSendable?.();
    expect([upstream.text, upstream.trailers]).toEqual(["123456789", ["X: 1\r\n"]]);
  });

  test("without memory waits in the other memory, and fails without that", () => {
    gathered.take(600_000);
    const pump = pumpOf();
    pump.gather(bounds);
    expect(body.send("one")).toBe(false);
    expect(events).toEqual(["gathered"]);
    overflow.take(overflow.free);
    body.send("x".repeat(20_000));
    expect(events.at(-1)).toBe("overloaded: no memory is left for data that waits for the upstream");
    pump.close();
    overflow.give(1_000_000 - overflow.used);
    expect(body.send("late")).toBe(true);
  });

  test("whose request ends meanwhile returns its memory", () => {
    const pump = pumpOf();
    pump.gather(bounds);
    body.send("one");
    pump.close();
    expect([gathered.used, body.send("two")]).toEqual([0, true]);
    onGathered = () => {};
    const second = pumpOf();
    onGathered = () => second.close();
    second.gather(bounds);
    expect(body.send("123456789")).toBe(true);
    expect([gathered.used, overflow.used]).toEqual([0, 0]);
  });

  test("can be sent again after a failed request", () => {
    const pump = pumpOf({ kept: new KeptBody() });
    pump.gather(bounds);
    body.send("one");
    body.send("two");
    body.end();
    pump.sendBy(upstream.request);
    expect(upstream.text).toBe("onetwo");
    pump.detach();
    const second = new Upstream();
    pump.sendBy(second.request);
    expect([second.text, second.trailers, pump.sent]).toEqual(["onetwo", [""], 6]);
  });
});
