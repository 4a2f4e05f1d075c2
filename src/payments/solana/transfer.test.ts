import { expect, test } from "bun:test";
import { getBase64Encoder, getCompiledTransactionMessageDecoder, getTransactionDecoder } from "@solana/kit";
import { toBase58 } from "./base58.ts";
import { decodeTransaction } from "./transaction.ts";
import { signTokenTransfer, solanaAccount } from "./transfer.ts";

const addressOf = (byte: number): string => toBase58(new Uint8Array(32).fill(byte));

test.each([0, 1, 127, 128, 255, 256])("a transfer has its whole memo of %d bytes", (length) => {
  const memo = "m".repeat(length);
  const transfer = { feePayer: addressOf(1), mint: addressOf(5), decimals: 6, to: addressOf(2), amount: 258n, memo };
  const signed = signTokenTransfer(
    { ...transfer, blockhash: addressOf(3), computeUnits: 90_001 },
    solanaAccount(new Uint8Array(32).fill(4)),
  );
  const data = decodeTransaction(signed)?.instructions.map((instruction) => [...instruction.data]);
  const expected = [
    [2, ...Buffer.from([0x91, 0x5f, 1, 0])],
    [3, 1, 0, 0, 0, 0, 0, 0, 0],
    [12, 2, 1, 0, 0, 0, 0, 0, 0, 6],
    [...Buffer.from(memo)],
  ];
  expect(data).toEqual(expected);
  // The stock library reads the same.
  const { messageBytes } = getTransactionDecoder().decode(getBase64Encoder().encode(signed));
  const stock = getCompiledTransactionMessageDecoder().decode(messageBytes);
  expect("instructions" in stock && stock.instructions.map((one) => [...(one.data ?? [])])).toEqual(expected);
});
