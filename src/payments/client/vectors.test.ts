/** The vectors of `clients/vectors.json`, which the tests of the Python client also read. Their hashes and signatures were made with viem. */
import { describe, expect, test } from "bun:test";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import vectors from "../../../clients/vectors.json";
import { type SignIn, signInText } from "../credit/sign-in.ts";
import { permit2Hash, type Permit2Authorization } from "../signatures/permit2-typed-data.ts";
import { recoverSigner } from "../signatures/recover-signer.ts";
import { addressOfPrivateKey, signHash } from "../signatures/signature.ts";
import { type Authorization, authorizationHash } from "../signatures/typed-data.ts";
import { type Address } from "../x402/address.ts";
import { checksumAddress } from "../x402/address-hash.ts";
import { paymentRequiredSchema } from "../x402/messages.ts";
import { type EvmNetwork } from "../x402/networks.ts";
import { parseAllowedAsset } from "./allowed-asset.ts";
import { choosePayment, parseDollars } from "./choice.ts";
import { readLimit } from "./limit.ts";
import { parsePreferences } from "./preference.ts";

const bytes = (hex: string): Uint8Array => hexToBytes(hex.slice(2));

test("keys, hashes and addresses", () => {
  for (const { private_key, address } of vectors.keys) {
    expect(checksumAddress(addressOfPrivateKey(bytes(private_key)))).toBe(address as Address);
  }
  for (const { text, keccak_256: hash } of vectors.hashes)
    expect(`0x${bytesToHex(keccak_256(utf8ToBytes(text)))}`).toBe(hash);
});

test("EIP-3009 and Permit2 signatures", () => {
  const authorizations = vectors.authorizations.map((vector) => {
    const { name, version, network, asset, authorization } = vector;
    const domain = { name, version, network: network as EvmNetwork, asset: asset as Address };
    return { ...vector, digest: authorizationHash(domain, authorization as Authorization) };
  });
  const permits = vectors.permits.map((vector) => ({
    ...vector,
    digest: permit2Hash(vector.network as EvmNetwork, vector.authorization as Permit2Authorization),
  }));
  for (const { digest, hash, signature, private_key, authorization } of [...authorizations, ...permits]) {
    expect(`0x${bytesToHex(digest)}`).toBe(hash);
    expect(signHash(digest, bytes(private_key)) as string).toBe(signature);
    expect(recoverSigner(digest, signature)).toBe(authorization.from.toLowerCase() as Address);
  }
});

test("the message of a sign-in", () => {
  expect(signInText(vectors.sign_in.message as SignIn)).toBe(vectors.sign_in.text);
});

test.each(vectors.limits)("the limit of $text", ({ text, micro_dollars }) => {
  const limit = readLimit(text);
  const micro = limit === undefined ? null : String(parseDollars(limit) / 10n ** 30n);
  expect(micro).toBe(micro_dollars);
});

describe("the choice among requirements", () => {
  test.each(vectors.choices)(
    "$name",
    async ({ required, max_price = "$1", assets = [], prefer = [], chosen, error }) => {
      const parsed = paymentRequiredSchema.safeParse(required);
      if (!parsed.success) {
        expect(error).toBe("Cannot pay: the 402 has no readable PAYMENT-REQUIRED header");
        return;
      }
      const choice = choosePayment(parsed.data, {
        maxPrice: max_price,
        assets: assets.map(parseAllowedAsset),
        prefer: parsePreferences(prefer),
      });
      const outcome = await choice.then(({ requirements }) => parsed.data.accepts.indexOf(requirements), String);
      if (error === undefined) expect(outcome).toBe(chosen ?? -1);
      else expect(outcome).toContain(error);
    },
  );
});
