import { afterEach, expect, test } from "bun:test";
import { readStatementKey, TermsSigner } from "../protocol/signed-terms.ts";
import { closeShops, decoded, openShop } from "../testing/shop.ts";

afterEach(closeShops);

const SETTINGS = { key_env: "KEY", format: "eip712", algorithm: "ES256K", kid: "", transaction: true } as const;
const KEY = readStatementKey(SETTINGS, { KEY: "1".repeat(64) });

interface Signed {
  readonly extensions?: {
    readonly "offer-receipt": { readonly info: { readonly receipt: { readonly payload: object } } };
  };
}

/** The signed part of a response's receipt. */
function signedIn(response: Response): unknown {
  const { extensions } = decoded(response, "payment-response") as Signed;
  return extensions?.["offer-receipt"].info.receipt.payload;
}

test("the first request of a gateway that signs has a receipt for its own URL, also when it is sent again", async () => {
  const shop = openShop({ signer: new TermsSigner(KEY, SETTINGS, Date.now) });
  const payment = shop.payment();
  const statement = { resourceUrl: "http://shop.example/goods?a=1", payer: expect.any(String) };
  const first = await shop.send(payment, { path: "/goods?a=1" });
  expect([first.status, signedIn(first)]).toEqual([200, expect.objectContaining(statement)]);
  const again = await shop.send(payment, { path: "/goods?a=1" });
  expect([again.status, signedIn(again), shop.runs]).toEqual([200, expect.objectContaining(statement), 1]);
});

test("without a signer a receipt has no statement", async () => {
  const shop = openShop();
  const response = await shop.send(shop.payment());
  expect([response.status, signedIn(response)]).toEqual([200, undefined]);
});
