import { afterEach, expect, test } from "bun:test";
import { hexToBytes } from "@noble/hashes/utils.js";
import { type CanonicalJson, encodeJson } from "../mpp/canonical-json.ts";
import { writeChallenge } from "../mpp/challenge.ts";
import { readCredential } from "../mpp/credential.ts";
import { challengeNonce, chargeRequest, readAuthorization } from "../mpp/evm-charge.ts";
import { writeReceipt } from "../mpp/receipt.ts";
import { checkSignature } from "../signatures/check-payment.ts";
import { PAYEE, PAYER, PRIVATE_KEY, REQUIREMENTS } from "../testing/payment.ts";
import { checksumAddress } from "../x402/address-hash.ts";
import { type Paid, payAndFetch, PaymentDeclined, type PayOptions } from "./client.ts";

const NOW = 1_800_000_000_000;
const CHALLENGE = { id: "a", realm: "r", method: "evm", intent: "charge", request: chargeRequest(REQUIREMENTS) };
const TRANSACTION = `0x${"ab".repeat(32)}`;
const RECEIPT = writeReceipt({ network: "eip155:84532", transaction: TRANSACTION, challengeId: "a", at: NOW });

const servers: Bun.Server<undefined>[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop(true);
});

interface Reply {
  readonly status?: number;
  readonly receipt?: string;
}

/** A seller by the `Payment` scheme alone. `sent` has the value of Authorization of each request that pays. */
function seller(change: object = {}, { status = 200, receipt }: Reply = {}) {
  const sent: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch({ headers }) {
      const credential = headers.get("authorization");
      if (credential === null || !credential.startsWith("Payment ")) {
        const asked = writeChallenge({ ...CHALLENGE, ...change });
        return new Response(null, { status: 402, headers: { "www-authenticate": asked } });
      }
      sent.push(credential);
      return new Response("the goods", {
        status,
        headers: receipt === undefined ? {} : { "payment-receipt": receipt },
      });
    },
  });
  servers.push(server);
  return { url: server.url.href, sent };
}

const OPTIONS: PayOptions = {
  account: () => ({ address: PAYER, privateKey: hexToBytes(PRIVATE_KEY.slice(2)) }),
  maxPrice: "$1",
  now: () => NOW,
  sleep: async () => {},
};

function buy(url: string, options: Partial<PayOptions> = {}, init: RequestInit = {}): Promise<Paid> {
  return payAndFetch(url, init, { ...OPTIONS, ...options });
}

test.each<[what: string, expires: string | undefined, seconds: number]>([
  ["without an expiry is paid for five minutes", undefined, 300],
  ["is paid until it expires", new Date(NOW + 61_999).toISOString(), 61],
  ["of ten seconds is paid", new Date(NOW + 10_000).toISOString(), 10],
  ["of a day is paid for ten minutes", new Date(NOW + 86_400_000).toISOString(), 600],
])("a challenge %s", async (_what, expires, seconds) => {
  const shop = seller({ expires }, { receipt: RECEIPT });
  const paid = await buy(shop.url);
  const receipt = { success: true, transaction: TRANSACTION, network: "eip155:84532", payer: PAYER } as const;
  expect([await paid.response.text(), paid.receipt, paid.isOpen]).toEqual(["the goods", receipt, false]);
  const credential = readCredential(shop.sent[0]?.slice("Payment ".length) ?? "");
  expect(credential).toMatchObject({
    challenge: { id: "a" },
    source: `did:pkh:eip155:84532:${checksumAddress(PAYER)}`,
  });
  const payload = readAuthorization(credential?.payload ?? {});
  if (payload === undefined) throw new Error("no authorization was sent");
  expect(payload.authorization).toMatchObject({
    to: PAYEE,
    value: "10000",
    validBefore: String(NOW / 1000 + seconds),
    nonce: challengeNonce(CHALLENGE),
  });
  expect(checkSignature({ x402Version: 2, accepted: REQUIREMENTS, payload }, REQUIREMENTS)).toMatchObject({
    payer: PAYER,
  });
});

const SPLIT = encodeJson({
  amount: "10000",
  currency: REQUIREMENTS.asset,
  recipient: PAYEE,
  methodDetails: { chainId: 84_532, credentialTypes: ["authorization"], splits: [] },
});

test.each<[what: string, change: object]>([
  ["that expires too soon", { expires: new Date(NOW + 9999).toISOString() }],
  ["with an expiry that cannot be read", { expires: "soon" }],
  ["of another method", { method: "tempo" }],
  ["of another intent", { intent: "session" }],
  ["that splits its charge", { request: SPLIT }],
])("a challenge %s is not paid", async (_what, change) => {
  const shop = seller(change);
  expect(await buy(shop.url).catch((error: unknown) => error)).toBeInstanceOf(PaymentDeclined);
  expect(shop.sent).toEqual([]);
});

test("credentials of the request are not replaced by a payment", async () => {
  const shop = seller();
  const init = { headers: { authorization: "Bearer abc" } };
  expect(await buy(shop.url, {}, init).catch((error: unknown) => error)).toBeInstanceOf(PaymentDeclined);
  expect(shop.sent).toEqual([]);
});

test.each([
  ["https://shop.example/", true],
  ["http://localhost/", true],
  ["http://127.9.8.7:8080/", true],
  ["http://[::1]/", true],
  ["http://shop.example/", false],
  ["http://127.0.0.1.example/", false],
  ["http://localhost.example/", false],
])("whether a charge is paid over the connection to %s: %p", async (url, isPaid) => {
  const shop = seller();
  const paid = buy(url, { fetch: (_, init) => fetch(shop.url, init) });
  expect(await paid.then(({ response }) => response.ok, String)).toEqual(
    isPaid || expect.stringContaining("Cannot pay: the 402 has no x402 payment requirements"),
  );
  expect(shop.sent.length).toBe(isPaid ? 1 : 0);
});

test.each<[what: string, receipt: CanonicalJson]>([
  ["of a failure", { status: "failed", method: "evm", reference: TRANSACTION }],
  ["of another method", { status: "success", method: "tempo", reference: TRANSACTION }],
  ["without a transaction", { status: "success", method: "evm" }],
  ["of no transaction's hash", { status: "success", method: "evm", reference: `${TRANSACTION}0` }],
  ["that is null", null],
  ["that is a text", "success"],
])("a receipt %s is ignored", async (_what, receipt) => {
  const shop = seller({}, { receipt: encodeJson(receipt) });
  const paid = await buy(shop.url);
  expect([paid.response.status, paid.receipt]).toEqual([200, undefined]);
});

test.each<[status: number, receipt: string | undefined, open: boolean, free: boolean]>([
  [402, undefined, false, true],
  [400, undefined, false, true],
  [401, undefined, true, false],
  [403, undefined, true, false],
  [409, undefined, true, false],
  [500, undefined, true, false],
  [500, RECEIPT, false, false],
])(
  "after %d with the receipt %p the payment's outcome is open: %p, and free: %p",
  async (status, receipt, open, free) => {
    const freed: number[] = [];
    const { url } = seller({}, { status, ...(receipt === undefined ? {} : { receipt }) });
    const { isOpen, isFree } = await buy(url, { spend: () => (expires) => void freed.push(expires) });
    expect([isOpen, isFree, freed]).toEqual([open, free, free ? [NOW / 1000 + 300] : []]);
  },
);
