import { expect, test } from "bun:test";
import { PAYEE, PAYER } from "../testing/payment.ts";
import { EARLY, type ChannelSettlement } from "../x402/channel-facilitator.ts";
import { type ChannelOrder, type ChannelPayment, type ChannelRequirements } from "../x402/channel-messages.ts";
import { type AskFacilitator, httpChannels, settlementJson, verificationJson } from "./channel-calls.ts";

const NETWORK = "eip155:84532";
const ORDER = { payload: { type: "claim", claims: [] } } as unknown as ChannelOrder; // The rest is not read.

test.each<[what: string, settlement: ChannelSettlement, json: object]>([
  [
    "was made",
    { kind: "settled", transaction: "0x1", amount: "5" },
    { success: true, transaction: "0x1", network: NETWORK, amount: "5" },
  ],
  [
    "is refused",
    { kind: "refused", reason: "insufficient_funds" },
    {
      success: false,
      errorReason: "insufficient_funds",
      transaction: "",
      network: NETWORK,
      extra: { definite: true },
    },
  ],
  [
    "is under way",
    { kind: "unknown", cause: "no receipt", transaction: "0x1" },
    { success: false, errorReason: "settlement_pending", transaction: "0x1", network: NETWORK },
  ],
  [
    "was not sent",
    { kind: "unknown", cause: "busy", transaction: "", isUnsent: true },
    {
      success: false,
      errorReason: "settlement_pending",
      transaction: "",
      network: NETWORK,
      extra: { unsent: true },
    },
  ],
])("the response to an order that %s", (_what, settlement, json) => {
  expect(settlementJson(settlement, ORDER, NETWORK)).toEqual(json);
});

test.each<[status: number, verification: object, settlement: object]>([
  [200, { kind: "valid" }, { kind: "settled" }],
  [400, { kind: "failed", cause: "it responded with 400" }, { kind: "unknown" }],
])("a success that comes with the status %d", async (status, verification, settlement) => {
  const state = { balance: "9", totalClaimed: "1", withdrawRequestedAt: 0, refundNonce: "0" };
  const json = { isValid: true, extra: { ...state, channelState: state }, success: true, network: NETWORK };
  const ask: AskFacilitator = async ({ schema }) => ({ status, data: schema.parse(json) });
  const facilitator = httpChannels(ask, false);
  const terms = { network: NETWORK } as ChannelRequirements; // The rest is not read.
  const payment = { payload: { channelConfig: {} } } as ChannelPayment; // Neither.
  expect(await facilitator.verify(payment, terms)).toMatchObject(verification);
  expect(await facilitator.settle(ORDER, terms)).toMatchObject(settlement);
});

test.each([
  [{ error: "unavailable", cause: "it is away" }, {}],
  [{ error: "failed", cause: "it is away", isUnsent: true }, { isUnsent: true }],
] as const)("no usable response: %j", async (said, more) => {
  const facilitator = httpChannels(async () => said, false);
  const terms = { network: NETWORK } as ChannelRequirements; // The rest is not read.
  const payment = { payload: { channelConfig: {} } } as ChannelPayment; // Neither.
  expect(await facilitator.verify(payment, terms)).toEqual({ kind: said.error, cause: "it is away" });
  expect(await facilitator.settle(ORDER, terms)).toEqual({
    kind: "unknown",
    cause: "it is away",
    transaction: "",
    ...more,
  });
});

test.each<[status: number, reason: string, kind: string]>([
  [200, "invalid_batch_settlement_evm_rpc_read_failed", "failed"],
  [500, "invalid_batch_settlement_evm_rpc_read_failed", "unavailable"],
  [499, "its_own", "refused"],
  [500, "its_own", "unavailable"],
  [500, "insufficient_funds", "refused"],
])("a verification with the status %d and the reason %s is %s", async (status, invalidReason, kind) => {
  const payment = { payload: { channelConfig: {} } } as ChannelPayment; // The rest is not read.
  const terms = { network: NETWORK } as ChannelRequirements; // Neither.
  const ask: AskFacilitator = async ({ schema }) => ({ status, data: schema.parse({ isValid: false, invalidReason }) });
  expect((await httpChannels(ask, false).verify(payment, terms)).kind).toBe(kind as "failed"); // One of the table.
});

test("an early verification stays early over HTTP", async () => {
  const payment = { payload: { channelConfig: { payer: PAYER } } } as ChannelPayment; // The rest is not read.
  const terms = { network: NETWORK } as ChannelRequirements; // Neither.
  const json = verificationJson(EARLY, payment);
  const ask: AskFacilitator = async ({ schema }) => ({ status: 503, data: schema.parse(json) });
  expect(await httpChannels(ask, false).verify(payment, terms)).toEqual(EARLY);
});

test.each([
  [PAYEE, PAYEE],
  ["someone", PAYER],
  [null, PAYER],
])("the payer of a valid payment by %p is %s", async (payer, expected) => {
  const payment = { payload: { channelConfig: { payer: PAYER } } } as ChannelPayment; // The rest is not read.
  const terms = { network: NETWORK } as ChannelRequirements; // Neither.
  const extra = { balance: "9", totalClaimed: "1", withdrawRequestedAt: 0, refundNonce: "0" };
  const ask: AskFacilitator = async ({ schema }) => ({
    status: 200,
    data: schema.parse({ isValid: true, payer, extra }),
  });
  expect(await httpChannels(ask, false).verify(payment, terms)).toMatchObject({ kind: "valid", payer: expected });
});

test("a verification that does not describe the channel has failed", async () => {
  const payment = { payload: { channelConfig: {} } } as ChannelPayment; // The rest is not read.
  const terms = { network: NETWORK } as ChannelRequirements; // Neither.
  const facilitator = httpChannels(
    async ({ schema }) => ({ status: 200, data: schema.parse({ isValid: true, extra: {} }) }),
    false,
  );
  expect(await facilitator.verify(payment, terms)).toEqual({
    kind: "failed",
    cause: "its response does not describe the channel",
  });
});

test.each([
  ["9".repeat(78), "settled"],
  ["9".repeat(79), "invalid"],
])("a facilitator may say that %s was moved: %s", async (amount, kind) => {
  const ask: AskFacilitator = async ({ schema }) => {
    const { data } = schema.safeParse({ success: true, network: NETWORK, amount });
    return data === undefined ? { error: "failed", cause: "invalid" } : { status: 200, data };
  };
  const settlement = await httpChannels(ask, false).settle(ORDER, { network: NETWORK } as ChannelRequirements); // The rest is not read.
  expect(Object.values(settlement)).toContain(kind);
});
