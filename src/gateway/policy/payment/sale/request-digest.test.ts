import { afterEach, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { until } from "../../../../lib/testing/until.ts";
import { encodeHeader } from "../../../../payments/x402/header.ts";
import { type PaymentPayload } from "../../../../payments/x402/messages.ts";
import { PAYER } from "../../../../payments/testing/payment.ts";
import { type Change, LEASE_MS } from "../../../../store/ledger.ts";
import { GatheredBody } from "../../gathered-body.ts";
import { jsonBounds } from "../../json-body.ts";
import { OTHER_BODY, RequestDigest } from "./request-digest.ts";
import { closeShops, counted, openShop, type Shop, type ShopOptions } from "../testing/shop.ts";
import { respondWith, TestExchange } from "../testing/test-gateway.ts";

afterEach(closeShops);

const MIB = 1_048_576;

/** Calls `whole` with the whole body, and `begun` with each piece. */
function read(exchange: TestExchange, whole: (body: string) => void, begun: () => void = () => {}): void {
  const pieces: Buffer[] = [];
  exchange.body.readTo({
    data(chunk, start = 0, end = chunk.length) {
      pieces.push(Buffer.from(chunk.subarray(start, end)));
      begun();
      return true;
    },
    end: () => whole(Buffer.concat(pieces).toString()),
    abort: (error) => exchange.response.abort(error),
  });
}

function echo(exchange: TestExchange, status = 200): void {
  read(exchange, (body) => respondWith(exchange, status, `made of ${body}`));
}

/** The fields of all requests here: a retry is the same request. */
const FIELDS = { accept: "*/*", "accept-encoding": "identity", "content-type": "text/plain", "user-agent": "test" };

async function post(
  shop: Shop,
  payment: unknown,
  body: string | ReadableStream,
): Promise<[status: number, text: string]> {
  const response = await shop.send(payment, { method: "POST", body, headers: FIELDS });
  return [response.status, await response.text()];
}

/** A stream of unknown length. */
function chunked(text: string): ReadableStream {
  return new ReadableStream({
    // Bun's fetch knows the length of data that is there at once.
    async pull(controller) {
      await new Promise(setImmediate);
      controller.enqueue(Buffer.from(text));
      controller.close();
    },
  });
}

test("a payment in advance whose response failed is owed to the same body only, and the upstream gets no other", async () => {
  let status = 500;
  const shop = openShop({ terms: { settle: "before" }, upstream: (exchange) => echo(exchange, status) });
  const payment = shop.payment();
  expect(await post(shop, payment, "url=a")).toEqual([500, "made of url=a"]);
  status = 200;
  for (const other of ["url=b", "url=a and more", "", chunked("url=b"), chunked("url=a and more"), chunked("url")]) {
    const [refused, text] = await post(shop, payment, other);
    expect(refused).toBe(409);
    expect(text).toContain("another body");
  }
  expect((await shop.send(payment)).status).toBe(409);
  expect([shop.runs, shop.settlements, shop.bodies.used]).toEqual([1, 1, 0]);
  expect(await post(shop, payment, chunked("url=a"))).toEqual([200, "made of url=a"]);
  expect(await shop.recorded(payment)).toMatchObject({ delivered: true, cuts: 1 });
  expect(shop.bodies.used).toBe(0);
});

test("a client that cuts a paid response off just before its end gets no response to another body", async () => {
  const shop = openShop({
    terms: { settle: "before" },
    upstream: (exchange) =>
      read(exchange, (body) => {
        exchange.response.start({ status: 200, reason: "", fields: "", bodyLength: -1 });
        exchange.response.data(Buffer.from(`made of ${body}`));
      }),
  });
  const payment = shop.payment();
  for (const turn of [1, 2]) {
    const leaving = new AbortController();
    const reply = await shop.send(payment, { method: "POST", body: "url=a", headers: FIELDS, signal: leaving.signal });
    expect([reply.status, shop.runs]).toEqual([200, turn]);
    leaving.abort();
    await until(async () => (await post(shop, payment, "url=b"))[1].includes("another body"));
    expect(shop.runs).toBe(turn);
  }
  expect(await shop.recorded(payment)).toMatchObject({ state: "settled", delivered: false, cuts: 2 });
});

test("if a body breaks off while its response is made, the bytes already sent cannot change", async () => {
  const seen: string[] = [];
  const shop = openShop({
    terms: { settle: "before" },
    upstream: (exchange) =>
      read(
        exchange,
        (body) => {
          seen.push(body);
          respondWith(exchange, 200, `made of ${body}`);
        },
        () => {
          exchange.response.start({ status: 200, reason: "", fields: "", bodyLength: -1 });
          exchange.response.data(Buffer.from("so far"));
        },
      ),
  });
  const payment = shop.payment();
  const request = httpRequest(`${shop.gateway.url}/goods`, {
    method: "POST",
    headers: { ...FIELDS, "payment-signature": encodeHeader(payment) },
  });
  request.on("error", () => {});
  request.write("line 1\n");
  await once(request, "response");
  request.destroy();
  await until(async () => (await shop.recorded(payment))?.bodyDigest.startsWith("7+:") === true);
  await until(async () => (await post(shop, payment, "line 2\nline 3"))[1].includes("another body"));
  expect((await post(shop, payment, "line 1"))[0]).toBe(409);
  expect(seen).toEqual([]);
  expect(await shop.recorded(payment)).toMatchObject({ cuts: 1 });
});

test("a body that is too long to compare is not sent to the upstream once it is paid: the response stays owed", async () => {
  const shop = openShop({ terms: { settle: "before" }, upstream: (exchange) => echo(exchange, 500) });
  for (const body of ["x".repeat(MIB + 1), chunked("x".repeat(MIB + 1))]) {
    const payment = shop.payment();
    expect((await post(shop, payment, "x".repeat(MIB + 1)))[0]).toBe(500);
    const runs = shop.runs;
    const [status, text] = await post(shop, payment, body);
    expect([status, shop.runs, shop.bodies.used]).toEqual([409, runs, 0]);
    expect(text).toContain("The ledger keeps the payment");
    expect(await shop.recorded(payment)).toMatchObject({ state: "settled", delivered: false });
  }
});

test("a body in tiny pieces is gathered unchanged, in at most twice its bytes", async () => {
  let status = 500;
  const shop = openShop({ terms: { settle: "before" }, upstream: (exchange) => echo(exchange, status) });
  const long = Array.from({ length: 6_000 }, (_, i) => i % 10).join("");
  const payment = shop.payment();
  expect((await post(shop, payment, long))[0]).toBe(500);
  status = 200;
  let most = 0;
  const pieces = new ReadableStream<Uint8Array>({
    async start(controller) {
      for (const digit of long) {
        controller.enqueue(Buffer.from(digit));
        if (Number(digit) === 0) await new Promise(setImmediate);
        most = Math.max(most, shop.bodies.used);
      }
      controller.close();
    },
  });
  expect(await post(shop, payment, pieces)).toEqual([200, `made of ${long}`]);
  expect(most).toBeLessThanOrEqual(2 * long.length);
  expect(shop.bodies.used).toBe(0);
});

test("a kept response is sent for the same body only, any number of times", async () => {
  const shop = openShop({ upstream: echo });
  const payment = shop.payment();
  expect(await post(shop, payment, "url=a")).toEqual([200, "made of url=a"]);
  await until(async () => (await shop.recorded(payment))?.delivered === true);
  for (const other of ["url=b", "", chunked("url=b"), "url=aa"])
    expect(await post(shop, payment, other)).toEqual([409, expect.stringContaining("another body")]);
  for (const same of ["url=a", chunked("url=a")]) {
    expect(await post(shop, payment, same)).toEqual([200, "made of url=a"]);
  }
  expect([shop.runs, shop.settlements]).toEqual([1, 1]);
});

test("an owed response that is not kept is made again, and a response to another body is not released", async () => {
  const shop = openShop({
    upstream: echo,
    facilitator: () => ({
      settle: async () => ({ kind: "unknown", cause: "time-out", transaction: "" }),
      find: async () => ({ kind: "settled", transaction: "0xtx", payer: PAYER }),
    }),
  });
  const payment = shop.payment();
  expect((await post(shop, payment, "url=a"))[0]).toBe(503);
  shop.clock.now += 3_600_000 + LEASE_MS;
  for (const other of ["url=b", chunked("url=b"), "longer than that"]) {
    const [status, text] = await post(shop, payment, other);
    expect([status, text.includes("made of")]).toEqual([409, false]);
  }
  expect([counted(shop).losses, shop.logged.filter((line) => line.includes("ledger"))]).toEqual([
    { unknown: 1, used: 3 },
    [],
  ]);
  expect(await shop.recorded(payment)).toMatchObject({ state: "settled", delivered: false });
  expect(await post(shop, payment, "url=a")).toEqual([200, "made of url=a"]);
  expect(shop.settlements).toBe(1);
});

function sumOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

test("the digest covers the whole body, also of one that begins like the paid body", async () => {
  for (const begun of ["a", "abc", "abcdef"]) {
    const exchange = new TestExchange(new Request("http://shop.example/", { method: "POST", body: "abcdef" }));
    exchange.body = {
      readTo(sink) {
        for (const piece of "abcdef") sink.data(Buffer.from(piece));
        sink.end("");
      },
      pause() {},
      resume() {},
    };
    const digest = new RequestDigest(exchange, `${begun.length}+:${sumOf(begun)}`);
    digest.watch();
    await new Promise<string>((resolve) => read(exchange, resolve));
    expect([digest.fits, digest.spentOn]).toEqual([true, { bodyDigest: `6:${sumOf("abcdef")}` }]);
  }
});

test("a body that is not the paid one takes no memory once it is refused", async () => {
  const exchange = new TestExchange(new Request("http://shop.example/", { method: "POST", body: "abcdef" }));
  exchange.body = {
    readTo(sink) {
      sink.data(Buffer.from("abcdef"));
      sink.end("");
    },
    pause() {},
    resume() {},
  };
  let [used, most] = [0, 0];
  const memory = {
    take(bytes: number) {
      used += bytes;
      most = Math.max(most, used);
      return true;
    },
    give: (bytes: number) => void (used -= bytes),
  };
  const refusal = await new RequestDigest(exchange, `3+:${sumOf("xyz")}`).gather(memory);
  expect([refusal, used, most > 0]).toEqual([OTHER_BODY, 0, true]);
});

test("a ledger that fails while another body is refused, or a body is recorded, is logged, and nothing is delivered", async () => {
  let fails: ((change: Change) => boolean) | undefined;
  const ledger: NonNullable<ShopOptions["ledger"]> = (real) => ({
    async move(payment, change) {
      if (fails?.(change) !== true) return real.move(payment, change);
      fails = undefined;
      throw new Error("disk full");
    },
  });
  const after = openShop({
    upstream: echo,
    ledger,
    facilitator: () => ({
      settle: async () => ({ kind: "unknown", cause: "time-out", transaction: "" }),
      find: async () => ({ kind: "settled", transaction: "0xtx", payer: PAYER }),
    }),
  });
  const owed = after.payment();
  expect((await post(after, owed, "url=a"))[0]).toBe(503);
  after.clock.now += 3_600_000 + LEASE_MS;
  fails = ({ lease, delivered }) => !lease && delivered === false;
  const [status, text] = await post(after, owed, chunked("url=b"));
  expect([status, text.includes("made of")]).toEqual([409, false]);
  const before = openShop({ terms: { settle: "before" }, upstream: echo, ledger });
  fails = ({ state, bodyDigest, delivered }) =>
    state === "settled" && bodyDigest !== undefined && delivered === undefined;
  expect(await post(before, before.payment(), "url=a")).toEqual([200, "made of url=a"]);
  for (const { logged } of [after, before])
    await until(() => logged.some((line) => line.startsWith("payment: the ledger did not take the result")));
});

/** A shop that owes a response to `body`, and that then does what `options` set. */
async function undelivered(options: ShopOptions, body: string): Promise<{ shop: Shop; payment: PaymentPayload }> {
  let status = 500;
  const shop = openShop({ terms: { settle: "before" }, upstream: (exchange) => echo(exchange, status), ...options });
  const payment = shop.payment();
  expect((await post(shop, payment, body))[0]).toBe(500);
  status = 200;
  return { shop, payment };
}

test("a compared body is sent on with its length, however it arrived", async () => {
  const lengths: number[] = [];
  let status = 500;
  const shop = openShop({
    terms: { settle: "before" },
    upstream(exchange) {
      lengths.push(exchange.head.bodyLength);
      echo(exchange, status);
    },
  });
  const payment = shop.payment();
  await post(shop, payment, "url=a");
  status = 200;
  expect(await post(shop, payment, chunked("url=a"))).toEqual([200, "made of url=a"]);
  expect(lengths).toEqual([5, 5]);
});

test("without memory to compare a body, it is not sent to the upstream, and the response stays owed", async () => {
  const { shop, payment } = await undelivered(
    { room: { bufferSize: 8192, bufferCount: 1, reserve: 0 } },
    "x".repeat(9000),
  );
  const { runs } = shop;
  for (const body of ["x".repeat(9000), chunked("x".repeat(9000))]) {
    const [status, text] = await post(shop, payment, body);
    expect([status, shop.runs, shop.bodies.used]).toEqual([503, runs, 0]);
    expect(text).toContain("Send the same payment again");
  }
  expect(await shop.recorded(payment)).toMatchObject({ state: "settled", delivered: false });
});

test("a client that disconnects while its body is compared leaves no memory in use", async () => {
  const { shop, payment } = await undelivered({}, "x".repeat(50_000));
  const request = httpRequest(`${shop.gateway.url}/goods`, {
    method: "POST",
    headers: { ...FIELDS, "payment-signature": encodeHeader(payment), "content-length": 50_000 },
  });
  request.on("error", () => {});
  request.write("x".repeat(20_000));
  await until(() => shop.bodies.used >= 20_000);
  request.destroy();
  await until(() => shop.bodies.used === 0);
  await until(async () => (await post(shop, payment, "x".repeat(50_000)))[0] === 200);
  expect([shop.settlements, shop.bodies.used]).toEqual([1, 0]);
});

for (const [what, leaves] of [
  ["a client that leaves", true],
  ["a lease that was lost", false],
] as const) {
  test(`${what} after its body was compared leaves no memory in use`, async () => {
    let isAgain = false;
    const { shop, payment } = await undelivered(
      {
        ledger: (real) => ({
          async move(reserved, change) {
            if (!isAgain || change.delivered !== false || !change.lease) return real.move(reserved, change);
            isAgain = false;
            expect(shop.bodies.used).toBeGreaterThan(0);
            if (!leaves) return false;
            leaving.abort();
            await until(() => shop.gateway.last()?.gone === true);
            return real.move(reserved, change);
          },
        }),
      },
      "url=a",
    );
    const leaving = new AbortController();
    isAgain = true;
    const { runs } = shop;
    const reply = shop.send(payment, { method: "POST", body: "url=a", headers: FIELDS, signal: leaving.signal });
    const status = await reply.then(
      (response) => response.status,
      () => "left",
    );
    expect(status).toBe(leaves ? "left" : 409);
    await until(() => shop.bodies.used === 0);
    expect([isAgain, shop.runs]).toEqual([false, runs]);
  });
}

test.each(["abcdef", "a".repeat(100_000)])(
  "a body that a rule has read before is known whole before the payment is settled",
  async (text) => {
    const request = new Request("http://shop.example/goods", { method: "POST", body: text });
    const exchange = new TestExchange(request);
    const gathered = new GatheredBody(exchange, jsonBounds(MIB, { take: () => true, give() {} }));
    expect(await gathered.gather()).toBeUndefined();
    gathered.replace();
    const paid = `${text.length}:${sumOf(text)}`;
    const digest = new RequestDigest(exchange, "");
    expect(digest.spentOn).toEqual({ bodyDigest: paid });
    const again = new RequestDigest(exchange, paid);
    expect([again.glance(), again.mustRead]).toEqual([undefined, false]);
    for (const other of [`${text}x`, text.replace("a", "b")]) {
      const paidOther = new RequestDigest(exchange, `${other.length}:${sumOf(other)}`);
      expect(paidOther.glance()?.code).toBe("payment-conflict");
    }
    digest.watch();
    let passed = "";
    read(exchange, (body) => (passed = body));
    expect([passed === text, digest.spentOn]).toEqual([true, { bodyDigest: paid }]);
  },
);

test.each([
  ["another length than the paid body", `3:${sumOf("abc")}`, "payment-conflict"],
  ["less than was seen of the paid body", `5+:${sumOf("abcde")}`, "payment-conflict"],
  ["another length than the paid request announced", `2+9:${sumOf("ab")}`, "payment-conflict"],
  ["the length of the paid body", `4:${sumOf("abcd")}`, undefined],
  ["the length that the paid request announced", `2+4:${sumOf("ab")}`, undefined],
  ["what was seen of the paid body", `4+:${sumOf("abcd")}`, undefined],
] as const)("a body of which %s is announced is compared before it is read", (_what, paid, code) => {
  const request = new Request("http://shop.example/goods", { method: "POST", body: "abcd" });
  const exchange = new TestExchange(request);
  exchange.head.bodyLength = 4;
  expect(new RequestDigest(exchange, paid).glance()?.code).toBe(code);
});

test("a request without a body is neither watched nor read", () => {
  const exchange = new TestExchange(new Request("http://shop.example/goods"));
  const { body } = exchange;
  const digest = new RequestDigest(exchange, "3:abc");
  digest.watch();
  expect([exchange.body === body, digest.mustRead]).toEqual([true, false]);
  expect([digest.spentOn, digest.glance()?.code]).toEqual([{ bodyDigest: "0:" }, "payment-conflict"]);
});
