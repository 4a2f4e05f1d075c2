/** A wallet whose seller refuses payments from its channels, closes them, or lost count. */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../../lib/testing/patience.ts";
import { PAYEE, USDC } from "../../testing/payment.ts";
import { openStockShop, type StockShop } from "../../testing/stock-channels.ts";
import { type SentChannel, tableFacilitator } from "../../testing/table-facilitator.ts";
import { type PaymentRequirements } from "../../x402/messages.ts";
import {
  claiming,
  losing,
  MISMATCH,
  NOW,
  openWallet,
  reason,
  receipting,
  refusing,
  startNode,
} from "./testing/faulty-seller.ts";

setDefaultTimeout(patient(60_000));

const NETWORK = "eip155:84532";
const LACKING = "invalid_batch_settlement_evm_cumulative_exceeds_balance";
let chain: ReturnType<typeof tableFacilitator>;
let shop: StockShop;

beforeEach(async () => {
  chain = tableFacilitator(NETWORK);
  shop = await openStockShop({ facilitator: chain.facilitator, network: NETWORK, asset: USDC, amount: "1000" });
});
afterEach(async () => {
  await shop.close();
});

const tells =
  (balance: string, id?: string) =>
  (accept: PaymentRequirements, { voucher }: SentChannel) => {
    const channelState = {
      channelId: id ?? voucher.channelId.toUpperCase().replace("X", "x"),
      balance,
      chargedCumulativeAmount: "0",
    };
    Object.assign(accept.extra, { channelState });
  };

describe("a seller that has less in a channel than the wallet knows", () => {
  test.each<[what: string, error: string, change: Parameters<typeof refusing>[1]]>([
    ["says so", LACKING, undefined],
    ["has no such channel", "invalid_batch_settlement_evm_channel_not_found", undefined],
    ["tells its balance", "x", tells("9999")],
    ["tells the balance of another channel, and says so", LACKING, tells("10000", `0x${"11".repeat(32)}`)],
  ])("has closed it if it %s, and the chain agrees", async (_what, error, change) => {
    const node = await startNode(0n);
    const wallet = openWallet(shop.url, { TURNPIKE_RPC_84532: node.rpcUrl });
    await wallet.pay();
    const [before] = wallet.state();
    expect(await reason(wallet.pay({ fetch: refusing(error, change) }))).toBe(
      `Cannot pay from the channel ${before?.id}: the seller has closed it; the next request can deposit`,
    );
    expect(wallet.state()).toMatchObject([{ balance: "0", charged: "1000", open: "0" }]);
    expect(wallet.state()[0]?.busy).toBeUndefined();
    await node.close();
  });

  test.each<[what: string, balance: bigint | "fails", refusal: Parameters<typeof refusing>, isAsked: boolean]>([
    ["the chain has all of it", 10_000n, [LACKING], true],
    ["the chain does not know", "fails", [LACKING], true],
    ["it refuses for another reason", 0n, ["insufficient_funds"], false],
    ["it tells the whole balance", 0n, [LACKING, tells("10000")], false],
  ])("is only refused if %s", async (_what, balance, refusal, isAsked) => {
    const node = await startNode(balance);
    const wallet = openWallet(shop.url, { TURNPIKE_RPC_84532: node.rpcUrl });
    await wallet.pay();
    const { response, isFree } = await wallet.pay({ fetch: refusing(...refusal) });
    expect([response.status, isFree, node.calls() > 0]).toEqual([402, true, isAsked]);
    expect(wallet.state()).toMatchObject([{ balance: "10000", charged: "1000", open: "0" }]);
    await node.close();
  });

  test.each([[{}], [{ TURNPIKE_RPC_84532: "" }]])("is not believed without the chain: %j", async (endpoints) => {
    const wallet = openWallet(shop.url, endpoints);
    await wallet.pay();
    expect((await wallet.pay({ fetch: refusing(LACKING) })).response.status).toBe(402);
    expect(wallet.state()).toMatchObject([{ balance: "10000" }]);
  });

  test("leaves an earlier deposit as it is, of which nothing is known", async () => {
    const wallet = openWallet(shop.url);
    await wallet.pay({ fetch: receipting(() => undefined) });
    expect((await wallet.pay({ fetch: refusing("insufficient_funds") })).isFree).toBe(true);
    const [channel] = wallet.state();
    expect([channel?.deposit?.amount, channel?.refused, channel?.open]).toEqual(["10000", undefined, "0"]);
  });

  test("gets no second deposit for the refusal of a first one", async () => {
    const node = await startNode(0n);
    const wallet = openWallet(shop.url, { TURNPIKE_RPC_84532: node.rpcUrl });
    const { isFree } = await wallet.pay({ fetch: refusing(LACKING) });
    expect([isFree, node.calls()]).toEqual([true, 0]);
    expect(wallet.state()).toMatchObject([{ balance: "0", refused: { amount: "10000", expires: NOW / 1000 + 60 } }]);
    await node.close();
  });
});

describe("a wallet whose record is behind the seller", () => {
  test("deposits again if the rest does not suffice, with the deposit that it has signed", async () => {
    const before = openWallet(shop.url);
    for (let i = 0; i < 10; i++) await before.pay();
    const wallet = openWallet(shop.url);
    expect((await wallet.pay()).response.status).toBe(200);
    expect(chain.deposits).toEqual([10_000n, 10_000n]);
    const [channel] = wallet.state();
    expect(channel).toMatchObject({ balance: "20000", charged: "11000", signed: "11000", open: "0" });
    expect([channel?.deposit, channel?.refused]).toEqual([undefined, undefined]);
  });

  test("is corrected once: a second correction refuses the payment", async () => {
    const wallet = openWallet(shop.url);
    await wallet.pay();
    const { response, isOpen, isFree } = await wallet.pay({ fetch: refusing(MISMATCH, claiming("1000")) });
    expect([response.status, isOpen, isFree]).toEqual([402, false, true]);
    expect(wallet.state()).toMatchObject([{ charged: "1000", open: "0" }]);
  });

  test("keeps a deposit that was not needed in its limit, and takes it out of the day's total", async () => {
    const before = openWallet(shop.url);
    for (let i = 0; i < 3; i++) await before.pay();
    const wallet = openWallet(shop.url);
    const freed: number[] = [];
    await wallet.pay({ spend: () => (expires) => void freed.push(expires) });
    expect(freed).toEqual([NOW / 1000 + 60]);
    expect(wallet.state()).toMatchObject([{ balance: "10000", refused: { amount: "10000" } }]);
  });

  test("makes no deposit that it has not counted, but says that the next request can", async () => {
    const wallet = openWallet(shop.url);
    for (let i = 0; i < 8; i++) await wallet.pay();
    expect((await wallet.pay({ fetch: losing() })).isOpen).toBe(true);
    const [{ id } = { id: "" }] = wallet.state();
    const other = openWallet(shop.url);
    await other.pay();
    expect(await reason(wallet.pay())).toBe(
      `Cannot pay from the channel ${id}: it needs a deposit, which the next request can make`,
    );
    expect(wallet.state()).toMatchObject([{ charged: "10000", open: "0" }]);
    expect((await wallet.pay()).response.status).toBe(200);
    expect(chain.deposits).toEqual([10_000n, 10_000n]);
  });
});

describe("a receipt", () => {
  test.each<
    [
      what: string,
      change: (receipt: Record<string, unknown>) => object | undefined,
      amount: string | undefined,
      charged: string,
    ]
  >([
    [
      "of a charge above the price counts the price",
      (r) => ({ ...r, extra: { chargedAmount: "1001" } }),
      "1000",
      "1000",
    ],
    ["of a charge of the price", (r) => ({ ...r, extra: { chargedAmount: "1000" } }), "1000", "1000"],
    ["of a lower charge", (r) => ({ ...r, extra: { chargedAmount: "1" } }), "1", "1"],
    ["of no charge", (r) => ({ ...r, extra: { chargedAmount: "-1" } }), "1000", "1000"],
    ["of another network is ignored", (r) => ({ ...r, network: "eip155:8453" }), undefined, "1000"],
    ["of another payer is ignored", (r) => ({ ...r, payer: PAYEE }), undefined, "1000"],
    ["without a payer", (r) => ({ ...r, payer: undefined, extra: undefined }), "1000", "1000"],
    ["of a failure is ignored", (r) => ({ ...r, success: false }), undefined, "1000"],
    ["that is missing", () => undefined, undefined, "1000"],
  ])("%s", async (_what, change, amount, charged) => {
    const wallet = openWallet(shop.url);
    const { response, receipt, isOpen, isFree } = await wallet.pay({ fetch: receipting(change) });
    expect([response.status, receipt?.amount, isOpen, isFree]).toEqual([200, amount, false, false]);
    expect(wallet.state()).toMatchObject([{ charged, open: "0" }]);
    // Only a receipt says that the deposit was made.
    const kept = amount === undefined ? { balance: "0", deposit: { amount: "10000" } } : { balance: "10000" };
    expect(wallet.state()).toMatchObject([kept]);
    expect(wallet.state()[0]?.deposit === undefined).toBe(amount !== undefined);
  });

  test.each([
    ["whose deposit is under way may tell it", "10000", "10000", false],
    ["may tell that it is not there yet", "0", "0", true],
    ["tells no other balance", "9999", "9999", true],
    ["tells no balance above the deposits", "10001", "0", true],
  ])("of a channel %s: %s", async (_what, told, balance, isKept) => {
    const wallet = openWallet(shop.url);
    await wallet.pay({ fetch: receipting(() => undefined) });
    expect(wallet.state()).toMatchObject([{ balance: "0", deposit: { amount: "10000" } }]);
    const channelState = { balance: told };
    await wallet.pay({
      fetch: receipting((receipt) => ({ ...receipt, extra: { chargedAmount: "1000", channelState } })),
    });
    expect(wallet.state()).toMatchObject([{ balance, charged: "2000" }]);
    expect(wallet.state()[0]?.deposit !== undefined).toBe(isKept);
  });
});
