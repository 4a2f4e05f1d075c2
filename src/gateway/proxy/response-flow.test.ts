/** Responses whose clients are slow: what waits in memory and on the disk, and when their upstream is paused. */
import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BufferPool } from "../../lib/memory/buffer-pool.ts";
import { SpareAccount } from "../../lib/memory/spare-account.ts";
import { FakeClock } from "../../lib/testing/fake-clock.ts";
import { until } from "../../lib/testing/until.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { type ResponseBuffering } from "./response-buffer.ts";
import { ResponseFlow, type ResponseKind } from "./response-flow.ts";
import { BLOCK_BYTES, Spool } from "./spool.ts";
import { type ForwardTarget } from "./target.ts";
import { TestClient } from "./testing/test-client.ts";

const PIECE = 65_536;
const MEMORY_PIECES = 4;
const SLOW_MS = 250;

let folder: string;
let clock: FakeClock;
let pool: BufferPool;
let used: number;
let failures: string[];
let resumed: number;
let client: TestClient;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-flow-"));
  clock = new FakeClock();
  pool = new BufferPool({ bufferSize: PIECE, bufferCount: 64, reserve: 0 });
  used = 0;
  failures = [];
  resumed = 0;
  client = new TestClient();
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Change extends Partial<ResponseBuffering> {
  readonly maxResponseBytes?: number;
  readonly kind?: ResponseKind;
  readonly bodyLength?: number;
  readonly grpcStatus?: number;
  /** Bytes of the disk. */
  readonly disk?: number;
  readonly isUnbuffered?: boolean;
}

function open(change: Change = {}): ResponseFlow {
  const { maxResponseBytes = 1e9, kind = "whole", bodyLength = -1, disk = 16 * BLOCK_BYTES, isUnbuffered } = change;
  const { grpcStatus } = change;
  const spool = new Spool({
    limits: { folder, maxBytes: disk },
    now: () => clock.now(),
    log: () => {},
    onUse: (bytes) => (used = bytes),
    onError: (error) => {
      throw error;
    },
  });
  const responses: ResponseBuffering = {
    wheel: new TimerWheel(clock),
    memory: pool,
    spare: new SpareAccount(pool, 1 / 2, "buffers"),
    spool,
    maxBytes: 1e9,
    ...change,
  };
  const source = { resume: () => resumed++, fail: ({ code }: TurnpikeError) => failures.push(code) };
  // No other members are read.
  const target = { maxResponseBytes, responses: isUnbuffered === true ? undefined : responses } as ForwardTarget;
  const flow = new ResponseFlow(client.exchange, source, target);
  flow.begin(
    { status: 200, reason: "", fields: "", bodyLength, ...(grpcStatus === undefined ? {} : { grpcStatus }) },
    kind,
  );
  return flow;
}

/** Sends a piece that differs from the others. Returns whether the upstream may go on. */
function send(flow: ResponseFlow, letter: string, length = PIECE): boolean {
  return flow.data(Buffer.from(letter.repeat(length)), 0, length);
}

/** The client's body in short: each letter once. */
function got(): string {
  return client.body.replaceAll(/(.)\1*/g, "$1");
}

/** A message of a call. */
function message(length: number): Buffer {
  return Buffer.from([0, 0, 0, 0, length, ...Buffer.alloc(length)]);
}

function drain(flow: ResponseFlow): void {
  client.takes = true;
  flow.drained();
}

describe("a response within its limits", () => {
  test("reaches a fast client without a buffer", () => {
    const flow = open();
    expect([send(flow, "a"), send(flow, "b"), pool.used]).toEqual([true, true, 0]);
    flow.drained();
    flow.end("X: 1\r\n");
    expect([got(), client.trailers, resumed, flow.received]).toEqual(["ab", "X: 1\r\n", 1, 2 * PIECE]);
  });

  test.each([
    ["call", "grpc-status: 5\r\n", undefined, ""],
    ["call", "", undefined, "aborted: upstream-failed"],
    ["call", "grpc-status: none\r\n", undefined, "aborted: upstream-failed"],
    ["call", "", 0, ""],
    ["whole", "", undefined, ""],
  ] as const)("%s with the trailers %j after the status %p ends: %p", (kind, trailers, grpcStatus, error) => {
    const flow = open({ kind, ...(grpcStatus === undefined ? {} : { grpcStatus }) });
    send(flow, "a", 1);
    flow.end(trailers);
    expect([client.error, client.trailers]).toEqual([error, error === "" ? trailers : undefined]);
  });

  test.each<[ResponseKind, boolean]>([
    ["whole", true],
    ["call", true],
    ["events", false],
  ])("%s: more is an error: %p", (kind, isLimited) => {
    const flow = open({ maxResponseBytes: 6, kind });
    if (kind === "call") {
      for (let i = 0; i < 3; i++) expect(flow.data(message(6), 0, 11)).toBe(true);
      expect(failures).toEqual([]);
      flow.data(message(7), 0, 12);
    } else {
      flow.data(Buffer.alloc(6), 0, 6);
      expect(failures).toEqual([]);
      flow.data(Buffer.alloc(9), 4, 5);
    }
    expect(failures).toEqual(isLimited ? ["response-too-large"] : []);
    if (kind === "whole") expect([client.body.length, flow.received]).toEqual([6, 7]);
  });

  test.each<[string, Change]>([
    ["without buffers", { isUnbuffered: true }],
    ["that is a call", { kind: "call" }],
    ["that is a stream of events", { kind: "events" }],
    ["whose last byte was sent", { bodyLength: PIECE }],
  ])("%s pauses its upstream for a slow client", (_what, change) => {
    const flow = open(change);
    client.takes = false;
    const piece = Buffer.alloc(PIECE);
    expect([flow.data(piece, 0, PIECE), pool.used]).toEqual([false, 0]);
    drain(flow);
    expect(resumed).toBe(1);
  });

  test("pauses its upstream while the memory is short", () => {
    const flow = open();
    client.takes = false;
    pool.take(33 * PIECE);
    expect(send(flow, "a")).toBe(false);
    pool.give(PIECE);
    expect(send(flow, "b")).toBe(true);
  });

  test("keeps a chunk only if the client or a buffer does", () => {
    const flow = open();
    expect(flow.keepsNoChunk).toBe(false);
    Object.assign(client, { keepsNoChunk: true });
    expect(flow.keepsNoChunk).toBe(true);
    client.takes = false;
    send(flow, "a");
    expect(flow.keepsNoChunk).toBe(false);
  });
});

describe("a response that waits in memory", () => {
  test("pauses its upstream at 256 KiB, and resumes it at half of them", () => {
    const flow = open();
    client.takes = false;
    expect(["a", "b", "c", "d"].map((letter) => send(flow, letter))).toEqual([true, true, true, true]);
    expect(send(flow, "e")).toBe(false);
    expect([got(), pool.used]).toEqual(["a", MEMORY_PIECES * PIECE]);
    flow.drained();
    flow.drained();
    expect([got(), resumed]).toEqual(["abc", 0]);
    flow.drained();
    expect([got(), resumed]).toEqual(["abcd", 1]);
    drain(flow);
    expect([got(), resumed, pool.used]).toEqual(["abcde", 1, 0]);
    // The client keeps up again.
    expect([send(flow, "f"), pool.used]).toEqual([true, 0]);
    flow.end("X: 1\r\n");
    expect([got(), client.trailers]).toEqual(["abcdef", "X: 1\r\n"]);
    expect(send(flow, "g")).toBe(true);
    expect([got(), used]).toEqual(["abcdef", 0]);
  });

  test("ends after its bytes, once", () => {
    const flow = open();
    client.takes = false;
    send(flow, "a");
    send(flow, "b");
    flow.end("");
    expect(client.isEnded).toBe(false);
    flow.drained();
    expect([got(), client.isEnded]).toEqual(["ab", true]);
    client.trailers = undefined;
    flow.end("");
    flow.drained();
    flow.failLate(new TurnpikeError("internal", "late"));
    expect([client.isEnded, client.error]).toEqual([false, ""]);
  });

  test("is limited with its bytes on the disk", () => {
    const flow = open({ maxBytes: 2 * PIECE });
    client.takes = false;
    expect(["a", "b", "c"].map((letter) => send(flow, letter))).toEqual([true, true, false]);
  });

  test("fails without memory", () => {
    pool = new BufferPool({ bufferSize: PIECE, bufferCount: 1, reserve: 0 });
    const flow = open();
    client.takes = false;
    send(flow, "a");
    send(flow, "b");
    expect(failures).toEqual([]);
    send(flow, "c");
    expect(failures).toEqual(["overloaded"]);
  });

  test("is dropped with its request, and returns its memory", () => {
    const flow = open();
    client.takes = false;
    send(flow, "a");
    send(flow, "b");
    flow.drop();
    drain(flow);
    flow.end("");
    flow.drop();
    expect([got(), pool.used, client.isEnded]).toEqual(["a", 0, false]);
  });

  test("is cut off if an error comes after its end", () => {
    const flow = open();
    client.takes = false;
    send(flow, "a");
    send(flow, "b");
    flow.end("");
    flow.failLate(new TurnpikeError("upstream-timeout", "late"));
    expect([client.error, pool.used]).toEqual(["aborted: upstream-timeout", 0]);
    const plain = open();
    plain.failLate(new TurnpikeError("internal", "late"));
    expect(client.error).toBe("aborted: upstream-timeout");
  });
});

describe("a response to a client that stays slow", () => {
  test("goes to the disk after a quarter of a second, and comes back in order", async () => {
    const flow = open();
    client.takes = false;
    for (const letter of "abcde") send(flow, letter);
    clock.advance(SLOW_MS - 20);
    expect(used).toBe(0);
    clock.advance(40);
    expect(used).toBe(BLOCK_BYTES);
    await until(() => resumed > 0);
    for (const letter of "fghijk") send(flow, letter);
    await until(() => pool.used < PIECE);
    expect([got(), used]).toEqual(["a", 3 * BLOCK_BYTES]);
    flow.end("X: 1\r\n");
    drain(flow);
    await until(() => client.isEnded);
    expect([got(), client.body.length, client.trailers]).toEqual(["abcdefghijk", 11 * PIECE, "X: 1\r\n"]);
    expect([used, pool.used]).toEqual([0, 0]);
  });

  test("is not slow by the time in which nothing waited for it", () => {
    const flow = open();
    client.takes = false;
    send(flow, "a");
    clock.advance(1000);
    drain(flow);
    client.takes = false;
    for (const letter of "bcde") send(flow, letter);
    clock.advance(SLOW_MS - 20);
    expect(used).toBe(0);
    clock.advance(40);
    expect(used).toBe(BLOCK_BYTES);
  });

  test("is slow by the sum of its waits", () => {
    const flow = open();
    for (let i = 0; i < 2; i++) {
      client.takes = false;
      send(flow, "a");
      send(flow, "b");
      clock.advance(100);
      drain(flow);
      clock.advance(1000);
    }
    expect(used).toBe(0);
    client.takes = false;
    send(flow, "c");
    send(flow, "d");
    clock.advance(80);
    expect(used).toBe(BLOCK_BYTES);
  });

  test("is slow also if its client takes a piece now and then", () => {
    const flow = open();
    client.takes = false;
    for (const letter of "abcd") send(flow, letter);
    clock.advance(150);
    flow.drained();
    expect([got(), used]).toEqual(["ab", 0]);
    clock.advance(80);
    expect(used).toBe(0);
    clock.advance(40);
    expect(used).toBe(BLOCK_BYTES);
  });

  test("stays in memory with less than 64 KiB", () => {
    const flow = open();
    client.takes = false;
    send(flow, "a");
    send(flow, "b", PIECE - 1);
    clock.advance(2000);
    expect(used).toBe(0);
    send(flow, "c", 1);
    expect(used).toBe(BLOCK_BYTES);
  });

  test("stays in memory without room on the disk, which is tried again", async () => {
    const flow = open({ disk: 0 });
    client.takes = false;
    for (const letter of "abc") send(flow, letter);
    clock.advance(2000);
    expect([used, pool.used]).toEqual([0, 2 * PIECE]);
    flow.end("");
    drain(flow);
    await until(() => client.isEnded);
    expect(got()).toBe("abc");
  });

  test("stays in memory after a failed write, which returns its block, and goes to the disk half a second later", async () => {
    using write = spyOn(Spool.prototype, "write").mockImplementationOnce((_extent, _piece, done) => done(false));
    const flow = open();
    client.takes = false;
    for (const letter of "abcde") send(flow, letter);
    clock.advance(SLOW_MS + 20);
    expect([write.mock.calls.length, used, pool.used]).toEqual([1, 0, MEMORY_PIECES * PIECE]);
    clock.advance(460);
    expect([write.mock.calls.length, used, resumed]).toEqual([1, 0, 0]);
    clock.advance(60);
    expect(used).toBe(BLOCK_BYTES);
    await until(() => pool.used < PIECE && used === BLOCK_BYTES);
    expect(resumed).toBe(1);
    flow.end("");
    drain(flow);
    await until(() => client.isEnded);
    expect([got(), client.body.length, used, pool.used]).toEqual(["abcde", 5 * PIECE, 0, 0]);
  });

  test("goes on if its client accepts more during a write that fails", async () => {
    const finish: ((written: boolean) => void)[] = [];
    using write = spyOn(Spool.prototype, "write").mockImplementationOnce((_extent, _piece, done) => {
      finish.push(done);
    });
    const flow = open();
    client.takes = false;
    for (const letter of "abc") send(flow, letter);
    clock.advance(SLOW_MS + 20);
    drain(flow);
    flow.end("");
    // The bytes that are being written must stay.
    expect([got(), used, client.isEnded]).toEqual(["a", BLOCK_BYTES, false]);
    finish[0]?.(false);
    expect([got(), client.isEnded, used, pool.used, write.mock.calls.length]).toEqual(["abc", true, 0, 0, 1]);
  });

  test("fails if its bytes cannot be read back", async () => {
    using read = spyOn(Spool.prototype, "read").mockImplementation((_extent, _length, done) => done(undefined));
    const flow = open();
    client.takes = false;
    for (const letter of "abc") send(flow, letter);
    clock.advance(2 * SLOW_MS);
    await until(() => pool.used === 0);
    drain(flow);
    expect([failures, got(), read.mock.calls.length]).toEqual([["internal"], "a", 1]);
    flow.drop();
    expect(used).toBe(0);
  });

  test("returns its blocks when it is dropped during a write", async () => {
    const flow = open();
    client.takes = false;
    for (const letter of "abc") send(flow, letter);
    clock.advance(2 * SLOW_MS);
    expect(used).toBe(BLOCK_BYTES);
    flow.drop();
    await until(() => used === 0);
    expect([got(), pool.used, failures]).toEqual(["a", 0, []]);
  });

  test.each([[Buffer.alloc(PIECE)], [undefined]])(
    "returns its blocks when it is dropped during a read",
    async (bytes) => {
      const finish: ((bytes: Buffer | undefined) => void)[] = [];
      using read = spyOn(Spool.prototype, "read").mockImplementationOnce((_extent, _length, done) => {
        finish.push(done);
      });
      const flow = open();
      client.takes = false;
      for (const letter of "abc") send(flow, letter);
      clock.advance(2 * SLOW_MS);
      await until(() => pool.used === 0);
      drain(flow);
      flow.drop();
      // The block must stay until the read has ended.
      expect(used).toBe(BLOCK_BYTES);
      finish[0]?.(bytes);
      expect([used, got(), failures, read.mock.calls.length]).toEqual([0, "a", [], 1]);
    },
  );

  test("stops when the client is slow again, and goes on", async () => {
    const flow = open();
    client.takes = false;
    for (const letter of "abcd") send(flow, letter);
    clock.advance(2 * SLOW_MS);
    await until(() => pool.used === 0);
    const before = client.pieces.length;
    flow.drained();
    await until(() => client.pieces.length > before);
    expect([got().startsWith("ab"), got().endsWith("d")]).toEqual([true, false]);
    drain(flow);
    flow.end("");
    await until(() => client.isEnded);
    expect([got(), client.body.length, used]).toEqual(["abcd", 4 * PIECE, 0]);
  });
});
