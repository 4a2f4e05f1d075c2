import { afterAll, beforeAll, expect, test } from "bun:test";
import { openStore } from "../../store/open/open-store.ts";
import { type Store } from "../../store/store.ts";
import { createSimulatedFacilitator } from "./simulated-facilitator.ts";
import { type Facilitator } from "../x402/facilitator.ts";
import { type PaymentRequirements } from "../x402/messages.ts";
import { compileTerms, completeTerms, findKind } from "../x402/terms.ts";
import { PAYER, TERMS } from "../testing/payment.ts";
import { signedPermit2 } from "../testing/permit2-payment.ts";

const NOW_S = 1_800_000_000;
let store: Store;
let facilitator: Facilitator;
let upto: PaymentRequirements;

beforeAll(async () => {
  store = openStore(":memory:", () => NOW_S * 1000);
  facilitator = createSimulatedFacilitator(store.simulatedTransfers, () => NOW_S * 1000);
  const incomplete = compileTerms({ ...TERMS, scheme: "upto" });
  const kind = findKind(await facilitator.supported(), incomplete);
  if (kind === undefined) throw new Error("Cannot test upto: the facilitator does not take it");
  upto = completeTerms(incomplete, kind);
});

afterAll(() => store.close());

const charging = (amount: string): PaymentRequirements => ({ ...upto, amount });

test("test mode sells under upto: the charge is settled once, even if a later call charges another amount", async () => {
  const payment = signedPermit2(upto, NOW_S);
  expect(await facilitator.verify(payment, upto)).toEqual({ kind: "valid", payer: PAYER });
  const settled = await facilitator.settle(payment, charging("1234"));
  expect(settled).toMatchObject({ kind: "settled", payer: PAYER });
  expect(await facilitator.settle(payment, charging("10000"))).toEqual(settled);
  expect(await facilitator.find(payment, upto)).toEqual({
    kind: "settled",
    transaction: expect.stringMatching(/^0x7e577e57/),
    payer: PAYER,
  });
  expect(await facilitator.verify(payment, upto)).toEqual({ kind: "refused", reason: "permit2_invalid_nonce" });
});

test("a charge above the agreed amount is refused", async () => {
  const payment = signedPermit2(upto, NOW_S);
  expect(await facilitator.settle(payment, charging("10001"))).toEqual({
    kind: "refused",
    reason: "invalid_upto_evm_payload_settlement_exceeds_amount",
  });
  expect(await facilitator.find(payment, upto)).toEqual({ kind: "unspent" });
});

test("a charge of 0 needs no transaction, and does not use the nonce", async () => {
  const payment = signedPermit2(upto, NOW_S);
  expect(await facilitator.settle(payment, charging("0"))).toEqual({ kind: "settled", transaction: "", payer: PAYER });
  expect(await facilitator.find(payment, upto)).toEqual({ kind: "unspent" });
});

test("a nonce is used for all tokens, and under both schemes", async () => {
  const exact = compileTerms({ ...TERMS, asset_transfer_method: "permit2" });
  const payment = signedPermit2(exact, NOW_S, { nonce: "77" });
  expect(await facilitator.settle(payment, exact)).toMatchObject({ kind: "settled" });
  for (const other of [upto, { ...exact, asset: exact.payTo }]) {
    const again = signedPermit2(other, NOW_S, { nonce: "77" });
    expect(await facilitator.verify(again, other)).toEqual({ kind: "refused", reason: "permit2_invalid_nonce" });
    expect(await facilitator.settle(again, other)).toEqual({ kind: "refused", reason: "permit2_invalid_nonce" });
    expect(await facilitator.find(again, other)).toEqual({ kind: "void" });
  }
});

test("an unsettled payment is void from its end on", async () => {
  const exact = compileTerms({ ...TERMS, asset_transfer_method: "permit2" });
  const ending = (deadline: number) => signedPermit2(exact, NOW_S, { deadline: String(deadline) });
  expect(await facilitator.find(ending(NOW_S + 1), exact)).toEqual({ kind: "unspent" });
  expect(await facilitator.find(ending(NOW_S), exact)).toEqual({ kind: "void" });
});
