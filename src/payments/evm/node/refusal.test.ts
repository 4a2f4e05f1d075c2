import { expect, test } from "bun:test";
import { toRefusal } from "./refusal.ts";

test.each([
  [3, "execution reverted: nonce too low", "reverted"],
  [3, "already known", "reverted"],
  [-32_000, "execution reverted", "reverted"],
  [-32_000, "execution reverted: rate limit exceeded", "reverted"],
  [-32_000, "Execution reverted: insufficient funds", "reverted"],
  [-32_603, "VM Exception while processing transaction: revert already known", "reverted"],
  [-32_015, "VM execution error.", "reverted"],
  [-32_603, "EVM error OutOfGas", "reverted"],
  [-32_000, "gas required exceeds allowance (300000)", "reverted"],
  [-32_000, "nonce too low: next nonce 5, tx nonce 4", "nonce too low"],
  [-32_010, "OldNonce, Current nonce: 5, nonce of rejected tx: 4", "nonce too low"],
  [-32_000, "already known", "already known"],
  [-32_010, "AlreadyKnown", "already known"],
  [-32_603, "transaction already imported", "already known"],
  [-32_000, "replacement transaction underpriced", "underpriced"],
  [-32_000, "max fee per gas less than block base fee", "underpriced"],
  [-32_003, "insufficient funds for gas * price + value", "no funds"],
  [-32_005, "whatever", "busy"],
  [429, "Your app has exceeded its compute units per second capacity", "busy"],
  [-32_601, "the method eth_feeHistory does not exist/is not available", "unknown method"],
  [-32_601, "request count unavailable", "unknown method"],
  [-32_000, "", "other"],
] as const)("a node's error %d %j means: %s", (code, message, refusal) => {
  expect(toRefusal(code, message)).toBe(refusal);
});
