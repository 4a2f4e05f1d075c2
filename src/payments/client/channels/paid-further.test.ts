/** Responses whose body is paid for while it is read, from a stock seller of the scheme batch-settlement. */
import { afterAll, afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hexToBytes } from "@noble/hashes/utils.js";
import { patient } from "../../../lib/testing/patience.ts";
import { watchTimers } from "../../../lib/testing/timers.ts";
import { PAYER, PRIVATE_KEY, USDC } from "../../testing/payment.ts";
import { openStockShop, type StockShop } from "../../testing/stock-channels.ts";
import { tableFacilitator } from "../../testing/table-facilitator.ts";
import { formatDollars } from "../choice.ts";
import { type Paid, payAndFetch, PaymentDeclined, PENDING } from "../client.ts";
import { Channels } from "./channels.ts";
import { payerFrom } from "./pay-from-channel.ts";

setDefaultTimeout(patient(60_000));

const NETWORK = "eip155:84532";
const folder = mkdtempSync(join(tmpdir(), "turnpike-further-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let shop: StockShop;
let counter = 0;

beforeEach(async () => {
  const { facilitator } = tableFacilitator(NETWORK);
  const extra = { meter: { unit: "byte", units: 3 } };
  shop = await openStockShop({ facilitator, network: NETWORK, asset: USDC, amount: "1000", extra });
});
afterEach(async () => {
  await shop.close();
});

interface Flow {
  /** The whole body is there at once, or goes on after its first bytes for ever. */
  readonly isEndless?: boolean;
  readonly maxPrice?: string;
  readonly maxDeposit?: string;
  /** In place of the seller's response to a further payment. */
  readonly reply?: () => Response;
  readonly name?: string | undefined;
}

/** Buys nine bytes, of which a payment covers three. `streams` has the name in each request that pays. */
async function buy({ isEndless = false, maxPrice = "$1", maxDeposit = "$1", reply, name = "one" }: Flow) {
  counter += 1;
  const channels = new Channels(join(folder, String(counter)), { maxDeposit });
  const streams: (string | null)[] = [];
  const paid = await payAndFetch(
    shop.url,
    {},
    {
      account: () => ({ address: PAYER, privateKey: hexToBytes(PRIVATE_KEY.slice(2)) }),
      maxPrice,
      sleep: async () => {},
      channels: payerFrom(channels),
      fetch: async (url, init) => {
        const headers = new Headers(init.headers);
        const isPaid = headers.has("payment-signature");
        const stream = headers.get("payment-stream");
        if (isPaid) streams.push(stream);
        if (stream !== null && reply !== undefined) return reply();
        const response = await fetch(url, init);
        if (!isPaid || stream !== null || name === "") return response;
        response.headers.set("payment-stream", name);
        if (!isEndless) return response;
        const body = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("the")) });
        return new Response(body, { headers: response.headers });
      },
    },
  );
  return { paid, streams, channels };
}

/** The sum of charges in the only channel of the wallet, which no request has any more. */
function chargedIn(channels: Channels): unknown {
  const [{ charged, open, busy } = { charged: "", open: "" }, ...others] = channels.file.channels();
  expect([open, busy, others]).toEqual(["0", undefined, []]);
  return charged;
}

const further = ({ further: sum }: Paid): string => formatDollars(sum?.() ?? -1n);

test("a response is paid for further from the same channel, by its name", async () => {
  const { paid, streams, channels } = await buy({});
  expect(channels.file.channels()[0]?.busy).toBeDefined();
  expect([await paid.response.text(), streams]).toEqual(["the goods", [null, "one", "one", "one"]]);
  expect([further(paid), chargedIn(channels)]).toEqual(["$0.003", "4000"]);
});

test("a response is paid for further by another deposit once its channel is spent, and the wallet's limit holds", async () => {
  const { paid, streams, channels } = await buy({ maxDeposit: "$0.002" });
  expect(channels.file.channels()).toMatchObject([{ balance: "2000" }]);
  expect([await paid.response.text(), streams.length, further(paid)]).toEqual(["the goods", 4, "$0.003"]);
  expect([chargedIn(channels), channels.file.channels()[0]?.balance]).toEqual(["4000", "4000"]);
});

test("a response without a name is not paid for further", async () => {
  const { paid, streams, channels } = await buy({ name: "" });
  expect([paid.further, chargedIn(channels)]).toEqual([undefined, "1000"]);
  expect([await paid.response.text(), streams]).toEqual(["the goods", [null]]);
});

test("a conflict says that the response has ended, and is not charged", async () => {
  const { paid, streams, channels } = await buy({ reply: () => new Response("", { status: 409 }) });
  expect([await paid.response.text(), streams]).toEqual(["the goods", [null, "one"]]);
  expect([further(paid), chargedIn(channels)]).toEqual(["$0.00", "1000"]);
});

const pending = () => Response.json({ type: PENDING }, { status: 503 });
const broken = () => new Response("", { status: 500 });

test.each<[what: string, change: Flow, further: string, reason: string]>([
  ["reaches the limit", { maxPrice: "$0.001" }, "$0.00", "the limit is $0.001"],
  ["fails", { reply: broken }, "$0.00", "the server responds 500"],
  ["has no outcome", { reply: pending }, "$0.001", "the server responds 503"],
])(
  "a response whose further payment %s may end by itself, and else ends with the reason",
  async (_what, change, sum, reason) => {
    using _ = watchTimers((ms) => (ms === 1000 ? 0 : ms));
    const endless = await buy({ ...change, isEndless: true });
    const error = await endless.paid.response.text().catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(PaymentDeclined);
    expect(String(error)).toContain(`Cannot pay further for the response: ${reason}`);
    expect([further(endless.paid), endless.channels.file.channels()[0]?.busy]).toEqual([sum, undefined]);
    expect(endless.channels.file.channels()).toMatchObject([{ charged: "1000", open: sum === "$0.00" ? "0" : "1000" }]);
  },
);

test("the price limit is for all payments of a response together", async () => {
  const { paid, streams, channels } = await buy({ maxPrice: "$0.003" });
  expect([await paid.response.text(), streams.length]).toEqual(["the goods", 3]);
  expect([further(paid), chargedIn(channels)]).toEqual(["$0.002", "3000"]);
});
