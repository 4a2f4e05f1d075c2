/** Wallets that get a new token for the credit that they bought. */
import { afterEach, expect, test } from "bun:test";
import { hexToBytes } from "@noble/hashes/utils.js";
import { issueCredit } from "../../../../payments/credit/issue.ts";
import { type SignIn, signInText } from "../../../../payments/credit/sign-in.ts";
import { hashText } from "../../../../payments/signatures/eip712.ts";
import { signHash } from "../../../../payments/signatures/signature.ts";
import { PAYEE, PAYER, PRIVATE_KEY, TERMS, USDC } from "../../../../payments/testing/payment.ts";
import { encodeHeader } from "../../../../payments/x402/header.ts";
import { type NewCredit } from "../../../../store/credits.ts";
import { credit as creditKeys } from "../../../config/schema/x402-credit.ts";
import { closeShops, decoded, openShop, type Shop } from "../testing/shop.ts";

afterEach(closeShops);

const PATH = "/.turnpike/credit";
const MINUTE_MS = 60_000;

interface Shown {
  readonly token: string;
  readonly credit: { readonly id: string };
  readonly credits: readonly { readonly id: string }[];
}

function open(publicUrl?: string): Shop {
  const { price: _price, scheme: _scheme, ...account } = TERMS;
  const url = publicUrl === undefined ? {} : { publicUrl };
  return openShop({ sellsCredit: creditKeys.parse(account), route: PATH, ...url });
}

/** Gives the wallet a credit. */
async function issued(shop: Shop, change: Partial<NewCredit> = {}, isTest = true): Promise<string> {
  const network = "eip155:84532";
  const money = { unit: "money", name: "", network, token: USDC.toLowerCase(), routes: [], expiresAt: 0 } as const;
  const terms = { owner: PAYER.toLowerCase(), ...money, ...change };
  return (await issueCredit(shop.store.credits, terms, { kind: "issued", amount: "1", payment: "" }, isTest)).id;
}

/** The message that the shop asks a wallet to sign. */
async function asked(shop: Shop): Promise<SignIn> {
  const response = await fetch(`${shop.gateway.url}${PATH}/sign-in`);
  expect(response.status).toBe(402);
  expect(decoded(response, "payment-required")).toEqual(await response.json());
  const { extensions } = decoded(response, "payment-required") as {
    readonly extensions: { readonly "sign-in-with-x": { readonly info: SignIn } };
  };
  return extensions["sign-in-with-x"].info;
}

function signed(info: SignIn, change: Partial<SignIn> = {}): string {
  const message: SignIn = { ...info, address: PAYER, chainId: "eip155:8453", type: "eip191", signature: "", ...change };
  const text = signInText(message);
  const hash = hashText(`\u0019Ethereum Signed Message:\n${text.length}${text}`);
  return encodeHeader({ ...message, signature: signHash(hash, hexToBytes(PRIVATE_KEY.slice(2))) });
}

function send(shop: Shop, header: string, { query = "", method = "POST" } = {}): Promise<Response> {
  return fetch(`${shop.gateway.url}${PATH}/sign-in${query}`, { method, headers: { "sign-in-with-x": header } });
}

test("a wallet signs what it is asked to sign, once, and gets a token in place of the earlier one", async () => {
  const shop = open();
  const id = await issued(shop);
  const { hash } = (await shop.store.credits.find(id)) ?? {};
  const info = await asked(shop);
  expect(info).toMatchObject({
    domain: "shop.example",
    uri: `http://shop.example${PATH}`,
    version: "1",
    issuedAt: new Date(shop.clock.now).toISOString(),
    expirationTime: new Date(shop.clock.now + 5 * MINUTE_MS).toISOString(),
  });
  expect((await asked(shop)).nonce).not.toBe(info.nonce);
  const response = await send(shop, signed(info));
  expect(response.status).toBe(200);
  const { token, credit, credits } = (await response.json()) as Shown;
  expect([token.includes(id), credit.id, credits.map((one) => one.id)]).toEqual([true, id, [id]]);
  const renewed = await shop.store.credits.find(id);
  expect(renewed?.hash).not.toBe(hash);
  const again = await send(shop, signed(info));
  expect([again.status, await again.text()]).toEqual([401, expect.stringContaining("its nonce was used before")]);
  expect((await shop.store.credits.find(id))?.hash).toBe(renewed?.hash);
});

test("the used nonce of a message stays used for as long as any message is accepted", async () => {
  const shop = open();
  await issued(shop);
  // A message of a client whose clock is ahead.
  const info = { ...(await asked(shop)), issuedAt: new Date(shop.clock.now + MINUTE_MS).toISOString() };
  const { expirationTime: _end, ...endless } = info;
  expect((await send(shop, signed(endless))).status).toBe(200);
  shop.clock.now += 6 * MINUTE_MS;
  expect((await send(shop, signed(endless))).status).toBe(401);
});

test("a wallet gets the newest of its credits that can be used, or the one that it names", async () => {
  const shop = open();
  const first = await issued(shop);
  shop.clock.now += 1;
  const second = await issued(shop, { unit: "calls", name: "pass" });
  shop.clock.now += 1;
  const revoked = await issued(shop);
  await shop.store.credits.revoke(revoked);
  const expired = await issued(shop, { expiresAt: shop.clock.now });
  const real = await issued(shop, {}, false);
  const foreign = await issued(shop, { owner: PAYEE.toLowerCase() });
  const newest = (await (await send(shop, signed(await asked(shop)))).json()) as Shown;
  expect([newest.credit.id, newest.credits.map(({ id }) => id)]).toEqual([second, [second, first]]);
  const named = await send(shop, signed(await asked(shop)), { query: `?id=${first}`, method: "GET" });
  expect(((await named.json()) as Shown).credit.id).toBe(first);
  for (const id of [revoked, expired, real, foreign, "none"]) {
    const none = await send(shop, signed(await asked(shop)), { query: `?id=${id}` });
    expect([none.status, await none.text()]).toEqual([404, expect.stringContaining("this wallet has no such credit")]);
  }
});

test("a message that is not accepted uses no nonce and renews no token", async () => {
  const shop = open("https://shop.test/deep/path");
  const id = await issued(shop);
  const { hash } = (await shop.store.credits.find(id)) ?? {};
  const info = await asked(shop);
  expect([info.domain, info.uri]).toEqual(["shop.test", `https://shop.test${PATH}`]);
  for (const change of [{ domain: "evil.test" }, { address: PAYEE }]) {
    const refused = await send(shop, signed(info, change));
    expect([refused.status, await refused.text()]).toEqual([401, expect.stringContaining("is not accepted")]);
  }
  const malformed = await send(shop, "x");
  expect([malformed.status, await malformed.text()]).toEqual([401, expect.stringContaining("is malformed")]);
  const put = await send(shop, signed(info), { method: "PUT" });
  expect([put.status, await put.text()]).toEqual([405, expect.stringContaining("only GET and POST")]);
  expect((await shop.store.credits.find(id))?.hash).toBe(hash);
  expect((await send(shop, signed(info))).status).toBe(200);
});
