import { expect, test } from "bun:test";
import { PAYEE, REQUIREMENTS, signedPayment } from "../testing/payment.ts";
import { signedPermit2 } from "../testing/permit2-payment.ts";
import { contradictionIn } from "./contradiction.ts";
import { type PaymentPayload, type PaymentRequirements } from "./messages.ts";

const PERMIT2 = { ...REQUIREMENTS, extra: { ...REQUIREMENTS.extra, assetTransferMethod: "permit2" } };
const UPTO = { ...PERMIT2, scheme: "upto" };
const ON_SOLANA = { ...REQUIREMENTS, network: "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1" };
const OTHER_METHOD = "it accepts another transfer method than its own,";

const byEip3009 = (accepted: PaymentRequirements, more: object = {}): PaymentPayload => ({
  ...signedPayment(0),
  accepted,
  ...more,
});
const byPermit2 = (accepted: PaymentRequirements): PaymentPayload => ({ ...signedPermit2(PERMIT2, 0), accepted });

test.each<[string, PaymentPayload, string | undefined]>([
  ["by EIP-3009", byEip3009(REQUIREMENTS), undefined],
  ["by Permit2", byPermit2(PERMIT2), undefined],
  ["under upto", byPermit2(UPTO), undefined],
  ["by EIP-3009 under upto", byEip3009(UPTO), "it accepts the scheme upto, and is made by EIP-3009"],
  ["by EIP-3009 that accepts Permit2", byEip3009(PERMIT2), `${OTHER_METHOD} eip3009`],
  ["by Permit2 that accepts EIP-3009", byPermit2(REQUIREMENTS), `${OTHER_METHOD} permit2`],
  ["with its scheme in the members of version 1", byEip3009(REQUIREMENTS, { scheme: "exact" }), undefined],
  ["with two schemes", byEip3009(REQUIREMENTS, { scheme: "upto" }), "it names two schemes"],
  ["with the name of its network", byEip3009(REQUIREMENTS, { network: "base-sepolia" }), undefined],
  ["with its network twice", byEip3009(REQUIREMENTS, { network: REQUIREMENTS.network }), undefined],
  ["with two networks", byEip3009(REQUIREMENTS, { network: "base" }), "it names two networks"],
  ["with a number as its network", byEip3009(REQUIREMENTS, { network: 84532 }), "it names two networks"],
  ["on Solana", { x402Version: 2, accepted: ON_SOLANA, payload: { transaction: "AQ==" } }, undefined],
  // Its facilitator reads it.
  ["on an unknown network", byEip3009({ ...PERMIT2, network: "stellar:pubnet", payTo: PAYEE }), undefined],
])("a payment %s", (_what, payment, expected) => {
  expect(contradictionIn(payment)).toBe(expected);
});
