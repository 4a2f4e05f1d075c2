import { expect, test } from "bun:test";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { hexToBytes } from "@noble/hashes/utils.js";
import * as fc from "fast-check";
import { isInstalled } from "../../lib/testing/installed.ts";
import { nativeRecovery } from "./native-recovery.ts";
import { compileRecovery, recoverInScript } from "./recover-key.ts";

const native = nativeRecovery();
const compiled = [await compileRecovery()];
if (isInstalled("libsecp256k1", native !== undefined) && native !== undefined) compiled.push(native);
const { ORDER } = secp256k1.Point.Fn;
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const recovery = fc.constantFrom(0 as const, 1 as const);

function numberBytes(value: bigint): Uint8Array {
  return hexToBytes(value.toString(16).padStart(64, "0"));
}

/** Random numbers, and those at the ends of the ranges that a signature's r and s can have. */
const part = fc.oneof(
  { weight: 3, arbitrary: bytes32 },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(0n, 1n, ORDER - 1n, ORDER, ORDER + 1n, secp256k1.Point.Fp.ORDER, (1n << 256n) - 1n)
      .map(numberBytes),
  },
);

test("script and compiled code find the key that signed, for any key and hash", () => {
  fc.assert(
    fc.property(bytes32, fc.bigInt({ min: 1n, max: ORDER - 1n }).map(numberBytes), (hash, key) => {
      const signature = secp256k1.sign(hash, key, { prehash: false, format: "recovered" });
      const bit = signature[0] === 1 ? 1 : 0;
      const owner = secp256k1.getPublicKey(key, false);
      for (const recover of [recoverInScript, ...compiled])
        expect(recover(hash, signature.subarray(1), bit)).toEqual(owner);
    }),
    { numRuns: 50 },
  );
});

test("script and compiled code agree on any bytes, whether they are a signature or not", () => {
  fc.assert(
    fc.property(bytes32, part, part, recovery, (hash, r, s, bit) => {
      const signature = Uint8Array.of(...r, ...s);
      const key = recoverInScript(hash, signature, bit);
      for (const recover of compiled) expect(recover(hash, signature, bit)).toEqual(key);
    }),
    { numRuns: 300 },
  );
});

test("a hash of zeros or above the order is handled alike", () => {
  const signature = secp256k1.sign(new Uint8Array(32).fill(7), numberBytes(5n), { prehash: false });
  for (const hash of [0n, ORDER, (1n << 256n) - 1n].map(numberBytes)) {
    const key = recoverInScript(hash, signature, 0);
    for (const recover of compiled) expect(recover(hash, signature, 0)).toEqual(key);
  }
});
