import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BufferPool } from "../../../../lib/memory/buffer-pool.ts";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { until } from "../../../../lib/testing/until.ts";
import { type ResponseHead } from "../../../exchange/exchange.ts";
import { TestExchange } from "../testing/test-gateway.ts";
import { ResponseDisk } from "./response-disk.ts";
import { ResponseFile } from "./response-file.ts";
import { type PaidResponse, ResponseStore } from "./response-store.ts";
import { BufferedResponse } from "./buffered-response.ts";

const MOST = 1000;
const IN_MEMORY = 131_072;
const ERROR = new TurnpikeError("upstream-failed", "it broke off");

const disks: { disk: ResponseDisk; folder: string }[] = [];
afterEach(async () => {
  for (const { disk, folder } of disks.splice(0)) {
    await disk.close();
    rmSync(folder, { recursive: true });
  }
});

function headOf(status: number, bodyLength = -1, changes: Partial<ResponseHead> = {}): ResponseHead {
  return { status, reason: "", fields: "A: 1\r\nPAYMENT-RESPONSE: forged\r\n", bodyLength, ...changes };
}

interface Rig {
  readonly exchange: TestExchange;
  readonly held: BufferedResponse;
  readonly pool: BufferPool;
  readonly told: unknown[];
  readonly cancelled: { count: number };
}

interface RigOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isGrpc?: boolean;
  readonly isFree?: (status: number) => boolean;
  readonly receipt?: string;
  readonly room?: number;
  /** Bytes of disk. Absent: no disk. */
  readonly disk?: number;
}

/** A buffered response, and the calls to its host. */
function buffered(options: RigOptions = {}): Rig {
  const {
    method = "GET",
    headers = {},
    isGrpc = false,
    isFree = (status) => status >= 400,
    receipt = "",
    room = 10_000_000,
  } = options;
  const exchange = new TestExchange(new Request("http://a.test/", { method, headers }));
  Object.assign(exchange.head, { isGrpc });
  const pool = new BufferPool({ bufferSize: 1, bufferCount: room, reserve: 0 });
  const responses = new ResponseStore(pool, { maxResponseBytes: MOST, maxEntries: 1 });
  if (options.disk !== undefined) {
    const folder = mkdtempSync(join(tmpdir(), "turnpike-held-"));
    const disk = new ResponseDisk({ folder, maxBytes: options.disk, now: () => 0, log: () => {} });
    disks.push({ disk, folder });
    responses.disk = disk;
  }
  const told: unknown[] = [];
  const cancelled = { count: 0 };
  exchange.onCancel = () => void (cancelled.count += 1);
  const held = new BufferedResponse(
    { exchange, responses, isFree, receipt },
    {
      complete: (response) => told.push(response),
      unpaid: () => told.push("unpaid"),
      broken: (error) => told.push(error),
    },
  );
  return { exchange, held, pool, told, cancelled };
}

function send(held: BufferedResponse, length: number): boolean {
  return held.data(new Uint8Array(length + 2), 1, length + 1);
}

describe("a sold response", () => {
  test("is complete, with its length and without forged payment fields, and the exchange has its own sink again", () => {
    const { exchange, held, pool, told } = buffered();
    expect(exchange.response).toBe(held);
    held.start(headOf(103));
    expect(exchange.interim).toEqual([]);
    held.start(headOf(200));
    held.start(headOf(500));
    expect([held.data(Buffer.from("xhellox"), 1, 6), held.data(Buffer.from("")), held.data(Buffer.from("!"))]).toEqual([
      true,
      true,
      true,
    ]);
    expect([pool.used, told.length, exchange.started]).toEqual([6, 0, false]);
    held.end("PAYMENT-RESPONSE: forged\r\nX-Sum: 1\r\n");
    expect(told).toEqual([
      {
        head: { status: 200, reason: "", fields: "A: 1\r\n", bodyLength: 6 },
        body: [expect.any(Uint8Array), expect.any(Uint8Array)],
        trailers: "X-Sum: 1\r\n",
        size: 6,
      },
    ]);
    const [{ body }] = told as [PaidResponse];
    expect(Buffer.concat(body as Uint8Array[]).toString()).toBe("hello!");
    expect(exchange.response).toBe(exchange);
    held.end("");
    held.abort(ERROR);
    expect(told).toHaveLength(1);
  });

  test("is not resumed by a drain of the client while it is held", () => {
    const { exchange, held } = buffered();
    let drains = 0;
    exchange.onDrain = () => void drains++;
    held.start(headOf(200));
    send(held, 5);
    exchange.lastStage?.drained();
    expect(drains).toBe(0);
    held.end("");
    // The response is sent now, by another sender.
    exchange.lastStage?.drained();
    expect(drains).toBe(1);
  });

  test("uses no more memory than its bytes, unless it fills half of its buffers", () => {
    const { held, told } = buffered();
    held.start(headOf(200));
    const large = Buffer.alloc(100).buffer.slice(0, 100);
    held.data(new Uint8Array(large), 0, 49);
    held.data(new Uint8Array(large), 0, 50);
    held.end("");
    const [{ body }] = told as [PaidResponse];
    expect((body as Uint8Array[]).map(({ buffer }) => buffer.byteLength)).toEqual([49, 100]);
  });

  test.each([
    ["a HEAD", "HEAD", 200, {}],
    ["no content", "GET", 204, {}],
    ["nothing new", "GET", 304, { "if-none-match": '"a"' }],
    ["nothing new since then", "GET", 304, { "if-modified-since": "Mon, 23 Nov 2026 00:00:00 GMT" }],
  ])("has the announced length without a body: %s", (_what, method, status, headers) => {
    const { held, told } = buffered({ method, headers });
    held.start(headOf(status, MOST + 1));
    held.end("");
    expect(told).toMatchObject([{ head: { status, bodyLength: MOST + 1 }, size: 0 }]);
  });

  test.each([4, 6])("of %d bytes that announced 5 is invalid", (length) => {
    const { held, pool, told, cancelled } = buffered();
    held.start(headOf(200, 5));
    send(held, length);
    held.end("");
    expect(told).toMatchObject([
      { code: "upstream-failed", message: expect.stringContaining("differs from its Content-Length") },
    ]);
    expect([pool.used, cancelled.count]).toEqual([0, 1]);
  });
});

describe("a response that cannot be buffered", () => {
  test("is too long, by its announced length or its bytes", () => {
    const announced = buffered();
    announced.held.start(headOf(200, MOST));
    expect(announced.told).toEqual([]);
    const more = buffered();
    more.held.start(headOf(200, MOST + 1));
    expect(more.told).toMatchObject([
      { code: "response-too-large", message: expect.stringContaining(`${MOST} bytes`) },
    ]);
    const growing = buffered();
    growing.held.start(headOf(200));
    send(growing.held, MOST);
    expect(growing.told).toEqual([]);
    expect(send(growing.held, 1)).toBe(true);
    expect(growing.told).toMatchObject([{ code: "response-too-large" }]);
    expect([growing.pool.used, growing.cancelled.count]).toEqual([0, 1]);
    // Later bytes are discarded.
    expect(send(growing.held, 5)).toBe(true);
    growing.held.end("");
    expect([growing.pool.used, growing.told.length]).toEqual([0, 1]);
  });

  test("has no memory", () => {
    const { held, pool, told, cancelled } = buffered({ room: 2 * MOST });
    // Another response uses the rest.
    pool.take(2 * MOST - 10);
    held.start(headOf(200));
    send(held, 10);
    expect(told).toEqual([]);
    expect(send(held, 1)).toBe(true);
    expect(told).toMatchObject([{ code: "overloaded" }]);
    expect([pool.free, cancelled.count]).toEqual([10, 1]);
  });

  test("is a 304 to a request without a condition", () => {
    const { held, told, cancelled } = buffered({ headers: { "if-match": '"a"' } });
    held.start(headOf(304));
    held.end("");
    expect([told, cancelled.count]).toMatchObject([[{ code: "upstream-failed" }], 1]);
  });

  test.each([
    [101, "A: 1\r\n", "not-implemented"],
    [200, "Content-Type: text/event-stream; charset=utf-8\r\n", "not-implemented"],
    [206, "Content-Type: TEXT/EVENT-STREAM\r\n", "not-implemented"],
    [304, "A: 1\r\n", "upstream-failed"],
  ])("has no end or is for another request, with status %d and %j, and what follows is discarded", (...row) => {
    const [status, fields, code] = row;
    const { exchange, held, pool, told, cancelled } = buffered({ headers: { "if-match": '"a"' } });
    held.start(headOf(status, -1, { fields }));
    held.start(headOf(200));
    send(held, 5);
    held.end("");
    held.abort(ERROR);
    expect([told, cancelled.count]).toMatchObject([[{ code }], 1]);
    expect([pool.used, exchange.started]).toEqual([0, false]);
  });

  test.each([
    [200, "Content-Type: text/event-stream-like\r\n"],
    [200, "Content-Type: text/plain; of=text/event-stream\r\n"],
  ])("has an end, with status %d and %j", (status, fields) => {
    const { held, told } = buffered();
    held.start(headOf(status, -1, { fields }));
    held.end("");
    expect(told).toMatchObject([{ size: 0 }]);
  });

  test("is aborted by the upstream, before or after its head", () => {
    for (const begun of [false, true]) {
      const { exchange, held, pool, told, cancelled } = buffered();
      if (begun) held.start(headOf(200));
      if (begun) send(held, 5);
      held.abort(ERROR);
      held.abort(ERROR);
      expect([told, pool.used, cancelled.count]).toEqual([[ERROR], 0, 0]);
      expect(exchange.response).toBe(exchange);
    }
  });

  test("is dropped without a report", () => {
    const { exchange, held, pool, told } = buffered();
    held.start(headOf(200));
    send(held, 5);
    held.drop();
    held.end("");
    expect([told, pool.used]).toEqual([[], 0]);
    expect(exchange.response).toBe(exchange);
  });
});

describe("an unsold response", () => {
  test("passes unchanged, and is reported first", async () => {
    const { exchange, held, pool, told } = buffered();
    held.start(headOf(404, 2));
    expect(told).toEqual(["unpaid"]);
    expect(held.data(Buffer.from("xnox"), 1, 3)).toBe(true);
    held.end("PAYMENT-RESPONSE: forged\r\n");
    const response = await exchange.received;
    expect([response.status, response.headers.get("payment-response"), await response.text()]).toEqual([
      404,
      null,
      "no",
    ]);
    expect([pool.used, response.headers.has("cache-control")]).toEqual([0, false]);
  });

  test("waits for a slow client, and is cut off with the upstream's", async () => {
    const { exchange, held, told } = buffered();
    held.start(headOf(500));
    exchange.slow = true;
    expect(held.data(Buffer.from("x"))).toBe(false);
    held.abort(ERROR);
    expect(told).toEqual(["unpaid"]);
    expect((await exchange.received).text()).rejects.toThrow("it broke off");
  });

  test.each([
    ["a success that is free", "", headOf(200), true],
    ["a failure that was paid for", "PAYMENT-RESPONSE: r\r\n", headOf(500), true],
    ["a call that failed", "", headOf(200, -1, { grpcStatus: 5 }), false],
  ])("%s is private if other clients can pay for the same resource", async (_what, receipt, head, isPrivate) => {
    const { exchange, held } = buffered({ isFree: () => true, receipt });
    held.start(head);
    held.end("");
    const { headers } = await exchange.received;
    expect([headers.get("cache-control"), headers.get("payment-response")]).toEqual([
      isPrivate ? "private" : null,
      receipt === "" ? null : "r",
    ]);
  });

  test("is a gRPC call whose end reports a failure, or no status", async () => {
    for (const [trailers, head] of [
      ["grpc-status: 5\r\n", {}],
      ["", {}],
      ["grpc-status: 5\r\n", { grpcStatus: 0 }],
    ] as const) {
      const { exchange, held, pool, told } = buffered({ isGrpc: true });
      held.start(headOf(200, -1, head));
      send(held, 3);
      held.end(trailers);
      expect(told).toEqual(["unpaid"]);
      expect((await (await exchange.received).arrayBuffer()).byteLength).toBe(3);
      await until(() => pool.used === 0);
    }
    const { held, told } = buffered({ isGrpc: true });
    held.start(headOf(200));
    held.end("grpc-status: 0\r\n");
    expect(told).toMatchObject([{ size: 0 }]);
  });
});

describe("a long response", () => {
  const DISK = 1_000_000;

  test.each([
    ["announced", IN_MEMORY + 1],
    ["not announced", -1],
  ])("is in a file: %s", async (_what, announced) => {
    const { held, pool, told } = buffered({ disk: DISK });
    held.start(headOf(200, announced));
    for (let sent = 0; sent < IN_MEMORY; sent += 1024) send(held, 1024);
    send(held, 1);
    held.end("");
    await until(() => told.length > 0);
    expect(told).toMatchObject([{ size: IN_MEMORY + 1, head: { bodyLength: IN_MEMORY + 1 } }]);
    const [{ body }] = told as [PaidResponse];
    expect(body).toBeInstanceOf(ResponseFile);
    if (body instanceof ResponseFile) body.release();
    await until(() => pool.used === 0);
  });

  test("that fits into memory is not in a file", () => {
    const { held, told } = buffered({ disk: DISK });
    held.start(headOf(200, IN_MEMORY));
    send(held, IN_MEMORY);
    held.end("");
    expect(told).toMatchObject([{ size: IN_MEMORY, body: [expect.any(Uint8Array)] }]);
  });

  test("without room on the disk is refused, and is too long if it could never fit", async () => {
    const { held, pool, told } = buffered({ disk: DISK });
    held.start(headOf(200, DISK));
    expect(told).toEqual([]);
    held.drop();
    const more = buffered({ disk: DISK });
    more.held.start(headOf(200, DISK + 1));
    expect(more.told).toMatchObject([{ code: "response-too-large" }]);
    const full = buffered({ disk: DISK });
    full.held.start(headOf(200, DISK - 1));
    await until(() => full.told.length > 0);
    expect(full.told).toMatchObject([{ code: "overloaded", message: expect.stringContaining("disk") }]);
    expect([pool.used, full.pool.used, full.cancelled.count]).toEqual([0, 0, 1]);
  });

  test.each([
    ["announced", IN_MEMORY + 1],
    ["not announced", -1],
  ])("is refused while too many files are open: %s", (_what, announced) => {
    const { held, pool, told, cancelled } = buffered({ disk: DISK });
    const disk = disks.at(-1)?.disk;
    const others = [];
    const nothing = { written: () => {}, onDrain: () => {}, onBroken: () => {} };
    while (disk?.admits() === true) others.push(disk.openDiskBuffer(-1, nothing));
    held.start(headOf(200, announced));
    send(held, IN_MEMORY + 1);
    expect(told).toMatchObject([{ code: "overloaded", message: expect.stringContaining("wait for settlement") }]);
    expect([pool.used, cancelled.count]).toEqual([0, 1]);
    for (const other of others) other?.drop();
  });

  test("that is dropped during its last write leaves nothing", async () => {
    const { held, pool, told } = buffered({ disk: DISK });
    held.start(headOf(200));
    send(held, IN_MEMORY + 5);
    held.end("");
    held.drop();
    await until(() => pool.used === 0 && disks[0]?.disk.openFiles === 0);
    expect(told).toEqual([]);
  });
});
