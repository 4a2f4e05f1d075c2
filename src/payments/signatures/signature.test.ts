import { expect, setDefaultTimeout, test } from "bun:test";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import * as fc from "fast-check";
import { getAddress, hashTypedData } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { authorizationTypes } from "@x402/evm";
import { checksumAddress } from "../x402/address-hash.ts";
import { addressOfPrivateKey, signHash } from "./signature.ts";
import { recoverSigner } from "./recover-signer.ts";
import { authorizationHash } from "./typed-data.ts";
import { patient } from "../../lib/testing/patience.ts";

// On a busy machine, many property runs take long.
setDefaultTimeout(patient(30_000));

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value): `0x${string}` => `0x${bytesToHex(value)}`);
const uint256 = fc.bigInt({ min: 0n, max: (1n << 256n) - 1n });
const privateKey = fc
  .bigInt({ min: 1n, max: secp256k1.Point.Fn.ORDER - 1n })
  .map((value): `0x${string}` => `0x${value.toString(16).padStart(64, "0")}`);

const signed = fc.record({
  key: privateKey,
  name: fc.string({ unit: "grapheme", maxLength: 40 }),
  // viem omits an empty version from the domain; no token has an empty one.
  version: fc.string({ minLength: 1, maxLength: 8 }),
  chain: fc.integer({ min: 1, max: 2 ** 40 }),
  asset: hex(20),
  to: hex(20),
  value: uint256,
  validAfter: uint256,
  validBefore: uint256,
  nonce: hex(32),
});

test("the EIP-712 hash, the signature and the signer of any message are the same as in viem", async () => {
  await fc.assert(
    fc.asyncProperty(signed, async ({ key, name, version, chain, asset, to, ...numbers }) => {
      const account = privateKeyToAccount(key);
      const typed = {
        domain: { name, version, chainId: chain, verifyingContract: asset },
        types: authorizationTypes,
        primaryType: "TransferWithAuthorization",
        message: { from: account.address, to, ...numbers },
      } as const;
      const hash = authorizationHash(
        { name, version, network: `eip155:${chain}`, asset },
        {
          from: account.address,
          to,
          value: String(numbers.value),
          validAfter: String(numbers.validAfter),
          validBefore: String(numbers.validBefore),
          nonce: numbers.nonce,
        },
      );
      expect(`0x${bytesToHex(hash)}`).toBe(hashTypedData(typed));
      const signature = signHash(hash, hexToBytes(key.slice(2)));
      expect(signature).toBe(await account.signTypedData(typed));
      const signer = recoverSigner(hash, signature);
      expect(signer && checksumAddress(signer)).toBe(getAddress(account.address));
    }),
    { numRuns: 150 },
  );
});

const KEY = hexToBytes("ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");
const HASH = new Uint8Array(32).fill(7);
const SIGNATURE = signHash(HASH, KEY);

/** The same signature with s in the upper half. Plain ECDSA accepts it too. */
function mirrored(signature: string): string {
  const s = secp256k1.Point.Fn.ORDER - BigInt(`0x${signature.slice(66, 130)}`);
  const v = signature.endsWith("1b") ? "1c" : "1b";
  return `${signature.slice(0, 66)}${s.toString(16).padStart(64, "0")}${v}`;
}

const FORGED: readonly (readonly [name: string, signature: string])[] = [
  ["its mirror with a high s", mirrored(SIGNATURE)],
  ["v 0", `${SIGNATURE.slice(0, 130)}00`],
  ["v 29", `${SIGNATURE.slice(0, 130)}1d`],
  ["r and s of zero", `0x${"00".repeat(64)}1b`],
  ["r out of range", `0x${"ff".repeat(32)}${SIGNATURE.slice(66)}`],
  ["64 bytes", SIGNATURE.slice(0, 130)],
  ["66 bytes", `${SIGNATURE}00`],
  ["no hex", `0x${"zz".repeat(65)}`],
];

for (const [name, signature] of FORGED) {
  test(`a signature with ${name} has no signer`, () => {
    expect(recoverSigner(HASH, signature)).toBeUndefined();
  });
}

test("another hash, or a flipped bit, gives another signer", () => {
  const owner = addressOfPrivateKey(KEY);
  expect(recoverSigner(HASH, SIGNATURE)).toBe(owner);
  expect(recoverSigner(new Uint8Array(32).fill(8), SIGNATURE)).not.toBe(owner);
  expect(recoverSigner(HASH, SIGNATURE.replace(/^0x(..)/, "0x00"))).not.toBe(owner);
});
