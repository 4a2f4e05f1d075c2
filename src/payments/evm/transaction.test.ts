import { expect, test } from "bun:test";
import { hexToBytes } from "@noble/hashes/utils.js";
import fc from "fast-check";
import { keccak256 } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { type Hex } from "../x402/address.ts";
import { PAYER, PRIVATE_KEY } from "../testing/payment.ts";
import { keySigner } from "./signers/signer.ts";
import { signTransaction } from "./transaction.ts";

const account = privateKeyToAccount(PRIVATE_KEY);
const number = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

test("any transaction is signed byte for byte as in another library", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        chainId: fc.bigInt({ min: 1n, max: 2n ** 48n }),
        nonce: fc.bigInt({ min: 0n, max: 2n ** 40n }),
        tip: number,
        more: number,
        gas: number,
        to: fc.uint8Array({ minLength: 20, maxLength: 20 }),
        data: fc.uint8Array({ maxLength: 400 }),
      }),
      async ({ chainId, nonce, tip, more, gas, to, data }) => {
        const [address, input]: Hex[] = [`0x${to.toHex()}`, `0x${data.toHex()}`];
        if (address === undefined || input === undefined) throw new Error("unreachable");
        const signed = await signTransaction(
          { chainId, nonce, tip, maxFee: tip + more, gas, to: address, data: input },
          keySigner({ address: PAYER, privateKey: hexToBytes(PRIVATE_KEY.slice(2)) }),
        );
        const other = await account.signTransaction({
          type: "eip1559",
          chainId: Number(chainId),
          nonce: Number(nonce),
          maxPriorityFeePerGas: tip,
          maxFeePerGas: tip + more,
          gas,
          to: address,
          data: input,
        });
        expect(signed.raw).toBe(other);
        expect(signed.hash).toBe(keccak256(other));
      },
    ),
    { numRuns: 100 },
  );
});
