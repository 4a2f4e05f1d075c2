/**
 * Kills a gateway between any two steps of a payment. No response is given away, no client pays twice, and the response
 * arrives. The first charge of upto is the one that is settled.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { placePermit2 } from "../../src/payments/evm/permit2/testing/permit2-shop.ts";
import { PAYER } from "../../src/payments/testing/payment.ts";
import { answerTo, challengesOf } from "../../src/payments/testing/mpp.ts";
import { signedPermit2 } from "../../src/payments/testing/permit2-payment.ts";
import { decodeHeader } from "../../src/payments/x402/header.ts";
import { receiptSchema } from "../../src/payments/x402/messages.ts";
import { PERMIT2 } from "../../src/payments/x402/transfer.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../src/payments/testing/chain.ts";
import { fieldsOf, insist, type Market, never, openMarket, PRICE, send, Stall } from "./market.ts";
import { patient } from "../../src/lib/testing/patience.ts";

// A lease lasts, and many processes start at once.
setDefaultTimeout(patient(90_000));
/** Too long to be kept in memory. */
const GOODS = Buffer.alloc(1024 * 1024, "goods ");
/** More than sockets hold, so that a client that does not read stops the delivery. */
const LONG_GOODS = Buffer.alloc(24 * 1024 * 1024, "goods ");

let market: Market;
const stalls: Stall[] = [];

beforeAll(async () => {
  if (!hasChain) return;
  market = await openMarket();
  await placePermit2(market.chain);
  await market.token.approve(PAYER, PERMIT2, 1_000_000_000n);
}, CHAIN_SETUP_MS);

afterAll(async () => {
  await Promise.all(stalls.map((stall) => stall.close()));
  await market?.chain.close();
});

/** The point at which a gateway is killed. `reached` resolves there, and the gateway does not continue by itself. */
type Point = (stall: Stall, reached: () => void) => void;

function atCall(method: string, isAfter = false): Point {
  return (stall, reached) => {
    stall.rpcHand = async ({ methods, forward }) => {
      if (!methods.includes(method)) return forward();
      if (isAfter) await forward();
      reached();
      return never();
    };
  };
}

const atUpstream: Point = (stall, reached) => {
  stall.sell = () => {
    reached();
    return never();
  };
};

const atDelivery: Point = () => {};
const afterSend = atCall("eth_sendRawTransaction", true);

const POINTS: readonly (readonly [name: string, point: Point])[] = [
  ["while it verifies", atCall("eth_call")],
  ["while the upstream works", atUpstream],
  ["before the transaction is sent", atCall("eth_sendRawTransaction")],
  ["after the transaction was sent, before it knows of that", afterSend],
  ["while it waits for the receipt", atCall("eth_getTransactionReceipt")],
  ["after settlement, while it delivers", atDelivery],
];

/** The fields of a payment by the `Payment` scheme. */
async function credential(stall: Stall): Promise<{ readonly authorization: string }> {
  const [challenge] = challengesOf(await fetch(stall.url));
  if (challenge === undefined) throw new Error("the stall has no challenge");
  return { authorization: answerTo(challenge, { domain: market.token }) };
}

async function sellThroughCrash(settle: "after" | "before", point: Point, isMpp = false): Promise<void> {
  // The port changes with every process, and a challenge is for one host.
  const stall = new Stall(market, { settle }, { x402: isMpp ? { mpp: {}, public_url: "https://stall.example" } : {} });
  stalls.push(stall);
  const goods = point === atDelivery ? LONG_GOODS : GOODS;
  stall.sell = () => new Response(goods);
  await stall.open();
  const payment = isMpp ? await credential(stall) : await stall.sign();
  const { promise, resolve } = Promise.withResolvers<void>();
  point(stall, resolve);
  const sent = send(stall, payment).catch(() => undefined);
  if (point === atDelivery) expect((await sent)?.status).toBe(200);
  else await promise;
  await stall.crash();
  const cut = await (await sent)?.arrayBuffer().catch(() => undefined);
  expect(cut).toBeUndefined();

  stall.sell = () => new Response(goods);
  await stall.open();
  const response = await insist(stall, payment);
  expect(response.status).toBe(200);
  expect(Buffer.from(await response.arrayBuffer()).equals(goods)).toBe(true);
  expect(await stall.balance()).toBe(PRICE);
  const other = await fetch(`${stall.url}?another`, { headers: fieldsOf(payment) });
  expect(other.status).toBe(isMpp ? 402 : 409);
  expect(stall.runs).toBeLessThanOrEqual(2);
}

for (const settle of ["after", "before"] as const) {
  for (const [name, point] of POINTS) {
    test.concurrent.skipIf(!hasChain)(`settle ${settle}: killed ${name}`, () => sellThroughCrash(settle, point));
  }
}

for (const [name, point] of POINTS.filter(([, each]) => each === atUpstream || each === afterSend)) {
  test.concurrent.skipIf(!hasChain)(`a payment by the Payment scheme: killed ${name}`, () =>
    sellThroughCrash("after", point, true),
  );
}

test.concurrent.skipIf(!hasChain)("a completely delivered response stays delivered after a restart", async () => {
  const stall = new Stall(market);
  stalls.push(stall);
  stall.sell = () => new Response(GOODS);
  await stall.open();
  const payment = await stall.sign();
  const first = await send(stall, payment);
  expect(Buffer.from(await first.arrayBuffer()).equals(GOODS)).toBe(true);
  await stall.crash();
  await stall.open();
  const again = await insist(stall, payment);
  expect(again.status).toBe(200);
  expect(Buffer.from(await again.arrayBuffer()).equals(GOODS)).toBe(true);
  expect([await stall.balance(), stall.runs]).toEqual([PRICE, 1]);
});

function charging(amount: string): Stall["sell"] {
  return () => new Response("the goods", { headers: { "settlement-overrides": JSON.stringify({ amount }) } });
}

for (const [name, isSent] of [
  ["before the transaction is sent", false],
  ["after the transaction was sent, before it knows of that", true],
] as const) {
  test.concurrent.skipIf(!hasChain)(`upto, killed ${name}: the first charge is settled, once`, async () => {
    const stall = new Stall(market, { scheme: "upto", price: "100000" });
    stalls.push(stall);
    await stall.open();
    const [offer] = (await stall.challenge()).accepts;
    if (offer === undefined) throw new Error("Cannot pay: nothing is accepted");
    const payment = signedPermit2(offer, await market.chain.time());
    stall.sell = charging("12345");
    const { promise, resolve } = Promise.withResolvers<void>();
    stall.rpcHand = async ({ methods, forward }) => {
      if (!methods.includes("eth_sendRawTransaction")) return forward();
      if (isSent) await forward();
      resolve();
      return never();
    };
    const sent = send(stall, payment).catch(() => undefined);
    await promise;
    await stall.crash();
    expect(await sent).toBeUndefined();

    stall.sell = charging("99999");
    await stall.open();
    const response = await insist(stall, payment);
    expect([response.status, await response.text()]).toEqual([200, "the goods"]);
    const receipt = receiptSchema.parse(decodeHeader(response.headers.get("payment-response") ?? ""));
    expect(receipt).toMatchObject({ success: true, amount: "12345" });
    expect(await stall.balance()).toBe(12_345n);
  });
}
