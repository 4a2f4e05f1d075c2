/** Signed offers in challenges and signed receipts, over all protocols, as `turnpike receipt check` sees them. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { checkStatement, OFFER_RECEIPT, signerOf } from "../../src/payments/signatures/offer-receipt.ts";
import { encodeHeader, decodeHeader } from "../../src/payments/x402/header.ts";
import { PAYER } from "../../src/payments/testing/payment.ts";
import { COMMAND } from "../support/program.ts";
import { ask, newPayment, PROTOCOLS, type Shop, Shops } from "./shops.ts";

setDefaultTimeout(patient(60_000));

const KEY = "07".repeat(32);
const privateKey = new Uint8Array(32).fill(7);
const KEYS = {
  eip712: { format: "eip712", algorithm: "EdDSA" },
  jws: { format: "jws", algorithm: "EdDSA" },
  "jws by ES256K": { format: "jws", algorithm: "ES256K" },
} as const;
const shops = new Shops();
const open = new Map<string, Shop>();

beforeAll(async () => {
  for (const [name, key] of Object.entries(KEYS)) {
    const x402 = { signed_receipts: { key_env: "RECEIPT_KEY", ...key, transaction: true } };
    open.set(name, await shops.open({ x402, server: { workers: 2 } }, { RECEIPT_KEY: KEY }));
  }
});

afterAll(() => shops.close());

function shopOf(name: string): Shop {
  const shop = open.get(name);
  if (shop === undefined) throw new Error("the shop is not open");
  return shop;
}

/** The signed items of a field. */
function infoIn(field: unknown): { readonly offers?: readonly unknown[]; readonly receipt?: unknown } {
  const value = decodeHeader(String(field)) as { extensions?: Record<string, { info: object }> };
  return value.extensions?.[OFFER_RECEIPT]?.info ?? {};
}

for (const [name, key] of Object.entries(KEYS)) {
  const { format } = key;
  test.each(PROTOCOLS)(`${name}: what a route offers and what was paid is signed over %s`, async (protocol) => {
    const shop = shopOf(name);
    const signer = signerOf({ ...key, privateKey });
    const path = `/after?${crypto.randomUUID()}`;
    const url = `https://shop.test${path}`;
    const unpaid = await ask(protocol, shop, { path });
    const { offers = [] } = infoIn(unpaid.headers["payment-required"]);
    expect(offers).toMatchObject([{ format, acceptIndex: 0 }]);
    const { accepts } = decodeHeader(String(unpaid.headers["payment-required"])) as { accepts: { amount: string }[] };
    const offer = { resourceUrl: url, amount: accepts[0]?.amount, scheme: "exact" };
    expect(checkStatement(offers[0], signer)).toMatchObject({ kind: "offer", statement: offer });
    // Stock clients send the extensions of the challenge back.
    const echo = decodeHeader(String(unpaid.headers["payment-required"])) as { extensions: object };
    const headers = { "payment-signature": encodeHeader({ ...newPayment(), extensions: echo.extensions }) };
    const paid = await ask(protocol, shop, { path, headers });
    expect(paid.status).toBe(200);
    const { receipt } = infoIn(paid.headers["payment-response"]);
    const { transaction } = decodeHeader(String(paid.headers["payment-response"])) as { transaction: string };
    const statement = { resourceUrl: url, payer: PAYER, network: "eip155:84532", transaction };
    expect(checkStatement(receipt, signer)).toMatchObject({ kind: "receipt", statement });
  });
}

async function check(text: string, ...args: string[]): Promise<readonly [number, string, string]> {
  const command = [...COMMAND, "receipt", "check", "-", ...args];
  const child = Bun.spawn(command, { stdin: Buffer.from(text), stdout: "pipe", stderr: "pipe" });
  const [out, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return [await child.exited, out, error];
}

test("turnpike receipt check prints what is signed, and fails if it is changed or of another signer", async () => {
  const reply = await ask("HTTP/1.1", shopOf("eip712"), { path: "/before" });
  const field = String(reply.headers["payment-required"]);
  const signer = signerOf({ ...KEYS.eip712, privateKey });
  const [code, out] = await check(field, "--signer", signer);
  expect([code, out]).toEqual([0, expect.stringContaining("https://shop.test/before")]);
  expect(out).toContain(signer);
  const changed = JSON.stringify(decodeHeader(field)).replace('"payload":{"version":1', '"payload":{"version":2');
  expect(await check(changed)).toMatchObject([1, "", expect.stringContaining("neither an offer nor a receipt")]);
  expect(await check(field, "--signer", PAYER)).toMatchObject([1, "", expect.stringContaining("it is signed by")]);
  expect(await check("{}")).toMatchObject([1, "", expect.stringContaining("no signed offer or receipt")]);
});
