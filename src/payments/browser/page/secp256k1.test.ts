import { expect, test } from "bun:test";
import { recoverSigner } from "../../signatures/recover-signer.ts";
import { signPayment } from "./sign.ts";
import { sign } from "./secp256k1.ts";
import { testWallet } from "./test-wallet.ts";
import { eip3009PaymentSchema } from "../../x402/messages.ts";
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

test("the test wallet signs a payment of its own account, with the seller's extensions and an identifier", async () => {
  const wallet = testWallet();
  const offered = { info: { required: true }, schema: {} };
  const told: string[] = [];
  const header = await signPayment({
    required: {
      x402Version: 2,
      resource: { url: "https://shop.example/é" },
      accepts: [REQUIREMENTS],
      extensions: { bazaar: { info: 1 }, "payment-identifier": offered },
    },
    accepted: REQUIREMENTS,
    provider: wallet.provider,
    network: { title: "Base Sepolia" },
    now: () => 1_800_000_000,
    tell: (text) => told.push(text),
  });
  const payment = eip3009PaymentSchema.parse(decodeHeader(header));
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
