import { expect, test } from "bun:test";
import { recoverSigner } from "../../signatures/recover-signer.ts";
import { checkPermit2Signature, checkPermit2Terms } from "../../signatures/permit2.ts";
import { SIMULATED_FACILITATOR } from "../../x402/terms.ts";
import { type Signing } from "./signing.ts";
import { sign } from "./secp256k1.ts";
import { testWallet } from "./test-wallet.ts";
import {
  eip3009PaymentSchema,
  permit2PaymentSchema,
  type PaymentRequired,
  type PaymentRequirements,
} from "../../x402/messages.ts";
import { decodeHeader } from "../../x402/header.ts";
import { authorizationHash } from "../../signatures/typed-data.ts";
import { REQUIREMENTS, USDC } from "../../testing/payment.ts";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { addressOfKey } from "../../x402/address-hash.ts";
import { hexToBytes } from "@noble/hashes/utils.js";

test("a signature of any key over any hash is one that a token contract accepts", () => {
  for (let i = 0; i < 20; i += 1) {
    const { secretKey } = secp256k1.keygen();
    const hash = crypto.getRandomValues(new Uint8Array(32));
    const key = BigInt(`0x${Buffer.from(secretKey).toString("hex")}`);
    const signer = addressOfKey(secp256k1.getPublicKey(secretKey, false));
    expect(recoverSigner(hash, sign(hash, key))).toBe(signer);
  }
});

/** A page that lets the wallet sign. */
function signing(required: PaymentRequired, told: string[] = []): Signing {
  const [accepted = REQUIREMENTS] = required.accepts;
  return {
    required,
    accepted,
    price: "0.01 USDC",
    data: { networks: {}, tokens: {} },
    network: { title: "Base Sepolia" },
    now: () => 1_800_000_000,
    tell: (text) => told.push(text),
    confirm: () => Promise.reject(new Error("the test wallet needs no approval")),
    isStopped: () => false,
  };
}

test("the test wallet signs a payment of its own account, with the seller's extensions and an identifier", async () => {
  const offered = { info: { required: true }, schema: {} };
  const told: string[] = [];
  const required: PaymentRequired = {
    x402Version: 2,
    resource: { url: "https://shop.example/é" },
    accepts: [REQUIREMENTS],
    extensions: { bazaar: { info: 1 }, "payment-identifier": offered },
  };
  const payment = eip3009PaymentSchema.parse(decodeHeader(await testWallet().sign(signing(required, told))));
  expect(payment).toMatchObject({
    resource: { url: "https://shop.example/é" },
    accepted: REQUIREMENTS,
    extensions: {
      bazaar: { info: 1 },
      "payment-identifier": { info: { required: true, id: expect.stringMatching(/^pay_[0-9a-f]{64}$/) } },
    },
  });
  const { payload } = payment;
  expect(payload.authorization).toMatchObject({ value: "10000", validBefore: "1800000060" });
  const domain = { name: "USDC", version: "2", network: "eip155:84532", asset: USDC } as const;
  expect(recoverSigner(authorizationHash(domain, payload.authorization), payload.signature)).toBe(
    payload.authorization.from,
  );
  expect(told.at(1)).toContain("switch to Base Sepolia");
  expect(hexToBytes(payload.authorization.nonce.slice(2))).toHaveLength(32);
});

test.each(["exact", "upto"])("the test wallet signs a payment of the scheme %s by Permit2", async (scheme) => {
  const facilitator = scheme === "upto" ? { facilitatorAddress: SIMULATED_FACILITATOR } : {};
  const accepted: PaymentRequirements = {
    ...REQUIREMENTS,
    scheme,
    maxTimeoutSeconds: 86_400,
    extra: { ...REQUIREMENTS.extra, assetTransferMethod: "permit2", ...facilitator },
  };
  const required: PaymentRequired = { x402Version: 2, resource: { url: "https://shop.example/" }, accepts: [accepted] };
  const payment = permit2PaymentSchema.parse(decodeHeader(await testWallet().sign(signing(required))));
  expect(checkPermit2Terms(payment, accepted, 1_800_000_000)).toBeUndefined();
  expect(checkPermit2Signature(payment, accepted)).toMatchObject({ payer: expect.stringMatching(/^0x/) });
  expect(payment.payload.permit2Authorization.deadline).toBe(scheme === "upto" ? "1800007200" : "1800000600");
});
