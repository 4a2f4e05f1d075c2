/** Refunds from a seller that refuses or lost count, and withdrawals from the chain without one. */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../../lib/testing/patience.ts";
import { USDC } from "../../testing/payment.ts";
import { openStockShop, type StockShop } from "../../testing/stock-channels.ts";
import { tableFacilitator } from "../../testing/table-facilitator.ts";
import { encodeHeader } from "../../x402/header.ts";
import { type PaymentRequirements } from "../../x402/messages.ts";
import {
  account,
  claiming,
  losing,
  MISMATCH,
  NOW,
  openWallet,
  paymentIn,
  pricing,
  reason,
  refusing,
  startNode,
} from "./testing/faulty-seller.ts";
import { withdrawChannel } from "./withdraw.ts";

setDefaultTimeout(patient(60_000));

const NETWORK = "eip155:84532";
const OTHER = `0x${"11".repeat(20)}` as const;
let chain: ReturnType<typeof tableFacilitator>;
let shop: StockShop;

beforeEach(async () => {
  chain = tableFacilitator(NETWORK);
  shop = await openStockShop({ facilitator: chain.facilitator, network: NETWORK, asset: USDC, amount: "1000" });
});
afterEach(async () => {
  await shop.close();
});

const withdraw = async (wallet: ReturnType<typeof openWallet>, node: Awaited<ReturnType<typeof startNode>>) => {
  const [{ id } = { id: "" }] = wallet.state();
  return { id, said: await reason(withdrawChannel(id, { channels: wallet.own, account, node: node.node })) };
};

describe("a refund", () => {
  test.each<[what: string, change: (accept: PaymentRequirements) => void]>([
    ["another scheme", (accept) => Object.assign(accept, { scheme: "exact" })],
    ["another network", (accept) => Object.assign(accept, { network: "eip155:8453" })],
    ["another token", (accept) => Object.assign(accept, { asset: OTHER })],
    ["another receiver", (accept) => Object.assign(accept, { payTo: OTHER })],
    ["another authorizer", (accept) => Object.assign(accept.extra, { receiverAuthorizer: OTHER })],
    ["another delay", (accept) => Object.assign(accept.extra, { withdrawDelay: 901 })],
    ["terms of no channel", (accept) => Object.assign(accept.extra, { withdrawDelay: 1 })],
  ])("is not asked for by %s", async (_what, change) => {
    const wallet = openWallet(shop.url);
    await wallet.pay();
    expect(await reason(wallet.refund(pricing(change)))).toBe(
      `Cannot get a refund: ${shop.url} no longer sells from this channel`,
    );
    expect(wallet.state()).toMatchObject([{ balance: "10000", charged: "1000" }]);
    expect((await wallet.refund()).amount).toBe("9000");
  });

  test("is not asked for of an address that asks for no payment", async () => {
    const wallet = openWallet(shop.url);
    await wallet.pay();
    expect(await reason(wallet.refund(async () => new Response("free")))).toBe(
      `Cannot get a refund: ${shop.url} responds with 200, and asks for no payment`,
    );
    expect((await wallet.refund()).amount).toBe("9000");
  });

  test.each<[reply: () => Response, reason: string]>([
    [() => new Response("", { status: 500 }), "status 500"],
    [
      () =>
        new Response("", {
          status: 402,
          headers: {
            "payment-response": encodeHeader({
              success: false,
              transaction: "",
              network: NETWORK,
              errorReason: "x".repeat(101),
            }),
          },
        }),
      "x".repeat(100),
    ],
    [
      () =>
        new Response("", {
          status: 402,
          headers: {
            "payment-required": encodeHeader({ x402Version: 2, error: "later", resource: { url: "u" }, accepts: [] }),
          },
        }),
      "later",
    ],
  ])("that is refused leaves the channel as it is", async (reply, said) => {
    const wallet = openWallet(shop.url);
    await wallet.pay();
    const send = async (url: string, init: RequestInit) =>
      paymentIn(init) === undefined ? await fetch(url, init) : reply();
    expect(await reason(wallet.refund(send))).toBe(`Cannot get a refund: the server refuses (${said})`);
    expect(wallet.state()).toMatchObject([{ balance: "10000", charged: "1000" }]);
    expect(wallet.state()[0]?.busy).toBeUndefined();
  });

  test("of a channel whose record is behind is corrected once", async () => {
    const wallet = openWallet(shop.url);
    await wallet.pay();
    await wallet.pay({ fetch: losing() });
    expect(wallet.state()).toMatchObject([{ charged: "1000", open: "1000" }]);
    expect((await wallet.refund()).amount).toBe("8000");
    expect(wallet.state()).toMatchObject([{ balance: "2000", charged: "2000", open: "0" }]);
    expect(wallet.state()[0]?.busy).toBeUndefined();
  });

  test("is not asked for with a sum that the wallet cannot owe, nor corrected twice", async () => {
    const wallet = openWallet(shop.url);
    await wallet.pay();
    expect(await reason(wallet.refund(refusing(MISMATCH)))).toBe(
      "Cannot get a refund: the server does not say what it has charged",
    );
    expect(await reason(wallet.refund(refusing(MISMATCH, claiming("1000"))))).toBe(
      `Cannot get a refund: the server refuses (${MISMATCH})`,
    );
    expect(wallet.state()).toMatchObject([{ balance: "10000", charged: "1000" }]);
  });
});

describe("a withdrawal", () => {
  test.each<[what: string, chain: Parameters<typeof startNode>, said: string, left: string]>([
    ["from an empty channel", [1000n, 1000n], "nothing is left in it", "1000"],
    ["from one of which more was claimed", [1000n, 1001n], "nothing is left in it", "1000"],
    [
      "before its delay",
      [5000n, 1000n, NOW / 1000 - 899],
      `Cannot withdraw yet: it is possible at ${new Date(NOW + 1000).toISOString()}`,
      "10000",
    ],
    ["from a chain that does not respond", ["fails"], "Cannot read the channel", "10000"],
    ["after its delay needs gas", [5000n, 1000n, NOW / 1000 - 900], "Cannot withdraw from the channel", "10000"],
  ])("%s is refused", async (_what, chainState, said, left) => {
    const wallet = openWallet(shop.url);
    await wallet.pay();
    const node = await startNode(...chainState);
    const result = await withdraw(wallet, node);
    expect(result.said).toContain(said);
    expect(wallet.state()).toMatchObject([{ id: result.id, balance: left }]);
    expect(wallet.state()[0]?.busy).toBeUndefined();
    expect(wallet.state()[0]?.withdrawable).toBeUndefined();
    await node.close();
  });

  test("that is begun keeps the wallet from paying, also if its transaction fails", async () => {
    const wallet = openWallet(shop.url);
    await wallet.pay();
    const node = await startNode(5000n, 1000n);
    expect((await withdraw(wallet, node)).said).toContain("Cannot withdraw from the channel");
    expect(wallet.state()).toMatchObject([{ withdrawable: 0 }]);
    await node.close();
  });
});
