import { ed25519 } from "@noble/curves/ed25519.js";
import { expect, test } from "bun:test";
import { PROGRAMS } from "../../solana/address.ts";
import { toBase58 } from "../../solana/base58.ts";
import { tokenAccount } from "../../solana/token-account.ts";
import { isOnCurve, tokenAccountOf } from "./token-account.ts";

const USDC = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";

function bytes(change: Readonly<Record<number, number>> = {}): Uint8Array {
  const key = new Uint8Array(32);
  for (const [at, byte] of Object.entries(change)) key[Number(at)] = byte;
  return key;
}

/** The library of the programs, with all encodings that a cluster accepts. */
function isPoint(key: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(key, true);
    return true;
  } catch {
    return false;
  }
}

test("the page knows points of the curve as the programs do, with odd encodings too", () => {
  const random = Array.from({ length: 200 }, () => crypto.getRandomValues(new Uint8Array(32)));
  const odd = [
    bytes(),
    bytes({ 0: 1 }),
    bytes({ 0: 1, 31: 0x80 }),
    bytes({ 0: 2 }),
    new Uint8Array(32).fill(0xff),
    // 2^255 - 19 and the numbers around it.
    ...[0xec, 0xed, 0xee].map((low) => new Uint8Array(32).fill(0xff).with(0, low).with(31, 0x7f)),
  ];
  expect([...random, ...odd].map(isOnCurve)).toEqual([...random, ...odd].map(isPoint));
  expect(isOnCurve(ed25519.keygen().publicKey)).toBe(true);
});

test("the page derives the token accounts that the programs derive", async () => {
  const owners = Array.from({ length: 20 }, () => toBase58(ed25519.keygen().publicKey));
  const derived = await Promise.all(owners.map((owner) => tokenAccountOf(owner, USDC)));
  expect(derived).toEqual(owners.map((owner) => tokenAccount(owner, USDC, PROGRAMS.token) ?? ""));
});
