import { expect, test } from "bun:test";
import { join } from "node:path";
import { isDefinite, type Reason, toReason } from "./reasons.ts";

/** The reference facilitator's reasons for gas that it pays for the payer, outside of channels. */
const NOT_OURS = /^(?!invalid_batch_settlement_).*(?:2612|erc20_approval)/;

test("every reason of the reference facilitator for Permit2, upto and channels is on the list", async () => {
  const folder = join(Bun.resolveSync("@x402/evm/package.json", import.meta.dir), "..", "dist", "esm");
  const words = new Set<string>();
  for (const name of new Bun.Glob("**/*.mjs").scanSync(folder)) {
    const source = await Bun.file(join(folder, name)).text();
    for (const [, word = ""] of source.matchAll(/Err\w+ = "([a-z0-9_]*(?:permit2|upto|batch_settlement)[a-z0-9_]*)"/g))
      words.add(word);
  }
  const own = [...words].filter((word) => !NOT_OURS.test(word));
  expect(own.length).toBeGreaterThan(70);
  expect(own.filter((word) => toReason(word) !== word)).toEqual([]);
});

test("an unlisted reason becomes payment_refused", () => {
  for (const word of ["https://rpc.example/key", "__proto__", "constructor", "", null, undefined]) {
    expect(toReason(word)).toBe("payment_refused");
  }
});

test("a refusal is definite, unless the nonce may be spent or a transaction may be pending", () => {
  const transaction = `0x${"1".repeat(64)}`;
  const unclear: readonly Reason[] = ["permit2_invalid_nonce", "permit2_simulation_failed", "payment_refused"];
  for (const reason of unclear) expect(isDefinite(reason, transaction)).toBe(false);
  const definite: readonly Reason[] = [
    "permit2_allowance_required",
    "permit2_insufficient_balance",
    "upto_facilitator_mismatch",
  ];
  for (const reason of definite) expect(isDefinite(reason, "")).toBe(true);
  for (const scheme of ["exact", "upto"] as const) {
    expect(isDefinite(`invalid_${scheme}_evm_transaction_failed`, "")).toBe(false);
    expect(isDefinite(`invalid_${scheme}_evm_transaction_failed`, transaction)).toBe(true);
  }
});
