import { expect, test } from "bun:test";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
import { parsePaymentRequired } from "@x402/core/schemas";
import { hexToBytes } from "@noble/hashes/utils.js";
import { encodeHeader, MAX_HEADER_LENGTH } from "../../src/payments/x402/header.ts";
import { choosePayment } from "../../src/payments/client/choice.ts";
import { signChoice } from "../../src/payments/client/sign-choice.ts";
import { PAYER, PRIVATE_KEY, REQUIREMENTS } from "../../src/payments/testing/payment.ts";
import { listings } from "./listings.ts";
import { OPERATIONS } from "../../src/content/operations/operations.ts";

/**
 * Characters of a challenge's header field, which leaves room for further payment requirements below the limit of a
 * header.
 */
const MAX_CHALLENGE = 4096;

const validator = new AjvJsonSchemaValidator();
const LISTED = Object.entries(listings());

function challengeOf(path: string) {
  const { description, bazaar } = listings()[path] ?? {};
  return {
    x402Version: 2 as const,
    error: "Payment required",
    resource: { url: `https://api.example.com${path}`, description },
    accepts: [REQUIREMENTS],
    extensions: { bazaar },
  };
}

test("every paid operation is listed", () => {
  const sold = OPERATIONS.filter(({ price }) => price !== undefined).map(({ path }) => path);
  expect(LISTED.map(([path]) => path).toSorted()).toEqual(sold.toSorted());
});

for (const [path, { bazaar }] of LISTED) {
  const valid = validator.getValidator(bazaar.schema);

  test(`${path} has a listing that fits its own schema`, () => {
    expect(valid(bazaar.info)).toMatchObject({ valid: true });
    const { input } = bazaar.info;
    for (const wrong of [
      { ...input, method: "GET" },
      { ...input, body: { unheard: 1 } },
      { ...input, body: undefined },
    ]) {
      // In its transferred form, without undefined members.
      expect(valid(JSON.parse(JSON.stringify({ ...bazaar.info, input: wrong })))).toMatchObject({ valid: false });
    }
  });

  test(`${path} has a challenge that the stock client reads and that leaves room in its header`, async () => {
    const challenge = challengeOf(path);
    expect(parsePaymentRequired(challenge)).toMatchObject({ success: true });
    expect(encodeHeader(challenge).length).toBeLessThan(MAX_CHALLENGE);
    const required = { ...challenge, resource: { url: challenge.resource.url } };
    const account = { address: PAYER, privateKey: hexToBytes(PRIVATE_KEY.slice(2)) };
    const offer = await choosePayment(required, { maxPrice: "$1" });
    const payment = signChoice(required, offer, account, Math.floor(Date.now() / 1000) + 60);
    expect(payment.extensions).toEqual(required.extensions);
    expect(encodeHeader(payment).length).toBeLessThan(MAX_HEADER_LENGTH);
  });
}

function example(path: string): unknown {
  return listings()[path]?.bazaar.info.input.body;
}

test("the hints of the API's description are included", () => {
  // Copies, because the matcher inserts its own parts into its argument, and other tests read the same examples.
  expect(structuredClone(example("/scrape"))).toMatchObject({ url: expect.any(String), format: expect.any(String) });
  expect(structuredClone(example("/batch"))).toMatchObject({ urls: expect.any(Array), format: expect.any(String) });
  expect(structuredClone(example("/search"))).toMatchObject({ query: expect.any(String), count: expect.any(Number) });
});
