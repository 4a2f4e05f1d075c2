import { expect, test } from "bun:test";
import { REQUIREMENTS } from "../../../../payments/testing/payment.ts";
import { type PaymentRequired } from "../../../../payments/x402/messages.ts";
import { readStatementKey, TermsSigner } from "./signed-terms.ts";

const START = 1_800_000_000;
const SETTINGS = { key_env: "KEY", format: "eip712", algorithm: "ES256K", kid: "", transaction: true } as const;
const DIGITS = "1".repeat(64);

function signer(settings: object = {}) {
  const clock = { now: START * 1000 + 500 };
  const key = readStatementKey(SETTINGS, { KEY: DIGITS });
  return { clock, signer: new TermsSigner(key, { ...SETTINGS, ...settings }, () => clock.now) };
}

const required = (url: string, amount = "1000"): PaymentRequired => ({
  x402Version: 2,
  error: "",
  resource: { url },
  accepts: [{ ...REQUIREMENTS, amount, maxTimeoutSeconds: 60 }],
  extensions: { other: { info: {} } },
});

/** The signed offers of a challenge. */
function offersOf(challenge: PaymentRequired | undefined): readonly object[] | undefined {
  const extensions = challenge?.extensions as { "offer-receipt"?: { info: { offers: object[] } } } | undefined;
  return extensions?.["offer-receipt"]?.info.offers;
}

test("a challenge gets an offer for each of its terms, beside its other extensions", () => {
  const { signer: made } = signer();
  const { accepts, ...rest } = required("https://a.test/");
  const [first] = accepts;
  if (first === undefined) throw new Error("no terms");
  const challenge = made.offering({ ...rest, accepts: [first, { ...first, amount: "2000" }] });
  expect(challenge?.extensions).toMatchObject({ other: { info: {} } });
  const { scheme, network, asset, payTo } = REQUIREMENTS;
  const payload = { version: 1, resourceUrl: "https://a.test/", scheme, network, asset, payTo, validUntil: START + 60 };
  expect(offersOf(challenge)).toMatchObject([
    { acceptIndex: 0, format: "eip712", payload: { ...payload, amount: "1000" } },
    { acceptIndex: 1, format: "eip712", payload: { ...payload, amount: "2000" } },
  ]);
});

test("a hundred offers are signed in a second, and kept ones are given out beyond them", () => {
  const { signer: made, clock } = signer();
  for (let i = 0; i < 100; i++) expect(offersOf(made.offering(required(`https://a.test/${i}`)))).toHaveLength(1);
  expect(made.offering(required("https://a.test/100"))).toBeUndefined();
  expect(offersOf(made.offering(required("https://a.test/99")))).toHaveLength(1);
  clock.now += 1000;
  expect(offersOf(made.offering(required("https://a.test/100")))).toHaveLength(1);
});

test.each([true, false])("a receipt is signed for its URL, with its transaction: %p", (transaction) => {
  const { signer: made } = signer({ transaction });
  const receipt = { success: true, transaction: "0x1", network: REQUIREMENTS.network, payer: "0x2" };
  const signed = made.receipt(receipt, "https://a.test/");
  expect(signed).toMatchObject(receipt);
  expect(signed.extensions).toMatchObject({
    "offer-receipt": {
      info: {
        receipt: {
          payload: {
            version: 1,
            network: REQUIREMENTS.network,
            resourceUrl: "https://a.test/",
            payer: "0x2",
            issuedAt: START,
            transaction: transaction ? "0x1" : "",
          },
        },
      },
    },
  });
});

test("the key is 32 bytes of hex, with or without 0x", () => {
  const bytes = new Uint8Array(32).fill(0x11);
  for (const KEY of [DIGITS, `0x${DIGITS}`]) expect(readStatementKey(SETTINGS, { KEY }).privateKey).toEqual(bytes);
  for (const KEY of [`${DIGITS}1`, DIGITS.slice(1), `x${DIGITS}`, "g".repeat(64)]) {
    expect(() => readStatementKey(SETTINGS, { KEY })).toThrow("the key is not 32 bytes of hex");
  }
});

test("an offer is handed out for half of its time, and signed again after the clock was set back", () => {
  const { signer: made, clock } = signer();
  clock.now = START * 1000 + 999;
  const validFor = (passedS: number): number => {
    clock.now += passedS * 1000;
    const validUntil = /"validUntil":(\d+)/.exec(JSON.stringify(made.offering(required("https://a.test/"))))?.[1];
    return Number(validUntil) - Math.floor(clock.now / 1000);
  };
  expect([validFor(0), validFor(29), validFor(1)]).toEqual([60, 31, 60]);
  expect(validFor(-86_400)).toBe(60);
});
