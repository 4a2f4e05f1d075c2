import { expect, test } from "bun:test";
import { PAYEE } from "../testing/payment.ts";
import { isAccount, searchPrefix } from "./account.ts";

const SOLANA = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU";

test.each([
  [PAYEE, true],
  [PAYEE.toLowerCase(), true],
  [SOLANA, true],
  [PAYEE.slice(0, -1), false],
  [SOLANA.slice(0, 20), false],
  ["", false],
])("%j is an account: %j", (text, expected) => {
  expect(isAccount(text)).toBe(expected);
});

test.each([
  ["0xAB12", "0xab12"],
  ["0XAB12", "0xab12"],
  ["ab12", "0xab12"],
  ["0xab1", undefined],
  ["ab1", undefined],
  ["f".repeat(64), `0x${"f".repeat(64)}`],
  ["f".repeat(65), "f".repeat(65)],
  [SOLANA, SOLANA.toLowerCase()],
  ["0 and more", undefined],
  ["a word", undefined],
  ["wxyzwxyzwxyzwxyz", "wxyzwxyzwxyzwxyz"],
  ["wxyzwxyzwxyzwxy", undefined],
])("a search for %j is one for %j", (text, prefix) => {
  expect(searchPrefix(text, 4)).toBe(prefix);
});
