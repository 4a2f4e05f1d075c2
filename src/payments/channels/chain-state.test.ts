import { expect, test } from "bun:test";
import { type ChannelFacilitator } from "../x402/channel-facilitator.ts";
import { configOf, lookAt } from "./chain-state.ts";
import { claimOrder, refundOrder, settleOrder } from "./orders.ts";
import { AUTHORIZER, claimedChannel } from "./testing/claimed-channel.ts";

const channel = claimedChannel();
const { network, token, receiver, receiverAuthorizer, withdrawDelay, id, signature } = channel;
/** The requirements of the seller's own orders: they cost nothing. */
const accepted = {
  scheme: "batch-settlement",
  network,
  amount: "0",
  asset: token,
  payTo: receiver,
  maxTimeoutSeconds: 0,
  extra: { receiverAuthorizer, withdrawDelay },
};

test("the state of a channel is asked for by a refund of nothing, with its newest voucher", async () => {
  const asked: unknown[] = [];
  const facilitator: ChannelFacilitator = {
    verify: async (...question) => {
      asked.push(question);
      return { kind: "unavailable", cause: "no response" };
    },
    settle: () => Promise.reject(new Error("nothing is settled")),
  };
  expect(await lookAt(facilitator, channel)).toMatchObject({ kind: "unavailable" });
  const voucher = { channelId: id, maxClaimableAmount: "3000", signature };
  const payload = { type: "refund", channelConfig: configOf(channel), voucher };
  expect(asked).toEqual([[{ x402Version: 2, accepted, payload }, accepted]]);
});

test("the orders of a seller name its channel's network, token and receiver, and no amount", () => {
  for (const order of [
    claimOrder([channel], AUTHORIZER),
    settleOrder(channel),
    refundOrder(channel, "6000", AUTHORIZER),
  ])
    expect(order).toMatchObject({ x402Version: 2, accepted });
});
