import { expect, test } from "bun:test";
import { readKinds, supportedSchema } from "./facilitator-messages.ts";

const kind = { x402Version: 2, scheme: "exact", network: "solana:a" };

function named(scheme: string, network = "n") {
  return { x402Version: 2, scheme, network };
}

function feePayerOf(feePayer: unknown, signers: Record<string, string[]>): unknown {
  return readKinds([{ ...kind, extra: { feePayer, other: 1 } }], signers)[0]?.extra;
}

test("names of one character up to 128 are kinds, and others are ignored", () => {
  const long = "x".repeat(128);
  expect(readKinds([named("x"), named(long), named("x", long)])).toHaveLength(3);
  const bad = [named(""), named("x", ""), named(`${long}x`), named("x", `${long}x`), { ...kind, x402Version: 1 }, "x"];
  expect(readKinds(bad)).toEqual([]);
});

test("values of a kind may have 2048 characters of JSON", () => {
  const withValue = (length: number) => ({ ...kind, extra: { a: "x".repeat(length - '{"a":""}'.length) } });
  expect([readKinds([withValue(2048)]).length, readKinds([withValue(2049)]).length]).toEqual([1, 0]);
  expect(readKinds([{ ...kind, extra: null }])).toEqual([{ scheme: "exact", network: "solana:a" }]);
});

test("of several accounts that may pay fees, every gateway names the first of the alphabet", () => {
  expect(feePayerOf("B", { "solana:*": ["C", "B", "A"] })).toEqual({ feePayer: "A", other: 1 });
  expect(feePayerOf("B", { "solana:*": ["B"] })).toEqual({ feePayer: "B", other: 1 });
  // Another account than those of the list is the facilitator's own choice.
  expect(feePayerOf("D", { "solana:*": ["A"] })).toEqual({ feePayer: "D", other: 1 });
  expect(feePayerOf("B", { "eip155:*": ["B", "A"] })).toEqual({ feePayer: "B", other: 1 });
  expect(feePayerOf(1, { "solana:*": ["A"] })).toEqual({ feePayer: 1, other: 1 });
});

function read(value: object) {
  return supportedSchema.safeParse({ kinds: [], ...value }).data;
}

test("lists that are too long or of another form are left out", () => {
  const signers = { "eip155:*": Array.from({ length: 256 }, () => "a") };
  expect(read({ signers })?.signers).toEqual(signers);
  expect(read({ signers: { "eip155:*": Array.from({ length: 257 }, () => "a") } })?.signers).toEqual({});
  expect(read({ extensions: "x" })?.extensions).toEqual([]);
  expect(read({ kinds: Array.from({ length: 1024 }, () => 0) })?.kinds).toHaveLength(1024);
  expect(read({ kinds: Array.from({ length: 1025 }, () => 0) })).toBeUndefined();
});
