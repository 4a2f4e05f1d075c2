import { expect, test } from "bun:test";
import { refundOrder } from "./orders.ts";
import { AUTHORIZER, claimedChannel } from "./testing/claimed-channel.ts";

test.each([
  ["charges that are not claimed", { charged: "3000", claimed: "2999" }, ["3000"]],
  ["nothing to claim", { charged: "3000", claimed: "3000" }, []],
  ["a claim that its ledger does not know", { charged: "3000", claimed: "3001" }, []],
])("a refund of a channel with %s claims what is charged", (_what, change, claimed) => {
  const { payload } = refundOrder(claimedChannel(change), "1", AUTHORIZER);
  expect(payload.type === "refund" && payload.claims?.map(({ totalClaimed }) => totalClaimed)).toEqual(claimed);
});
