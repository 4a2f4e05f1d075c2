import { expect, test } from "bun:test";
import { privateKeyToAccount } from "viem/accounts";
import { createSiweMessage } from "viem/siwe";
import { PAYEE, PAYER, PRIVATE_KEY } from "../testing/payment.ts";
import { encodeHeader } from "../x402/header.ts";
import { readSignIn, type SignIn, signInError, signInText } from "./sign-in.ts";

const NOW = Date.UTC(2026, 8, 28, 12);
const TARGET = { domain: "shop.example", uri: "https://shop.example/sign-in" };
const account = privateKeyToAccount(PRIVATE_KEY);
const at = (ms: number): string => new Date(NOW + ms).toISOString();

const MESSAGE: Omit<SignIn, "signature"> = {
  ...TARGET,
  address: PAYER,
  version: "1",
  chainId: "eip155:8453",
  type: "eip191",
  nonce: "abcdefgh",
  issuedAt: at(0),
};

async function errorOf(change: Partial<SignIn>): Promise<string | undefined> {
  const message = { ...MESSAGE, ...change };
  const signature = change.signature ?? (await account.signMessage({ message: signInText(message) }));
  const read = readSignIn(encodeHeader({ ...message, signature }));
  return read === undefined ? "malformed" : signInError(read, TARGET, NOW);
}

const OLD = "it was not issued within the last 5 minutes";

test.each<[change: Partial<SignIn>, error: string | undefined]>([
  [{}, undefined],
  [{ statement: "Résumé", requestId: "7" }, "malformed"],
  [{ statement: "Get a token", requestId: "7", resources: ["https://shop.example/a", "b"] }, undefined],
  [{ domain: "other.example" }, "the domain is not shop.example"],
  [{ uri: "https://shop.example/other" }, "the URI is not https://shop.example/sign-in"],
  [{ issuedAt: at(-300_000) }, undefined],
  [{ issuedAt: at(-300_001) }, OLD],
  [{ issuedAt: at(60_000) }, undefined],
  [{ issuedAt: at(60_001) }, OLD],
  [{ expirationTime: at(1) }, undefined],
  [{ expirationTime: at(0) }, "it has expired"],
  [{ notBefore: at(0) }, undefined],
  [{ notBefore: at(1) }, "it is not valid yet"],
  [{ address: PAYEE.replace("B", "b") as SignIn["address"] }, "the address has a wrong checksum"],
  [{ address: PAYEE }, "the signature is not that of the address"],
  [{ signature: "0x" }, "the signature is not that of the address"],
  [{ nonce: "a\nb\nc\nd\ne" }, "malformed"],
  [{ requestId: "7\nResources:" }, "malformed"],
])("the signed message with %j: %p", async (change, error) => {
  expect(await errorOf(change)).toBe(error as string);
});

test("the members of a message have bounds", async () => {
  const texts = "abcdefghijklmnop".split("");
  const within = { nonce: "a".repeat(128), requestId: "a".repeat(2048), resources: texts };
  expect(await errorOf(within)).toBeUndefined();
  for (const beyond of [{ nonce: "a".repeat(129) }, { requestId: "a".repeat(2049) }, { resources: [...texts, "q"] }]) {
    expect(await errorOf(beyond)).toBe("malformed");
  }
});

test("the text is that of viem for EIP-4361", () => {
  const { type: _type, chainId: _chain, issuedAt, ...common } = MESSAGE;
  const more = { statement: "Get a token", requestId: "7", resources: ["https://shop.example/a"] };
  const times = { issuedAt, expirationTime: at(5), notBefore: at(1) };
  const dates = { issuedAt: new Date(NOW), expirationTime: new Date(NOW + 5), notBefore: new Date(NOW + 1) };
  const theirs = createSiweMessage({ ...common, ...more, ...dates, chainId: 8453 });
  expect(signInText({ ...MESSAGE, ...more, ...times })).toBe(theirs);
});
