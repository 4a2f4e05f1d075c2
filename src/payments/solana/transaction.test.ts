import { address, getAddressDecoder, getBase58Decoder, getBase58Encoder } from "@solana/kit";
import { findAssociatedTokenPda } from "@solana-program/token";
import { expect, test } from "bun:test";
import fc from "fast-check";
import { isSolanaAddress, PROGRAMS } from "./address.ts";
import { fromBase58, toBase58 } from "./base58.ts";
import { tokenAccount } from "./token-account.ts";
import { decodeTransaction } from "./transaction.ts";

/** A transaction of the stock client: two signers, eight keys, four instructions. */
const WIRE =
  "AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAC6Tzv+HZOngVYVcH1fiknrgxOTdkm1oTbXT2hPNffenhXfQ/vOnwyC5MWP1uVYNq6qS2RW5/7Z8sLE11TIWJgJgAIBBAjTJnQD77TA9CijGTT9RW1QtRC5jogTZ3ZZ4E66ngigThdylYkijzJdqMtMGal+cKc5+BQbbA4uGpQjSRNpamwd2kpP8DPIqgD8lCV2+gVcNhAu2xsnbGzFePBt0vDQM2HltL6NZiZOBqAsTQ5E/wJsKXVscL+KovGlm2W5OI/IkTtELLORIVfxOpM9ATQoLQMrX/7NAaLb8bd5BgjfAC6nAwZGb+UhFzL/7K26csOb57yM5bvF9xJrLEObOkAAAAAFSlNamSkhBk0k6HFg2jh8fDW13bySu4HkH6hAQQVEjQbd9uHXZaGT2cvhRs7reawctIXtX1s3kTqM9YV+/wCpruutSnlvzC4V3ExgYbRe2bNz8mrfx5jKfS2MxYGCcY4EBQAFAiBOAAAFAAkDAQAAAAAAAAAHBAMEAgEKDBAnAAAAAAAABgYAIDY2YzI0NDgyN2VkY2M2NGIyYmU0YzRjOGY3MjlhNjk2AA==";

test("base58 is that of the reference implementation", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(4), (bytes, zeros) => {
      bytes.fill(0, 0, zeros);
      const text = getBase58Decoder().decode(bytes);
      expect(toBase58(bytes)).toBe(text);
      expect(fromBase58(text, 32)).toEqual(bytes);
      expect(fromBase58(text, 31)).toBeUndefined();
      expect(fromBase58(`1${text}`, 32)).toBeUndefined();
    }),
  );
  for (const text of ["", "0", "I".repeat(32), "z".repeat(44), "1".repeat(31), "1".repeat(1000), " ".repeat(32)]) {
    expect([text, isSolanaAddress(text)]).toEqual([text, false]);
  }
  expect(
    Buffer.from(fromBase58(PROGRAMS.memo, 32) ?? []).equals(Buffer.from(getBase58Encoder().encode(PROGRAMS.memo))),
  ).toBe(true);
});

test("the token account of an owner is that of the reference implementation", async () => {
  for (let i = 0; i < 20; i++) {
    const owner = getAddressDecoder().decode(crypto.getRandomValues(new Uint8Array(32)));
    const [expected] = await findAssociatedTokenPda({
      owner,
      mint: address(PROGRAMS.memo),
      tokenProgram: address(PROGRAMS.token2022),
    });
    expect(tokenAccount(owner, PROGRAMS.memo, PROGRAMS.token2022)).toBe(expected);
  }
  expect(tokenAccount("me", PROGRAMS.memo, PROGRAMS.token)).toBeUndefined();
});

test("a transaction is read as a whole, or not at all", () => {
  expect(decodeTransaction(WIRE)).toMatchObject({
    digest: "cd1a3d4876edeca302c0b7074a99e1331c04d5052639ee608b385efe64cff8cc",
    blockhash: "CmpNeggWJ4JaWJeJ8YKN1Zypmk7uvQq3PECGUCAEMbky",
    instructions: [
      { program: PROGRAMS.computeBudget },
      { program: PROGRAMS.computeBudget },
      { program: PROGRAMS.token, accounts: [3, 4, 2, 1] },
      { program: PROGRAMS.memo },
    ],
  });
  const bytes = Buffer.from(WIRE, "base64");
  for (let length = 0; length < bytes.length; length++) {
    expect(decodeTransaction(bytes.subarray(0, length).toString("base64"))).toBeUndefined();
  }
  expect(decodeTransaction(Buffer.concat([bytes, Buffer.of(0)]).toString("base64"))).toBeUndefined();
  expect(decodeTransaction(WIRE.replace(/=+$/, ""))).toBeUndefined();
  expect(decodeTransaction(WIRE.replaceAll("+", "-"))).toBeUndefined();
  expect(decodeTransaction("A".repeat(1_000_000))).toBeUndefined();
});

/** A transaction with one call, which has `data` bytes, two keys and a blockhash. */
function wireOf(data: number): string {
  const call = [1, 1, 0, (data & 0x7f) | 0x80, data >> 7, ...new Uint8Array(data)];
  const keys = [...new Uint8Array(32), ...new Uint8Array(32).fill(1), ...new Uint8Array(32)];
  return Buffer.from([1, ...new Uint8Array(64), 1, 0, 1, 2, ...keys, ...call]).toString("base64");
}

/** A versioned transaction of two keys with one call, which has an account. A lookup adds three accounts. */
function wireWithLookup(account: number): string {
  const keys = [...new Uint8Array(32), ...new Uint8Array(32).fill(1), ...new Uint8Array(32)];
  const call = [1, 1, 1, account, 0];
  const lookup = [1, ...new Uint8Array(32).fill(2), 2, 0, 1, 1, 0];
  return Buffer.from([1, ...new Uint8Array(64), 0x80, 1, 0, 1, 2, ...keys, ...call, ...lookup]).toString("base64");
}

test("a call has accounts of the transaction and of its lookups alone", () => {
  expect(decodeTransaction(wireWithLookup(4))?.instructions).toMatchObject([{ accounts: [4] }]);
  expect(decodeTransaction(wireWithLookup(5))).toBeUndefined();
});

test("a transaction has the bytes of a packet at most", () => {
  const [most, more] = [wireOf(1062), wireOf(1063)];
  expect([most, more].map((wire) => Buffer.from(wire, "base64").length)).toEqual([1232, 1233]);
  expect([decodeTransaction(most)?.instructions.length, decodeTransaction(more)]).toEqual([1, undefined]);
});

test("any bytes are read or refused, and never throw", () => {
  const bytes = Buffer.from(WIRE, "base64");
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1300 }), (random) => {
      decodeTransaction(Buffer.from(random).toString("base64"));
    }),
  );
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, value) => {
      const changed = Buffer.from(bytes);
      changed[at] = value;
      const read = decodeTransaction(changed.toString("base64"));
      if (read === undefined) return;
      const size = 1 + 64 * read.signatures.length + read.message.length;
      expect(size).toBe(bytes.length);
      for (const { program } of read.instructions) expect(read.keys).toContain(program);
    }),
  );
});
