import { expect, test } from "bun:test";
import { channelConfig, channelRequirements, signedVoucher } from "../testing/channels.ts";
import { freshAccount } from "../evm/testing/shop.ts";
import { PAYEE, REQUIREMENTS, signedPayment, USDC } from "../testing/payment.ts";
import { type ChannelFacilitator } from "../x402/channel-facilitator.ts";
import { type Facilitator } from "../x402/facilitator.ts";
import { takeOnly } from "./asset-gate.ts";

const NETWORK = "eip155:84532";
const OTHER_TOKEN = `0x${"a".repeat(40)}` as const;
const FOREIGN = { ...REQUIREMENTS, asset: OTHER_TOKEN };
const ELSEWHERE = { ...REQUIREMENTS, network: "eip155:1" };
const payment = signedPayment(0);

/** A facilitator behind the gate, and the calls that reach it. */
function gated(withChannels = true) {
  const calls: string[] = [];
  const channels: ChannelFacilitator = {
    verify: async () => {
      calls.push("channels.verify");
      return { kind: "unavailable", cause: "asked" };
    },
    settle: async () => {
      calls.push("channels.settle");
      return { kind: "unknown", cause: "asked", transaction: "" };
    },
  };
  const facilitator: Facilitator = {
    supported: async () => [{ scheme: "exact", network: NETWORK }],
    verify: async () => {
      calls.push("verify");
      return { kind: "valid", payer: PAYEE };
    },
    settle: async () => {
      calls.push("settle");
      return { kind: "settled", transaction: "0x1", payer: PAYEE };
    },
    find: async () => {
      calls.push("find");
      return { kind: "unspent" };
    },
    close: async () => void calls.push("close"),
    channels: withChannels ? channels : undefined,
  };
  return { calls, gate: takeOnly(facilitator, [NETWORK], [{ network: NETWORK, address: USDC.toLowerCase() }]) };
}

test("the facilitator works on payments in its tokens, however their addresses are written", async () => {
  const { calls, gate } = gated();
  const upper = { ...REQUIREMENTS, asset: `0x${USDC.slice(2).toUpperCase()}` as const };
  for (const requirements of [REQUIREMENTS, upper]) {
    expect(await gate.verify(payment, requirements)).toEqual({ kind: "valid", payer: PAYEE });
    expect(await gate.settle(payment, requirements)).toMatchObject({ kind: "settled" });
    expect(await gate.find(payment, requirements)).toEqual({ kind: "unspent" });
  }
  expect(await gate.supported()).toEqual([{ scheme: "exact", network: NETWORK }]);
  await gate.close();
  expect(calls).toEqual(["verify", "settle", "find", "verify", "settle", "find", "close"]);
});

test.each([
  ["in another token", FOREIGN, "invalid_payment_requirements"],
  ["on another network", ELSEWHERE, "invalid_network"],
])(
  "no chain is asked about a payment %s, and none of its money counts as unspent",
  async (_what, requirements, reason) => {
    const { calls, gate } = gated();
    expect(await gate.verify(payment, requirements)).toEqual({ kind: "refused", reason } as never);
    expect(await gate.settle(payment, requirements)).toEqual({ kind: "refused", reason } as never);
    expect(await gate.find(payment, requirements)).toMatchObject({ kind: "unknown" });
    expect(calls).toEqual([]);
  },
);

function inToken(address: `0x${string}`) {
  return channelRequirements({ address, name: "T", version: "1" }, NETWORK, { payTo: PAYEE, authorizer: PAYEE });
}

test("a channel is worked on if its token and that of the requirements are allowed", async () => {
  const { calls, gate } = gated();
  const payer = freshAccount();
  const accepted = inToken(USDC);
  const paymentIn = (address: `0x${string}`) => {
    const config = channelConfig(inToken(address), payer.address);
    const voucher = signedVoucher(NETWORK, config, 1000n, payer);
    return { x402Version: 2, accepted, payload: { type: "voucher", channelConfig: config, voucher } } as const;
  };
  const order = (token: `0x${string}`) =>
    ({ x402Version: 2, accepted, payload: { type: "settle", receiver: PAYEE, token } }) as const;
  expect(await gate.channels?.verify(paymentIn(USDC), accepted)).toMatchObject({ cause: "asked" });
  expect(await gate.channels?.settle(order(USDC), accepted)).toMatchObject({ cause: "asked" });
  const refused = { kind: "refused", reason: "invalid_payment_requirements" } as const;
  expect(await gate.channels?.verify(paymentIn(OTHER_TOKEN), accepted)).toEqual(refused);
  expect(await gate.channels?.verify(paymentIn(USDC), inToken(OTHER_TOKEN))).toEqual(refused);
  expect(await gate.channels?.settle(order(OTHER_TOKEN), accepted)).toEqual(refused);
  expect(await gate.channels?.settle(order(USDC), { ...accepted, network: "eip155:1" })).toMatchObject({
    reason: "invalid_network",
  });
  expect(calls).toEqual(["channels.verify", "channels.settle"]);
  expect(gated(false).gate.channels).toBeUndefined();
});
