import { describe, expect, test } from "bun:test";
import { decodeHeader } from "../../../../payments/x402/header.ts";
import { type SettlementTarget } from "../../../../payments/settlement/settlement-record.ts";
import { fieldValues } from "../../../../lib/http/fields.ts";
import { type Channel, channelNonce } from "../../../../store/channels.ts";
import { type Paid, receiptFields, receiptOf, refusalOf } from "./receipt.ts";

const TARGET = { testMode: false, gateway_id: "" } as SettlementTarget; // No other members are read.
const PAID: Paid = {
  network: "eip155:84532",
  scheme: "exact",
  amount: "10000",
  transaction: "0xabc",
  payer: "0xpayer",
  nonce: "0x01",
};
const PLAIN = { success: true, transaction: "0xabc", network: "eip155:84532", payer: "0xpayer" };
const ID = `0x${"c".repeat(64)}`;

function read(fields: string, name: string): unknown {
  return decodeHeader(fieldValues(fields, name)[0] ?? "");
}

describe("a receipt", () => {
  test.each<[string, Partial<Paid>, Partial<SettlementTarget>, object]>([
    ["of an exact payment", {}, {}, PLAIN],
    ["with upto has the charge", { scheme: "upto", amount: "7" }, {}, { ...PLAIN, amount: "7" }],
    ["with credit has the charge", { scheme: "turnpike-credit" }, {}, PLAIN],
    ["in test mode says so", {}, { testMode: true }, { ...PLAIN, extra: { testMode: true } }],
    ["names its gateway", {}, { gateway_id: "eu-1" }, { ...PLAIN, extra: { gatewayId: "eu-1" } }],
  ])("%s", (_what, paid, target, expected) => {
    expect(receiptOf({ ...TARGET, ...target }, { ...PAID, ...paid })).toMatchObject(expected);
  });

  test("of a channel has the charge and the sum of all charges, with the channel's state if it is known", () => {
    const paid = { ...PAID, scheme: "batch-settlement", nonce: channelNonce(ID, "500"), amount: "25" };
    expect(receiptOf(TARGET, paid)).toEqual({
      ...PLAIN,
      amount: "",
      extra: { chargedAmount: "25", channelState: { channelId: ID, chargedCumulativeAmount: "525" } },
    });
    const channel = { id: ID, balance: "900", claimed: "100", withdrawAt: 5, refundNonce: "2", base: "500" };
    // Of the channel, these members are read.
    const { extra } = receiptOf(TARGET, paid, channel as unknown as Channel);
    expect(extra).toMatchObject({
      chargedAmount: "25",
      channelState: {
        channelId: ID,
        balance: "900",
        totalClaimed: "100",
        withdrawRequestedAt: 5,
        refundNonce: "2",
        chargedCumulativeAmount: "525",
      },
    });
  });

  test("of a refusal has its reason", () => {
    const refusal = refusalOf({ network: "eip155:84532", from: "0xpayer" }, "no_money");
    expect(refusal).toEqual({
      success: false,
      errorReason: "no_money",
      transaction: "",
      network: "eip155:84532",
      payer: "0xpayer",
    });
    expect(receiptFields(refusal, { version: "mpp" })).toBe("");
  });
});

describe("the fields of a receipt", () => {
  const receipt = receiptOf(TARGET, PAID);

  test("by version 2 and by version 1", () => {
    const two = receiptFields(receipt, { version: 2 });
    expect([read(two, "payment-response"), fieldValues(two, "x-payment-response")]).toEqual([PLAIN, []]);
    const one = receiptFields(receipt, { version: 1 });
    expect(read(one, "payment-response")).toEqual(PLAIN);
    expect(read(one, "x-payment-response")).toEqual({ ...PLAIN, network: "base-sepolia" });
  });

  test("by the Payment scheme", () => {
    const fields = receiptFields(receipt, { version: "mpp", challengeId: "ch-1" }, 1000);
    const [value = ""] = fieldValues(fields, "payment-receipt");
    expect(JSON.parse(Buffer.from(value, "base64url").toString())).toMatchObject({
      status: "success",
      timestamp: "1970-01-01T00:00:01.000Z",
      reference: "0xabc",
      challengeId: "ch-1",
      chainId: 84_532,
    });
  });
});
