import { expect, test } from "bun:test";
import { hexToBytes } from "@noble/hashes/utils.js";
import fc from "fast-check";
import { keccak256 } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { type Hex } from "../../x402/address.ts";
import { PAYER, PRIVATE_KEY } from "../../testing/payment.ts";
import { keySigner } from "../signers/signer.ts";
import { readTransaction } from "./read-transaction.ts";
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

const APPROVAL = {
  chainId: 84_532n,
  nonce: 200n,
  tip: 1n,
  maxFee: 2_000_000_000n,
  gas: 70_000n,
  value: 0n,
  to: `0x${"ab".repeat(20)}` as const,
  data: `0x095ea7b3${"01".repeat(64)}` as const,
};

test("a signed approval is read again, and no other bytes are read as it", async () => {
  const signer = keySigner({ address: PAYER, privateKey: hexToBytes(PRIVATE_KEY.slice(2)) });
  for (const change of [{}, { nonce: 0n }, { nonce: 127n }, { value: 5n }, { data: "0x" } as const]) {
    const transaction = { ...APPROVAL, ...change };
    const signed = await signTransaction(transaction, signer);
    expect(readTransaction(signed.raw)).toMatchObject({ ...signed, transaction });
  }
  const { raw } = await signTransaction(APPROVAL, signer);
  const bytes = hexToBytes(raw.slice(2));
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, value) => {
      const changed = Uint8Array.from(bytes);
      changed[at] = value;
      const read = readTransaction(`0x${changed.toHex()}`);
      if (read !== undefined) expect(read.raw).toBe(`0x${changed.toHex()}`);
    }),
  );
  for (let length = 0; length < bytes.length; length++)
    expect(readTransaction(`0x${bytes.subarray(0, length).toHex()}`)).toBeUndefined();
  expect(readTransaction(`${raw}00`)).toBeUndefined();
  expect(readTransaction(await account.signTransaction({ type: "legacy", gasPrice: 1n, to: PAYER }))).toBeUndefined();
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (any) => void readTransaction(`0x02f8${any.toHex()}`)));
});
