import { afterEach, beforeEach, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { until } from "../../../../lib/testing/until.ts";
import { LEASE_MS } from "../../../../store/ledger.ts";
import { openStore } from "../../../../store/open/open-store.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { ResponseDisk, type ResponseDiskOptions } from "./response-disk.ts";
import { type PaidResponse } from "./response-store.ts";
import { BufferedResponse } from "./buffered-response.ts";
import { closeShops, openShop, type Shop, type ShopOptions } from "../testing/shop.ts";
import { TestExchange } from "../testing/test-gateway.ts";

const GOODS = randomBytes(700_000);
const PIECE_BYTES = 50_000;

let folder: string;
const disks: ResponseDisk[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-long-"));
});

afterEach(async () => {
  await closeShops();
  for (const disk of disks.splice(0)) await disk.close();
  rmSync(folder, { recursive: true });
});

function openDisk(options: Partial<ResponseDiskOptions> = {}): ResponseDisk {
  const disk = new ResponseDisk({
    folder: join(folder, "answers"),
    maxBytes: 10_000_000,
    now: Date.now,
    log: () => {},
    ...options,
  });
  disks.push(disk);
  return disk;
}

function openLong(options: ShopOptions = {}): { shop: Shop; disk: ResponseDisk } {
  const disk = options.disk ?? openDisk();
  return { shop: openShop({ upstream: (exchange) => sendGoods(exchange), ...options, disk }), disk };
}

/** Sends the goods up to `end`, and waits when the sink is full. */
async function sendPieces(exchange: Exchange, bodyLength: number, end = GOODS.length): Promise<void> {
  exchange.response.start({ status: 200, reason: "", fields: "X-Kind: long\r\n", bodyLength });
  for (let at = 0; at < end; at += PIECE_BYTES) {
    const drained = Promise.withResolvers<void>();
    exchange.onDrain = () => drained.resolve();
    if (!exchange.response.data(GOODS, at, Math.min(at + PIECE_BYTES, end))) await drained.promise;
  }
}

async function sendGoods(exchange: Exchange, bodyLength = GOODS.length, trailers = ""): Promise<void> {
  await sendPieces(exchange, bodyLength);
  exchange.response.end(trailers);
}

function sendAtOnce(exchange: Exchange): void {
  exchange.response.start({ status: 200, reason: "", fields: "", bodyLength: GOODS.length });
  exchange.response.data(GOODS);
  exchange.response.end("");
}

function files(): string[] {
  return readdirSync(join(folder, "answers")).filter((name) => !name.startsWith("index.db"));
}

async function isGoods(response: Response): Promise<boolean> {
  return Buffer.from(await response.arrayBuffer()).equals(GOODS);
}

test("a response too long for memory is sold from the disk, with and without a known length", async () => {
  for (const bodyLength of [GOODS.length, -1]) {
    const { shop, disk } = openLong({ upstream: (exchange) => sendGoods(exchange, bodyLength) });
    const payment = shop.payment();
    const response = await shop.send(payment);
    expect([response.status, response.headers.get("x-kind"), await isGoods(response)]).toEqual([200, "long", true]);
    expect([shop.bodies.used, shop.logged]).toEqual([0, []]);
    const again = await shop.send(payment);
    expect([again.status, await isGoods(again), shop.runs, shop.settlements]).toEqual([200, true, 1, 1]);
    await until(() => disk.openFiles === 0);
  }
});

test("another process with the same ledger and folder sends a response that the first one sold", async () => {
  const store = openStore(join(folder, "turnpike.db"));
  const { shop: first } = openLong({ store });
  const { shop: second, disk } = openLong({ store });
  const short = openShop({ store, disk });
  const [long, small] = [first.payment(), first.payment()];
  expect((await first.send(long)).status).toBe(200);
  expect((await short.send(small)).status).toBe(200);
  const again = await second.send(long);
  expect([again.status, await isGoods(again), second.runs]).toEqual([200, true, 0]);
  const smallAgain = await second.send(small);
  expect([smallAgain.status, await smallAgain.text(), second.runs]).toEqual([200, "the goods", 0]);
  expect(second.bodies.used).toBe(0);
});

test("a damaged kept response is not sent again, not even in part", async () => {
  const { shop, disk } = openLong();
  const payment = shop.payment();
  expect(await isGoods(await shop.send(payment))).toBe(true);
  const path = join(folder, "answers", files()[0] ?? "");
  await Bun.write(path, (await Bun.file(path).bytes()).subarray(0, 600_000));
  const again = await shop.send(payment);
  expect([again.status, shop.runs]).toEqual([409, 1]);
  expect(files()).toEqual([]);
  await until(() => disk.openFiles === 0);
});

test("an upstream that aborts a half written response is not paid, and nothing is left", async () => {
  const { shop, disk } = openLong({
    upstream: async (exchange) => {
      await sendPieces(exchange, GOODS.length, 500_000);
      exchange.response.abort(new TurnpikeError("upstream-failed", "It went away"));
    },
  });
  const payment = shop.payment();
  expect((await shop.send(payment)).status).toBe(502);
  await until(() => disk.openFiles === 0);
  expect([files(), shop.bodies.used, shop.settlements]).toEqual([[], 0, 0]);
  expect(await shop.recorded(payment)).toMatchObject({ state: "released" });
});

test("a client that disconnects while its response is written is not charged, and nothing is left", async () => {
  const half = Promise.withResolvers<void>();
  const rest = Promise.withResolvers<void>();
  const { shop, disk } = openLong({
    upstream: async (exchange) => {
      await sendPieces(exchange, -1, 500_000);
      half.resolve();
      await rest.promise;
      exchange.response.end("");
    },
  });
  const payment = shop.payment();
  const client = new AbortController();
  const sent = shop.send(payment, { signal: client.signal }).catch(() => {});
  await half.promise;
  client.abort();
  await sent;
  await until(() => disk.openFiles === 0);
  rest.resolve();
  expect([files(), shop.bodies.used]).toEqual([[], 0]);
  await until(async () => (await shop.recorded(payment))?.state === "released");
  expect(shop.settlements).toBe(0);
});

test("a client that disconnects during the settlement gets its response when it retries", async () => {
  const begun = Promise.withResolvers<void>();
  const going = Promise.withResolvers<void>();
  const { shop, disk } = openLong({
    facilitator: (real) => ({
      async settle(...payment) {
        begun.resolve();
        await going.promise;
        return real.settle(...payment);
      },
    }),
  });
  const payment = shop.payment();
  const client = new AbortController();
  const sent = shop.send(payment, { signal: client.signal }).catch(() => {});
  await begun.promise;
  client.abort();
  await sent;
  await until(() => shop.gateway.last()?.gone === true);
  going.resolve();
  await until(() => disk.openFiles === 0 && files().length === 1);
  shop.clock.now += LEASE_MS + 1;
  const again = await shop.send(payment);
  expect([again.status, await isGoods(again), shop.runs, shop.settlements]).toEqual([200, true, 1, 1]);
});

test("while pending responses take the whole disk, another is refused, not charged, and can be retried", async () => {
  const rest = Promise.withResolvers<void>();
  const half = Promise.withResolvers<void>();
  let runs = 0;
  const { shop, disk } = openLong({
    disk: openDisk({ maxBytes: 1_000_000 }),
    upstream: async (exchange) => {
      runs++;
      // Head and body at once, as from a socket.
      if (runs === 3) return sendAtOnce(exchange);
      if (runs > 1) return sendGoods(exchange);
      await sendPieces(exchange, GOODS.length, 500_000);
      half.resolve();
      await rest.promise;
      for (let at = 500_000; at < GOODS.length; at += PIECE_BYTES) {
        exchange.response.data(GOODS, at, at + PIECE_BYTES);
      }
      exchange.response.end("");
    },
  });
  const first = shop.send(shop.payment());
  await half.promise;
  const payment = shop.payment();
  const refused = await shop.send(payment);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await refused.json()).toMatchObject({ type: "urn:turnpike:error:overloaded" });
  expect(await shop.recorded(payment)).toMatchObject({ state: "released" });
  expect(shop.settlements).toBe(0);
  // An announced length stops counting when its response is refused.
  const announced = shop.send(shop.payment());
  expect((await announced).status).toBe(503);
  rest.resolve();
  expect(await isGoods(await first)).toBe(true);
  expect(shop.bodies.used).toBe(0);
  // The first response is now kept, and is displaced.
  expect(await isGoods(await shop.send(payment))).toBe(true);
  expect([files().length, disk.account.bytes < 1_000_000, shop.settlements]).toEqual([1, true, 2]);
});

test("a response longer than any disk limit is the upstream's fault, and free", async () => {
  const { shop } = openLong({ disk: openDisk({ maxBytes: 600_000 }) });
  const payment = shop.payment();
  expect((await shop.send(payment)).status).toBe(502);
  expect(await shop.recorded(payment)).toMatchObject({ state: "released" });
  expect(files()).toEqual([]);
});

test("a response to HEAD uses no disk, whatever its length", async () => {
  const { shop } = openLong({
    upstream(exchange) {
      exchange.response.start({ status: 200, reason: "", fields: "", bodyLength: 5_000_000 });
      exchange.response.end("");
    },
  });
  const payment = shop.payment();
  for (let i = 0; i < 2; i++) {
    const response = await shop.send(payment, { method: "HEAD" });
    expect([response.status, response.headers.get("content-length")]).toEqual([200, "5000000"]);
  }
  expect([files(), shop.runs]).toEqual([[], 1]);
});

/** Buffers the response that `answer` sends, without a payment. */
async function held(
  isGrpc: boolean,
  response: (exchange: Exchange) => Promise<void>,
): Promise<{ shop: Shop; told: (PaidResponse | "unpaid" | TurnpikeError)[]; exchange: TestExchange }> {
  const { shop } = openLong();
  const exchange = new TestExchange(new Request("http://a.test/goods"));
  Object.assign(exchange.head, { isGrpc });
  const told: (PaidResponse | "unpaid" | TurnpikeError)[] = [];
  const events = {
    complete: (whole: PaidResponse) => void told.push(whole),
    unpaid: () => void told.push("unpaid"),
    broken: (error: TurnpikeError) => void told.push(error),
  };
  // The buffered response is now the exchange's sink.
  void new BufferedResponse({ exchange, responses: shop.responses, isFree: () => false, receipt: "" }, events);
  await response(exchange);
  await until(() => told.length > 0);
  return { shop, told, exchange };
}

test("trailers are kept with a long response, except forged payment fields", async () => {
  const { shop, told } = await held(false, (exchange) =>
    sendGoods(exchange, -1, "X-Sum: 1\r\nPayment-Response: forged\r\n"),
  );
  const [whole] = told;
  if (whole === undefined || whole === "unpaid" || whole instanceof TurnpikeError) throw new Error("It is not whole");
  await shop.responses.keep("key", whole, Date.now() + 60_000);
  shop.responses.release(whole);
  const again = await shop.responses.get("key", Date.now());
  expect(again).toMatchObject({ trailers: "X-Sum: 1\r\n", size: GOODS.length, head: { bodyLength: GOODS.length } });
  if (again !== undefined) shop.responses.release(again);
  await until(() => shop.responses.disk?.openFiles === 0);
});

test("a long gRPC call is sold if it succeeds, and passed on whole if it fails", async () => {
  const sold = await held(true, (exchange) => sendGoods(exchange, -1, "Grpc-Status: 0\r\n"));
  expect(sold.told).toMatchObject([{ trailers: "Grpc-Status: 0\r\n", size: GOODS.length }]);
  const [whole] = sold.told;
  if (typeof whole === "object" && "body" in whole) sold.shop.responses.release(whole);
  const failed = await held(true, (exchange) => sendGoods(exchange, -1, "Grpc-Status: 13\r\n"));
  expect(failed.told).toEqual(["unpaid"]);
  expect(await isGoods(await failed.exchange.received)).toBe(true);
  await until(() => failed.shop.responses.disk?.openFiles === 0);
  expect([files(), failed.shop.bodies.used]).toEqual([[], 0]);
});
