import { afterEach, beforeEach, expect, test } from "bun:test";
import { identityOf, toChainState } from "../../../../payments/channels/chain-state.ts";
import { freshAccount } from "../../../../payments/evm/testing/shop.ts";
import { channelId } from "../../../../payments/signatures/batch-settlement.ts";
import {
  channelConfig,
  channelRequirements,
  signedDeposit,
  signedVoucher,
} from "../../../../payments/testing/channels.ts";
import { EARLY as UNCOUNTED, type ChannelVerification } from "../../../../payments/x402/channel-facilitator.ts";
import { openStore } from "../../../../store/open/open-store.ts";
import { type Store } from "../../../../store/store.ts";
import { channels as channelKeys } from "../../../config/schema/x402-channels.ts";
import { NETWORK, SELLER, TOKEN } from "../metered/testing/metered-sale.ts";
import { type PaidRoute } from "../route/paid-route.ts";
import { askChain, EARLY, LIMITED } from "./ask-chain.ts";
import { type ChannelOffer } from "./channel-offer.ts";
import { ChannelDesk } from "./desk/channel-desk.ts";

const START = 1_800_000_000_000;
const EMPTY = { balance: 0n, totalClaimed: 0n, withdrawRequestedAt: 0, refundNonce: 0n };
const FUNDED = { ...EMPTY, balance: 9000n };
const ABSENT: ChannelVerification = { kind: "refused", reason: "invalid_batch_settlement_evm_channel_not_found" };

let store: Store;
beforeEach(() => {
  store = openStore(":memory:", () => START);
});
afterEach(() => store.close());

/** A client's payment from a channel, and what the chain says about it. */
function asking(said: ChannelVerification | "no chain", { base = "0", isDeposit = false } = {}) {
  const accepted = channelRequirements(TOKEN, NETWORK, SELLER);
  const payer = freshAccount();
  const config = channelConfig(accepted, payer.address);
  const id = channelId(NETWORK, config);
  const voucher = signedVoucher(NETWORK, config, BigInt(base) + 1000n, payer);
  const now = START / 1000;
  const payload = isDeposit
    ? signedDeposit(accepted, config, { amount: 5000n, most: 1000n, signer: payer, now })
    : ({ type: "voucher", channelConfig: config, voucher } as const);
  const logged: string[] = [];
  let asked = 0;
  const desk = new ChannelDesk(
    { keys: channelKeys.parse({ withdraw_delay_s: 900 }), authorizer: freshAccount() },
    store.channels,
    () => START,
  );
  const verify = async (): Promise<ChannelVerification> => {
    asked += 1;
    return said as ChannelVerification;
  };
  const route = {
    facilitator: { channels: said === "no chain" ? undefined : { verify } },
    clock: () => START,
    log: (line: string) => logged.push(line),
    route: "/goods",
  } as unknown as PaidRoute; // Nothing else of it is read.
  const offer = {
    payment: { x402Version: 2, accepted, payload },
    agreed: accepted,
    channelId: id,
    desk,
    base,
    address: "192.0.2.1",
  } as unknown as ChannelOffer; // Nothing else of it is read.
  const ask = (about?: "known" | "new" | "fresh") => askChain(route, offer, about);
  const open = () => store.channels.open(identityOf(NETWORK, id, config), toChainState(FUNDED), START - 1);
  return { ask, open, id, desk, logged, asked: () => asked };
}

const valid = (state: typeof EMPTY): ChannelVerification => ({ kind: "valid", payer: SELLER.payTo, state });

test.each([
  ["with money", FUNDED, "0"],
  ["with money, that was charged elsewhere", FUNDED, "5000"],
  ["without money, at its first charge", EMPTY, "0"],
] as const)("a new channel %s gets a row with the chain's state", async (_what, state, base) => {
  const { ask, id } = asking(valid(state), { base });
  const row = { id, balance: String(state.balance), syncedAt: START };
  expect(await ask("new")).toMatchObject(row);
  expect(await store.channels.find(id)).toMatchObject(row);
});

test("a voucher for later charges of a channel without money leaves no row", async () => {
  const { ask, id } = asking(valid(EMPTY), { base: "1" });
  expect(await ask("new")).toBe("invalid_batch_settlement_evm_cumulative_amount_mismatch");
  expect(await store.channels.find(id)).toBeUndefined();
});

test("a known channel gets the chain's state, even if it is empty now", async () => {
  const { ask, open, id } = asking(valid(EMPTY), { base: "1" });
  await open();
  expect(await ask("known")).toMatchObject({ id, balance: "0", syncedAt: START });
});

test("a channel that the chain does not have is not looked up again at once, except for a deposit", async () => {
  const voucher = asking(ABSENT);
  expect([await voucher.ask("new"), await voucher.ask("new"), voucher.asked()]).toEqual([
    "invalid_batch_settlement_evm_channel_not_found",
    "invalid_batch_settlement_evm_channel_not_found",
    1,
  ]);
  expect([await voucher.ask("known"), voucher.asked()]).toEqual(["invalid_batch_settlement_evm_channel_not_found", 2]);
  const deposit = asking(ABSENT, { isDeposit: true });
  await deposit.ask("new");
  await deposit.ask("new");
  expect([deposit.asked(), deposit.desk.looks.isAbsent(deposit.id)]).toEqual([2, false]);
});

test("after 100 refused payments of a client, the chain is asked only if the row says that the payment is right", async () => {
  const { ask, asked } = asking(ABSENT);
  for (let at = 0; at < 100; at++) await ask("known");
  expect([await ask("known"), await ask(), await ask("new"), asked()]).toEqual([LIMITED, LIMITED, LIMITED, 100]);
  expect([await ask("fresh"), asked()]).toEqual(["invalid_batch_settlement_evm_channel_not_found", 101]);
});

test("a voucher whose money is in a block that does not count yet can be sent again, and the log names no facilitator", async () => {
  const { ask, logged } = asking(UNCOUNTED);
  expect(await ask("known")).toBe(EARLY);
  expect(logged).toEqual([
    "payment: a payment from a channel on /goods came early: the money of the channel is in a block that does not count yet",
  ]);
  for (let at = 1; at < 100; at++) await ask("known");
  expect(await ask("known")).toBe(LIMITED);
});

test("payments that the chain accepts do not count", async () => {
  const { ask, asked } = asking(valid(FUNDED));
  for (let at = 0; at < 150; at++) await ask("known");
  expect(asked()).toBe(150);
});

test.each([
  ["of a refund is recorded", { ...EMPTY, refundNonce: 1n }, { balance: "0", refundNonce: "1", syncedAt: START }],
  ["without a refund is not recorded", EMPTY, { balance: "9000", refundNonce: "0", syncedAt: START - 1 }],
] as const)("the state %s if the chain refuses a payment", async (_what, state, row) => {
  const reason = "invalid_batch_settlement_evm_cumulative_exceeds_balance";
  const { ask, open, id } = asking({ kind: "refused", reason, state });
  await open();
  expect(await ask("known")).toBe(reason);
  expect(await store.channels.find(id)).toMatchObject(row);
});

test("a new channel gets no row by a refused payment", async () => {
  const reason = "invalid_batch_settlement_evm_cumulative_exceeds_balance";
  const { ask, id } = asking({ kind: "refused", reason, state: { ...EMPTY, refundNonce: 1n } });
  expect([await ask("new"), await store.channels.find(id)]).toEqual([reason, undefined]);
});

test("without a response of the chain nothing is known, and the log says why", async () => {
  const failing = asking({ kind: "unavailable", cause: "no response" });
  expect(await failing.ask("known")).toBeUndefined();
  expect(failing.logged).toEqual([
    "payment: cannot look up a channel on /goods (facilitator unavailable): no response",
  ]);
  expect(await asking("no chain").ask("known")).toBeUndefined();
});
