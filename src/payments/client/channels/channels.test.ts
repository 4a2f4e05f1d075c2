import { afterAll, afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hexToBytes } from "@noble/hashes/utils.js";
import { openStockShop, type StockShop } from "../../testing/stock-channels.ts";
import { type SentChannel as Sent, tableFacilitator } from "../../testing/table-facilitator.ts";
import { PAYER, PRIVATE_KEY, USDC } from "../../testing/payment.ts";
import { decodeHeader, encodeHeader } from "../../x402/header.ts";
import { type PaymentRequired } from "../../x402/messages.ts";
import { type Choice, formatDollars, PaymentDeclined } from "../choice.ts";
import { payAndFetch, type PayOptions } from "../client.ts";
import { type ChannelPayer } from "../send-paid.ts";
import { Channels } from "./channels.ts";
import { payerFrom } from "./pay-from-channel.ts";
import { refundChannel } from "./refund.ts";
import { signVoucher } from "./sign-channel.ts";
import { patient } from "../../../lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

const NETWORK = "eip155:84532";

const folder = mkdtempSync(join(tmpdir(), "turnpike-channels-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const account = { address: PAYER, privateKey: hexToBytes(PRIVATE_KEY.slice(2)) };
let chain: ReturnType<typeof tableFacilitator>;
let shop: StockShop;
let charge = "1000";
let counter = 0;

beforeEach(async () => {
  chain = tableFacilitator(NETWORK);
  charge = "1000";
  shop = await openStockShop({
    facilitator: chain.facilitator,
    network: NETWORK,
    asset: USDC,
    amount: "1000",
    charge: () => charge,
  });
});

afterEach(async () => {
  await shop.close();
});

interface Wallet extends PayOptions {
  readonly own: Channels;
}

function wallet(maxDeposit = "$1"): Wallet {
  counter += 1;
  const own = new Channels(join(folder, String(counter)), { maxDeposit });
  return { account: () => account, maxPrice: "$0.01", channels: payerFrom(own), own };
}

test("a channel is opened by one deposit, and pays all further requests by vouchers", async () => {
  const options = wallet();
  for (let i = 1; i <= 4; i++) {
    const { response, receipt, isOpen } = await payAndFetch(shop.url, {}, options);
    expect([response.status, await response.text(), receipt?.amount, isOpen]).toEqual([
      200,
      "the goods",
      "1000",
      false,
    ]);
  }
  expect(chain.deposits).toEqual([10_000n]);
  expect(options.own.file.channels()).toMatchObject([{ balance: "10000", charged: "4000", signed: "4000", open: "0" }]);
});

const state = ({ own }: Wallet) => own.file.channels();

test("a channel is topped up when it is spent, and the charge may be below the price", async () => {
  const options = wallet("$0.0025");
  charge = "300";
  for (let i = 0; i < 10; i++) expect((await payAndFetch(shop.url, {}, options)).receipt?.amount).toBe("300");
  expect(state(options)).toMatchObject([{ charged: "3000", signed: "3700" }]);
  expect(chain.deposits.length).toBeGreaterThan(1);
  // At no time more than the limit is unspent.
  const [channel] = state(options);
  expect(BigInt(channel?.balance ?? "0") - BigInt(channel?.charged ?? "0")).toBeLessThanOrEqual(2500n);
});

test("parallel requests use several channels of the wallet, and wait if there are no more", async () => {
  const options = wallet();
  const paid = await Promise.all(Array.from({ length: 10 }, () => payAndFetch(shop.url, {}, options)));
  expect(paid.map(({ response }) => response.status)).toEqual(paid.map(() => 200));
  const channels = state(options);
  expect(channels.length).toBeGreaterThan(1);
  expect(channels.reduce((sum, { charged }) => sum + Number(charged), 0)).toBe(10_000);
  expect(channels.every(({ open, busy }) => open === "0" && busy === undefined)).toBe(true);
});

test("processes of one wallet share its channels and its limit", async () => {
  const options = wallet("$0.02");
  const program = `
    import { Channels } from ${JSON.stringify(join(import.meta.dir, "channels.ts"))};
    import { payerFrom } from ${JSON.stringify(join(import.meta.dir, "pay-from-channel.ts"))};
    import { payAndFetch } from ${JSON.stringify(join(import.meta.dir, "../client.ts"))};
    const channels = payerFrom(new Channels(process.argv[1], { maxDeposit: "$0.02" }));
    const privateKey = Buffer.from(process.argv[2].slice(2), "hex");
    const account = { address: process.argv[3], privateKey };
    for (let i = 0; i < 5; i++) {
      const { response } = await payAndFetch(process.argv[4], {}, { account: () => account, maxPrice: "$1", channels });
      if (!response.ok) throw new Error(String(response.status));
    }
  `;
  const path = join(folder, String(counter));
  const children = [1, 2, 3].map(() =>
    Bun.spawn([process.execPath, "-e", program, path, PRIVATE_KEY, PAYER, shop.url], { stderr: "inherit" }),
  );
  expect(await Promise.all(children.map(async ({ exited }) => await exited))).toEqual([0, 0, 0]);
  expect(shop.served()).toBe(15);
  expect(state(options).reduce((sum, { charged }) => sum + Number(charged), 0)).toBe(15_000);
  expect(chain.deposits.reduce((sum, amount) => sum + amount, 0n)).toBeLessThanOrEqual(35_000n);
});

test("a wallet without its record of the channel gets it from the server, and makes no second deposit", async () => {
  const before = wallet();
  for (let i = 0; i < 3; i++) await payAndFetch(shop.url, {}, before);
  const after = wallet();
  expect((await payAndFetch(shop.url, {}, after)).response.status).toBe(200);
  expect(chain.deposits).toEqual([10_000n]);
  expect(state(after)).toMatchObject([{ balance: "10000", charged: "4000", open: "0" }]);
});

test("a request whose response got lost is not paid twice, and the next one continues", async () => {
  const options = wallet();
  await payAndFetch(shop.url, {}, options);
  let isLost = false;
  const losing: PayOptions = {
    ...options,
    sleep: async () => {},
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (isLost || !new Headers(init.headers).has("payment-signature")) return response;
      isLost = true;
      throw new Error("cut");
    },
  };
  const { response, isOpen, receipt } = await payAndFetch(shop.url, {}, losing);
  expect([response.status, isOpen, receipt, shop.served()]).toEqual([402, true, undefined, 2]);
  expect(state(options)).toMatchObject([{ charged: "1000", open: "1000" }]);
  expect((await payAndFetch(shop.url, {}, options)).response.status).toBe(200);
  expect(state(options)).toMatchObject([{ charged: "3000", signed: "3000", open: "0" }]);
});

test("a request has its channel for ten minutes at most, also if the clock is set back meanwhile", async () => {
  const options = wallet();
  await payAndFetch(shop.url, {}, options);
  const id = state(options)[0]?.id ?? "";
  let now = Date.now();
  const own = new Channels(join(folder, String(counter)), { maxDeposit: "$1", now: () => now });
  const holds = (passed: number): boolean => {
    now += passed;
    try {
      return own.hold(id).channel.id === id;
    } catch (error) {
      expect(String(error)).toContain("a request pays from it");
      return false;
    }
  };
  expect([holds(0), holds(0), holds(599_999), holds(1), holds(-1000), holds(-86_400_000)]).toEqual([
    true,
    false,
    false,
    true,
    false,
    true,
  ]);
});

test("a request waits for a channel a minute at most", async () => {
  const options = wallet();
  await payAndFetch(shop.url, {}, options);
  for (const { id } of state(options)) options.own.hold(id);
  let waited = 0;
  const sleep = async (ms: number) => void (waited += ms);
  // Another channel would need a deposit beyond the limit.
  const own = new Channels(join(folder, String(counter)), { maxDeposit: "$0.009", sleep });
  const paid = payAndFetch(shop.url, {}, { ...options, channels: payerFrom(own) });
  expect(await paid.catch(String)).toContain("the channels of this seller stay in use");
  expect(waited).toBe(60_000);
});

test("a channel of a process that has ended is free, and one that is held twice belongs to the first", async () => {
  const options = wallet();
  await payAndFetch(shop.url, {}, options);
  const [{ id } = { id: "" }] = state(options);
  const hold = options.own.hold(id);
  const child = Bun.spawn(["true"]);
  await child.exited;
  const until = Date.now() + 600_000;
  options.own.file.update(id, (channel) => ({ ...channel, busy: { pid: child.pid, until, key: "gone" } }));
  options.own.release(hold);
  expect(state(options)[0]?.busy?.key).toBe("gone");
  expect((await payAndFetch(shop.url, {}, options)).response.status).toBe(200);
  expect(state(options)).toMatchObject([{ charged: "2000" }]);
});

test("a deposit limit must be an amount, and is also kept when a channel is taken", async () => {
  expect(() => new Channels(folder, { maxDeposit: "much" })).toThrow();
  const options = wallet();
  let choice: Choice | undefined;
  const weigh: ChannelPayer["weigh"] = (one) => {
    choice = one;
    return 0n;
  };
  const { own } = wallet("$0.0005");
  const channels: ChannelPayer = { weigh, pay: (request) => payerFrom(own).pay(request) };
  const declined = await payAndFetch(shop.url, {}, { ...options, channels }).catch((error: unknown) => error);
  expect(declined).toBeInstanceOf(PaymentDeclined);
  expect(String(declined)).toContain("channels may hold $0.0005, and $0.00 are in them");
  expect(own.file.channels()).toEqual([]);
  expect(choice && own.weigh(choice, account)).toBe("channels may hold $0.0005, and $0.00 are in them");
  expect(choice && options.own.weigh(choice, account)).toBe(10_000n);
  if (choice === undefined) throw new Error("no channel was weighed");
  const unsound = { ...choice, requirements: { ...choice.requirements, extra: {} } };
  const taken = options.own.take(unsound, account, { url: shop.url, method: "GET", expires: 0 });
  expect(await taken.then(() => "taken", String)).toContain("Cannot pay: the receiver's authorizer is not an account");
});

test("no channel is taken that is disputed or being closed, and four at a seller are all", async () => {
  const options = wallet();
  await payAndFetch(shop.url, {}, options);
  const [one] = state(options);
  for (let slots = 1; slots <= 4; slots++) {
    const change = slots % 2 === 0 ? { disputed: true as const } : { withdrawable: 0 };
    const taken = state(options).at(-1)?.id ?? "";
    options.own.file.update(taken, (channel) => ({ ...channel, ...change }));
    const paid = payAndFetch(shop.url, {}, options).then(({ response }) => response.status, String);
    expect(await paid).toEqual(slots < 4 ? 200 : expect.stringContaining("or they are being closed"));
  }
  expect(new Set(state(options).map(({ id }) => id)).size).toBe(4);
  expect(state(options)[0]).toMatchObject({ id: one?.id, withdrawable: 0 });
});

test("the channel that needs the smallest deposit is taken", async () => {
  const options = wallet();
  await Promise.all([payAndFetch(shop.url, {}, options), payAndFetch(shop.url, {}, options)]);
  const [one = "", other = ""] = state(options)
    .toSorted((a, b) => Number(a.config.salt) - Number(b.config.salt))
    .map(({ id }) => id);
  options.own.file.update(one, (channel) => ({ ...channel, charged: channel.balance, signed: channel.balance }));
  await payAndFetch(shop.url, {}, options);
  expect(chain.deposits).toEqual([10_000n, 10_000n]);
  expect(state(options).find(({ id }) => id === other)).toMatchObject({ charged: "2000" });
});

test("a call that is given up while it waits for a channel pays nothing", async () => {
  const options = wallet();
  await payAndFetch(shop.url, {}, options);
  for (const { id } of state(options)) options.own.hold(id);
  const giveUp = new AbortController();
  const sleep = async () => giveUp.abort(new Error("given up"));
  const own = new Channels(join(folder, String(counter)), { maxDeposit: "$0.009", sleep });
  const paid = payAndFetch(shop.url, { signal: giveUp.signal }, { ...options, channels: payerFrom(own) });
  expect(await paid.then(() => "paid", String)).toBe("Error: given up");
  expect(state(options)).toMatchObject([{ charged: "1000", open: "0" }]);
});

test("a deposit counts in the day's total, and one that is over it is not signed", async () => {
  const spent: bigint[] = [];
  const freed: number[] = [];
  const options = wallet();
  const spend = (dollars: bigint) => {
    if (spent.length > 0) throw new PaymentDeclined("over the total");
    spent.push(dollars);
    return (expires: number) => void freed.push(expires);
  };
  await payAndFetch(shop.url, {}, { ...options, spend });
  await payAndFetch(shop.url, {}, { ...options, spend });
  expect([spent.map(formatDollars), freed]).toEqual([["$0.01"], []]);
  const other = wallet();
  const refusal = payAndFetch(shop.url, {}, { ...other, spend }).then(() => "paid", String);
  expect(await refusal).toContain("over the total");
  expect(state(other)).toMatchObject([{ balance: "0", open: "0" }]);
  expect(state(other)[0]).not.toHaveProperty("deposit");
});

/** Sends no payment on, and says that it was refused. */
async function refuse(url: string, init: RequestInit): Promise<Response> {
  const isPaid = new Headers(init.headers).has("payment-signature");
  return isPaid ? Response.json({}, { status: 402 }) : await fetch(url, init);
}

test("a deposit that the server refuses stays in the limit until it expires", async () => {
  const options = wallet("$0.015");
  const freed: number[] = [];
  const spend = () => (expires: number) => void freed.push(expires);
  const { isFree } = await payAndFetch(shop.url, {}, { ...options, spend, fetch: refuse });
  expect([isFree, freed.length]).toEqual([true, 1]);
  expect(state(options)).toMatchObject([{ balance: "0", charged: "0", refused: { amount: "10000" } }]);
  await payAndFetch(shop.url, {}, { ...options, fetch: refuse });
  expect(state(options)).toMatchObject([{ refused: { amount: "15000" } }]);
  const none = await payAndFetch(shop.url, {}, options).then(() => "paid", String);
  expect(none).toContain("channels may hold $0.015, and $0.015 are in them");
});

test("the rest of a channel is refunded, and the channel can be used again", async () => {
  const options = wallet();
  charge = "300";
  await payAndFetch(shop.url, {}, options);
  const [channel] = state(options);
  const refunded = await refundChannel(channel?.id ?? "", { channels: options.own, account, send: fetch });
  expect(refunded).toEqual({ amount: "9700", transaction: "0xab" });
  expect(state(options)).toMatchObject([{ balance: "300", charged: "300" }]);
  charge = "1000";
  expect((await payAndFetch(shop.url, {}, options)).response.status).toBe(200);
  expect(chain.deposits).toEqual([10_000n, 10_000n]);
  const other = refundChannel("0x12", { channels: options.own, account, send: fetch }).then(() => "", String);
  expect(await other).toContain("the wallet does not have it");
});

/** Replaces the 402 of each paid request by one with these claims. */
function lying(claims: (told: { extra: Record<string, unknown>; payTo: string; amount: string }, sent: Sent) => void) {
  const send = async (url: string, init: RequestInit): Promise<Response> => {
    const header = new Headers(init.headers).get("payment-signature");
    const response = await fetch(url, header === null ? init : { method: "GET" });
    if (header === null) return response;
    const { payload } = decodeHeader(header) as { payload: Sent };
    seen.push(payload);
    const required = decodeHeader(response.headers.get("payment-required") ?? "") as PaymentRequired;
    const [accept] = required.accepts;
    if (accept !== undefined) claims(accept, payload);
    const error = "invalid_batch_settlement_evm_cumulative_amount_mismatch";
    return Response.json({}, { status: 402, headers: { "payment-required": encodeHeader({ ...required, error }) } });
  };
  const seen: Sent[] = [];
  return { send, seen };
}

function told({ voucher }: Sent, charged: bigint, signed: bigint, key = account): Record<string, unknown> {
  const { channelId } = voucher;
  const chargedCumulativeAmount = charged.toString();
  const { signature } = signVoucher(NETWORK, channelId as `0x${string}`, signed.toString(), key);
  return {
    channelState: { channelId, balance: "1000000", chargedCumulativeAmount },
    voucherState: { signedMaxClaimable: signed.toString(), signature },
  };
}

const FOREIGN = { address: PAYER, privateKey: new Uint8Array(32).fill(7) };

const LIES: readonly (readonly [what: string, fault: string, Parameters<typeof lying>[0]])[] = [
  [
    "has charged the request that it refuses",
    "responses that it did not send",
    ({ extra }, sent) => void Object.assign(extra, told(sent, 2000n, 2000n)),
  ],
  [
    "has charged the whole of a voucher of which it charged a part",
    "responses that it did not send",
    ({ extra }, sent) => void Object.assign(extra, told(sent, 1000n, 1000n)),
  ],
  [
    "has charged more than was signed",
    "more than the wallet has signed",
    ({ extra }, sent) => void Object.assign(extra, told(sent, 2001n, 2000n)),
  ],
  [
    "has a voucher that another key signed",
    "not signed by this wallet",
    ({ extra }, sent) => void Object.assign(extra, told(sent, 5000n, 5000n, FOREIGN)),
  ],
  [
    "is owed from another channel",
    "another channel",
    ({ extra }, sent) => {
      const voucher = { ...sent.voucher, channelId: `0x${"11".repeat(32)}` };
      Object.assign(extra, told({ ...sent, voucher }, 1000n, 1000n));
    },
  ],
  ["has no proof", "does not say what it has charged", () => {}],
  [
    "sells for another receiver",
    "does not say what it has charged",
    (accept, sent) => {
      Object.assign(accept.extra, told(sent, 300n, 1000n));
      accept.payTo = PAYER;
    },
  ],
  [
    "has a higher price now",
    "does not say what it has charged",
    (accept, sent) => {
      Object.assign(accept.extra, told(sent, 300n, 1000n));
      accept.amount = "9000";
    },
  ],
];

for (const [what, fault, claims] of LIES) {
  test(`a server that says that it ${what} gets no second voucher`, async () => {
    const options = wallet();
    charge = "300";
    await payAndFetch(shop.url, {}, options);
    const { send, seen } = lying(claims);
    const refusal = await payAndFetch(shop.url, {}, { ...options, fetch: send }).then(() => "paid", String);
    expect(refusal).toContain(fault);
    expect(seen.map(({ voucher }) => voucher.maxClaimableAmount)).toEqual(["1300"]);
    expect(state(options)).toMatchObject([{ charged: "300", signed: "1300", open: "0" }]);
    const isDispute = fault.startsWith("responses") || fault.startsWith("more than");
    expect(state(options)[0]?.disputed === true).toBe(isDispute);
  });
}

test("a server that lied about its charges gets nothing more from that channel", async () => {
  const options = wallet();
  await payAndFetch(shop.url, {}, options);
  const { send, seen } = lying(({ extra }, sent) => void Object.assign(extra, told(sent, 2000n, 2000n)));
  expect(await payAndFetch(shop.url, {}, { ...options, fetch: send }).then(() => "paid", String)).toContain("claims");
  expect((await payAndFetch(shop.url, {}, options)).response.status).toBe(200);
  expect(seen.length).toBe(1);
  const [first, second] = state(options);
  expect([first, second]).toMatchObject([{ disputed: true, signed: "2000" }, { charged: "1000" }]);
  expect(first?.id).toBe(seen[0]?.voucher.channelId as `0x${string}`);
});

const UNSOUND: readonly (readonly [extra: Record<string, unknown>, fault: string])[] = [
  [{ withdrawDelay: 899 }, "the delay of withdrawals"],
  [{ withdrawDelay: 2_592_001 }, "the delay of withdrawals"],
  [{ withdrawDelay: "900" }, "the delay of withdrawals"],
  [{ withdrawDelay: 900.5 }, "the delay of withdrawals"],
  [{ receiverAuthorizer: `0x${"0".repeat(40)}` }, "the receiver's authorizer is not an account"],
  [{ receiverAuthorizer: undefined }, "the receiver's authorizer is not an account"],
];

function changing(extra: Record<string, unknown>) {
  return async (url: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(url, init);
    const required = decodeHeader(response.headers.get("payment-required") ?? "") as PaymentRequired;
    for (const accept of required.accepts) Object.assign(accept.extra, extra);
    return new Response("{}", { status: 402, headers: { "payment-required": encodeHeader(required) } });
  };
}

for (const [extra, fault] of UNSOUND) {
  test(`no channel is opened for ${JSON.stringify(extra)}`, async () => {
    const options = wallet();
    const refusal = payAndFetch(shop.url, {}, { ...options, fetch: changing(extra) }).then(() => "paid", String);
    expect(await refusal).toContain(fault);
    expect(state(options)).toEqual([]);
  });
}

test("a server that asks for a larger deposit than the limit gets the limit, and without channels nothing", async () => {
  await shop.close();
  const { facilitator } = chain;
  const goods = { network: NETWORK, asset: USDC, amount: "1000" } as const;
  shop = await openStockShop({ facilitator, ...goods, extra: { minDeposit: "900000000" } });
  const options = wallet("$0.004");
  expect((await payAndFetch(shop.url, {}, options)).response.status).toBe(200);
  expect(chain.deposits).toEqual([4000n]);
  const dear = await payAndFetch(shop.url, {}, wallet("$0.0009")).then(() => "paid", String);
  expect(dear).toContain("channels may hold $0.0009, and $0.00 are in them");
  const { channels: _, ...none } = options;
  expect(await payAndFetch(shop.url, {}, none).then(() => "paid", String)).toContain("none of the payment methods");
});

test("a damaged record is not used and not replaced", async () => {
  const options = wallet();
  const path = join(folder, String(counter));
  await payAndFetch(shop.url, {}, options);
  const newest = readdirSync(path)
    .map(Number.parseFloat)
    .toSorted((a, b) => b - a)[0];
  writeFileSync(join(path, `${newest}.json`), "{");
  expect(await payAndFetch(shop.url, {}, options).then(() => "paid", String)).toContain("damaged");
  expect(readFileSync(join(path, `${newest}.json`), "utf8")).toBe("{");
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(statSync(join(path, `${newest}.json`)).mode & 0o777).toBe(0o600);
});
