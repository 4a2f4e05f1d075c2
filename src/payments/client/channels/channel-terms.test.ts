import { expect, test } from "bun:test";
import { PAYEE, REQUIREMENTS, USDC } from "../../testing/payment.ts";
import { type PaymentRequirements } from "../../x402/messages.ts";
import { channelTermsOf } from "./channel-terms.ts";

const ZERO = `0x${"0".repeat(40)}`;
const UINT128_MAX = 2n ** 128n - 1n;
const DELAY = "the delay of withdrawals is not between 900 and 2592000 seconds";

test.each<[what: string, change: Partial<PaymentRequirements>, extra: object, expected: string | number]>([
  ["the shortest delay by default", {}, {}, 900],
  ["the shortest delay", {}, { withdrawDelay: 900 }, 900],
  ["the longest delay", {}, { withdrawDelay: 2_592_000 }, 2_592_000],
  ["a shorter delay", {}, { withdrawDelay: 899 }, DELAY],
  ["a longer delay", {}, { withdrawDelay: 2_592_001 }, DELAY],
  ["a delay of a part of a second", {}, { withdrawDelay: 900.5 }, DELAY],
  ["a delay as a text", {}, { withdrawDelay: "900" }, DELAY],
  ["the highest price", { amount: UINT128_MAX.toString() }, {}, 900],
  ["a higher price", { amount: (UINT128_MAX + 1n).toString() }, {}, "the price is too large"],
  ["no receiver", { payTo: "nobody" }, {}, "the receiver of the channel is not an account"],
  ["the zero address as receiver", { payTo: ZERO }, {}, "the receiver of the channel is not an account"],
  ["no token", { asset: "USDC" }, {}, "the token is not a contract"],
  ["no authorizer", {}, { receiverAuthorizer: undefined }, "the receiver's authorizer is not an account"],
  ["a name as authorizer", {}, { receiverAuthorizer: "seller" }, "the receiver's authorizer is not an account"],
  ["the zero address as authorizer", {}, { receiverAuthorizer: ZERO }, "the receiver's authorizer is not an account"],
])("the terms of a channel with %s", (_what, change, extra, expected) => {
  const requirements = { ...REQUIREMENTS, ...change, extra: { receiverAuthorizer: PAYEE, ...extra } };
  const parties = { receiver: PAYEE, receiverAuthorizer: PAYEE, token: USDC };
  expect(channelTermsOf(requirements)).toEqual(
    typeof expected === "string" ? expected : { ...parties, withdrawDelay: expected },
  );
});
