import { afterEach, beforeEach, expect, test } from "bun:test";
import { watchTimers } from "../../lib/testing/timers.ts";
import { CHANNEL_SCHEME, channelNonce } from "../../store/channels.ts";
import { RECHECK_MS } from "../../store/ledger.ts";
import { openStore } from "../../store/open/open-store.ts";
import { type Store } from "../../store/store.ts";
import { RESERVATION } from "../../store/testing/reservation.ts";
import { identityOf } from "../channels/chain-state.ts";
import { freshAccount } from "../evm/testing/shop.ts";
import { channelId } from "../signatures/batch-settlement.ts";
import { channelConfig, channelRequirements, signedDeposit } from "../testing/channels.ts";
import { type ChannelFacilitator, type ChannelVerification } from "../x402/channel-facilitator.ts";
import { type Facilitator } from "../x402/facilitator.ts";
import { Reconciler, type ReconcilerOptions } from "./reconciler.ts";

const NETWORK = "eip155:84532";
const START = 1_800_000_000_000;
const payer = freshAccount();
const accepted = channelRequirements({ address: `0x${"a".repeat(40)}`, name: "T", version: "1" }, NETWORK, {
  payTo: `0x${"b".repeat(40)}`,
  authorizer: freshAccount().address,
});
const config = channelConfig(accepted, payer.address);
const payload = signedDeposit(accepted, config, { amount: 5000n, most: 1000n, signer: payer, now: START / 1000 });
const ID = channelId(NETWORK, config);
const DEPOSIT = JSON.stringify({ x402Version: 2, accepted, payload });
const VALID: ChannelVerification = {
  kind: "valid",
  payer: payer.address,
  state: { balance: 5000n, totalClaimed: 0n, withdrawRequestedAt: 0, refundNonce: 0n },
};
const ABSENT: ChannelVerification = { kind: "refused", reason: "invalid_batch_settlement_evm_channel_not_found" };

let clock: { now: number };
let store: Store;
let logged: string[];

beforeEach(() => {
  clock = { now: START };
  store = openStore(":memory:", () => clock.now);
  logged = [];
});
afterEach(() => store.close());

function never(): never {
  throw new Error("it is not asked");
}

/** The state of a deposit without a result after one round, some time later. The chain says `said` about its channel. */
async function looked(
  said: (() => Promise<ChannelVerification>) | undefined,
  { afterMs = RECHECK_MS + 1, text = DEPOSIT } = {},
) {
  const state = { balance: "0", claimed: "0", withdrawAt: 0, refundNonce: "0" };
  await store.channels.open(identityOf(NETWORK, ID, config), state, clock.now);
  const nonce = channelNonce(ID, "0");
  const reservation = { ...RESERVATION, scheme: CHANNEL_SCHEME, amount: "1000", nonce, payload: text };
  const { payment } = await store.ledger.reserve(reservation);
  await store.ledger.move(payment, { state: "unknown", lease: false });
  clock.now += afterMs;
  const channels: ChannelFacilitator | undefined = said && { verify: said, settle: never };
  const facilitator: Facilitator = {
    supported: async () => [{ scheme: CHANNEL_SCHEME, network: "eip155:*" }],
    verify: never,
    settle: never,
    find: never,
    close: async () => {},
    channels,
  };
  const options: ReconcilerOptions = {
    ledger: store.ledger,
    channels: store.channels,
    facilitators: () => [facilitator],
    testMode: () => false,
    notice: (_payment, { amount, payer: from }) => ({
      id: "a",
      url: "http://books.test",
      body: `${amount} ${from}`,
    }),
    clock: () => clock.now,
    random: () => 0.5,
    log: (message) => logged.push(message),
  };
  const ended = await new Reconciler(options).round();
  return { ended, row: await store.ledger.find(reservation) };
}

test("a deposit that the chain shows is settled, with its record", async () => {
  const { ended, row } = await looked(async () => VALID);
  expect([ended, row]).toMatchObject([1, { state: "settled", payer: payer.address }]);
  expect(await store.channels.find(ID.toLowerCase())).toMatchObject({ balance: "5000", syncedAt: clock.now });
  expect(await store.outbox.claim(2)).toMatchObject([{ body: `1000 ${payer.address}` }]);
});

test("a deposit that the chain does not show stays open while it can be made", async () => {
  const { ended, row } = await looked(async () => ABSENT);
  expect([ended, row?.state]).toEqual([0, "unknown"]);
});

test("a deposit that the chain does not show fails ten minutes after its end", async () => {
  const late = await looked(async () => ABSENT, { afterMs: accepted.maxTimeoutSeconds * 1000 + 601_000 });
  const reason = "invalid_batch_settlement_evm_payload_authorization_valid_before";
  expect([late.ended, late.row]).toMatchObject([1, { state: "failed", reason }]);
});

test.each([
  ["no facilitator works on channels", undefined, DEPOSIT, []],
  ["it is a voucher alone", async () => VALID, JSON.stringify({ payload: { voucher: payload.voucher } }), []],
  [
    "its facilitator has a defect",
    () => Promise.reject(new TypeError("secret")),
    DEPOSIT,
    ["reconciliation: a lookup failed unexpectedly: TypeError"],
  ],
])("a deposit stays open if %s", async (_what, said, text, lines) => {
  const { ended, row } = await looked(said, { text });
  expect([ended, row?.state, logged]).toEqual([0, "unknown", lines]);
});

test("a look at a channel may take 20 seconds: then the deposit stays open", async () => {
  using timers = watchTimers((ms) => (ms === 20_000 ? 1 : ms));
  const { row } = await looked(() => new Promise(() => {}));
  expect([row?.state, timers.pending(20_000)]).toEqual(["unknown", 0]);
});
