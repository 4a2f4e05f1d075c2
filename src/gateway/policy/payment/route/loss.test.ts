import { expect, test } from "bun:test";
import { REQUIREMENTS } from "../../../../payments/testing/payment.ts";
import { type FunnelLoss } from "../../../telemetry/metrics/funnel-steps.ts";
import { type ChallengeError } from "../challenge/challenge.ts";
import { lossOf } from "./loss.ts";

test.each<[ChallengeError, FunnelLoss]>([
  ["insufficient_funds", "unfunded"],
  ["invalid_batch_settlement_evm_insufficient_balance", "unfunded"],
  ["permit2_allowance_required", "allowance"],
  ["invalid_exact_evm_payload_authorization_valid_before", "expired"],
  ["invalid_batch_settlement_evm_voucher_signature", "signature"],
  ["invalid_batch_settlement_evm_cumulative_amount_mismatch", "price"],
  ["invalid_batch_settlement_evm_receiver_mismatch", "terms"],
  ["invalid_batch_settlement_evm_network_mismatch", "network"],
  ["invalid_batch_settlement_evm_channel_not_found", "refused"],
  ["No matching payment requirements", "terms"],
])("the reason %s counts as %s", (reason, loss) => {
  expect(lossOf(reason)).toBe(loss);
});

const lossFor = (change: object, accepts = [REQUIREMENTS]) =>
  lossOf("No matching payment requirements", { ...REQUIREMENTS, ...change }, accepts);

test("a payment for no terms of the route counts as what it differs in", () => {
  const { asset } = REQUIREMENTS;
  expect(lossFor({ network: "eip155:1" })).toBe("network");
  expect(lossFor({ asset: `0x${"1".repeat(40)}` })).toBe("network");
  expect(lossFor({}, [])).toBe("network");
  expect(lossFor({ amount: "1" })).toBe("price");
  // The same address is written in two ways.
  expect(lossFor({ asset: `0x${asset.slice(2).toLowerCase()}`, maxTimeoutSeconds: 1 })).toBe("terms");
  // One of two prices is right.
  expect(lossFor({ amount: "1" }, [REQUIREMENTS, { ...REQUIREMENTS, amount: "1" }])).toBe("terms");
  expect(lossFor({ amount: "1" }, [{ ...REQUIREMENTS, network: "eip155:1", amount: "1" }, REQUIREMENTS])).toBe("price");
});
