import { expect, test } from "bun:test";
import { REQUIREMENTS } from "../../../../payments/testing/payment.ts";
import { type PaymentRequired } from "../../../../payments/x402/messages.ts";
import { TermsSigner } from "./signed-terms.ts";

const START_S = 1_800_000_000;
const key = { format: "eip712", algorithm: "EdDSA", privateKey: new Uint8Array(32).fill(7), kid: "" } as const;
const settings = { key_env: "", format: "eip712", algorithm: "EdDSA", kid: "", transaction: false } as const;

test("an offer is handed out for half of its time, and signed again after the clock was set back", () => {
  let now = START_S * 1000 + 999;
  const signer = new TermsSigner(key, settings, () => now);
  const accepts = [{ ...REQUIREMENTS, maxTimeoutSeconds: 60 }];
  const required: PaymentRequired = { x402Version: 2, resource: { url: "https://a.test/" }, accepts };
  const validFor = (passedS: number): number => {
    now += passedS * 1000;
    const validUntil = /"validUntil":(\d+)/.exec(JSON.stringify(signer.offering(required)))?.[1];
    return Number(validUntil) - Math.floor(now / 1000);
  };
  expect([validFor(0), validFor(29), validFor(1)]).toEqual([60, 31, 60]);
  expect(validFor(-86_400)).toBe(60);
});
