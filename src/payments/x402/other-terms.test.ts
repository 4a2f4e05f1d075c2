import { expect, test } from "bun:test";
import { PAYEE, TERMS } from "../testing/payment.ts";
import { PROGRAMS } from "../solana/address.ts";
import { toBase58 } from "../solana/base58.ts";
import { MAX_MEMO_BYTES } from "../solana/memo.ts";
import { compileTerms, completeTerms, isComplete, maySettle, type Terms } from "./terms.ts";

const key = (byte: number): string => toBase58(new Uint8Array(32).fill(byte));
const SELLER = key(7);
const USDC = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const SOLANA: Terms = { ...TERMS, network: "solana", pay_to: SELLER };
const FOREIGN: Terms = { ...TERMS, network: "stellar:pubnet", asset: "USDC", price: "5", pay_to: "GSELLER" };

test("a route on Solana is sold for a known token in dollars, or for another one in atomic units", () => {
  const common = {
    scheme: "exact",
    network: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
    payTo: SELLER,
    maxTimeoutSeconds: 60,
  };
  expect(compileTerms(SOLANA)).toEqual({ ...common, amount: "10000", asset: USDC, extra: {} });
  const memo = "m".repeat(MAX_MEMO_BYTES);
  expect(compileTerms({ ...SOLANA, memo }).extra).toEqual({ memo });
  const other = { ...SOLANA, asset: key(9), price: "5" };
  expect(compileTerms(other)).toEqual({ ...common, amount: "5", asset: key(9), extra: {} });
});

test("a route on an unknown network is sold for its own names of token and seller, in atomic units", () => {
  expect(compileTerms(FOREIGN)).toMatchObject({
    network: "stellar:pubnet",
    amount: "5",
    asset: "USDC",
    payTo: "GSELLER",
  });
});

test.each<[change: Partial<Terms>, message: string]>([
  [{ ...SOLANA, scheme: "upto" }, 'scheme "upto" does not work on Solana'],
  [{ ...SOLANA, asset_transfer_method: "permit2" }, "asset_transfer_method has no meaning on Solana"],
  [{ ...SOLANA, pay_to: PAYEE }, `pay_to "${PAYEE}" is not an address of Solana`],
  [{ ...SOLANA, asset: "DOGE", price: "5" }, 'asset "DOGE" is unknown on Solana'],
  [{ ...SOLANA, asset: key(9) }, 'the price "$0.01" of an unknown asset must be in atomic units'],
  [{ ...SOLANA, pay_to: PROGRAMS.system }, `pay_to "${PROGRAMS.system}" on Solana`],
  [{ ...SOLANA, pay_to: USDC }, `pay_to "${USDC}" on Solana`],
  [{ ...SOLANA, memo: "m".repeat(MAX_MEMO_BYTES + 1) }, `memo has more than ${MAX_MEMO_BYTES} bytes`],
  [{ ...FOREIGN, memo: "m" }, "memo has no meaning on stellar:pubnet"],
  [{ ...FOREIGN, pay_to: "two words" }, 'pay_to "two words" is not an address of stellar:pubnet'],
  [{ ...FOREIGN, price: "$5" }, 'the price "$5" of an unknown asset'],
  [{ memo: "m" }, "memo has no meaning on Base Sepolia"],
])("terms with %j are refused", (change, message) => {
  expect(() => compileTerms({ ...TERMS, ...change })).toThrow(`Cannot accept payments: ${message}`);
});

test("money without value may go to an account that is lost", () => {
  expect(compileTerms({ ...SOLANA, network: "solana-devnet", pay_to: PROGRAMS.system }).payTo).toBe(PROGRAMS.system);
});

test("terms on Solana need the fee payer of a facilitator, and only that one may settle", () => {
  const terms = compileTerms({ ...SOLANA, memo: "m" });
  const kind = { scheme: "exact", network: terms.network, extra: { feePayer: key(5), recentBlockhash: "old" } };
  const complete = completeTerms(terms, kind);
  expect(complete.extra).toEqual({ memo: "m", feePayer: key(5) });
  expect([isComplete(terms), isComplete(complete)]).toEqual([false, true]);
  const other = { ...kind, extra: { feePayer: key(6) } };
  const none = { ...kind, extra: { feePayer: "me" } };
  expect([kind, other, none].map((one) => maySettle(complete, one))).toEqual([true, false, false]);
  expect(maySettle(terms, kind)).toBe(false);
  expect(() => completeTerms(terms, none)).toThrow(
    'supports "exact" on solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp, and names no feePayer',
  );
});

test("terms on an unknown network get what the facilitator names, except what the route names, and any may settle", () => {
  const terms = { ...compileTerms(FOREIGN), extra: { own: 1 } };
  const complete = completeTerms(terms, { scheme: "exact", network: "stellar:*", extra: { own: 2, more: 3 } });
  expect(complete.extra).toEqual({ own: 1, more: 3 });
  expect([isComplete(complete), maySettle(complete, { scheme: "exact", network: "stellar:*" })]).toEqual([false, true]);
});
