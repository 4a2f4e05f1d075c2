import { expect, test } from "bun:test";
import { REQUIREMENTS } from "../../../../payments/testing/payment.ts";
import { decodeHeader } from "../../../../payments/x402/header.ts";
import { type PaymentRequired } from "../../../../payments/x402/messages.ts";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { paymentProblem } from "../../../../payments/mpp/problems.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { type PaymentAuth } from "../mpp/payment-auth.ts";
import { TestExchange } from "../testing/test-gateway.ts";
import { Challenge, type ChallengeOptions } from "./challenge.ts";

const REQUIRED: PaymentRequired = {
  x402Version: 2,
  resource: { url: "https://shop.example/goods", description: "Goods" },
  accepts: [
    REQUIREMENTS,
    { ...REQUIREMENTS, scheme: "upto", amount: "20000" },
    { ...REQUIREMENTS, asset: `0x${"1".repeat(40)}`, amount: "7" },
  ],
};
const PRICE =
  `0.01 USDC on Base Sepolia (eip155:84532), or up to 0.02 USDC on Base Sepolia (eip155:84532), ` +
  `or 7 units of 0x${"1".repeat(40)} on Base Sepolia (eip155:84532)`;
const LOCATION = { fixed: "", publicUrl: "https://shop.example", baseUrl: "", hasHost: false };

interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  readonly credential?: string;
  readonly path?: string;
}

/** The response of a challenge to a request: its status, its fields, its body and its challenge. */
async function asked(
  respond: (challenge: Challenge, exchange: Exchange) => void,
  { headers = {}, credential, path = "/goods" }: Asked = {},
  options: Partial<ChallengeOptions> = {},
) {
  const exchange: Exchange = new TestExchange(new Request(`http://127.0.0.1${path}`, { headers }));
  if (credential !== undefined) exchange.paymentCredential = credential;
  respond(new Challenge(REQUIRED, { location: LOCATION, testMode: false, ...options }), exchange);
  const response = await (exchange as TestExchange).received; // It was made above.
  const header = decodeHeader(response.headers.get("payment-required") ?? "") as Record<string, unknown>;
  const text = await response.text();
  return { response, header, text };
}

test("an unpaid request costs the price, and the resource is the requested URL", async () => {
  const { response, header, text } = await asked(
    (challenge, exchange) => challenge.respond(exchange, "Payment required"),
    {
      path: "/goods/1?a=b",
    },
  );
  const url = "https://shop.example/goods/1?a=b";
  expect([response.status, response.headers.get("vary")]).toEqual([402, "Accept, User-Agent"]);
  expect(header).toEqual({ ...REQUIRED, resource: { ...REQUIRED.resource, url }, error: "Payment required" });
  const body = JSON.parse(text) as Record<string, unknown>;
  expect(body).toMatchObject({ type: "urn:turnpike:error:payment-required", paymentRequired: header });
  expect(String(body["detail"])).toStartWith(`This costs ${PRICE}. Pay with an x402 client, such as `);
});

test.each([
  [
    "insufficient_funds",
    402,
    `The payment was refused: the payer has too little of the token (insufficient_funds). This costs ${PRICE}.`,
  ],
  [
    "invalid_exact_evm_payload_authorization_valid_before",
    402,
    `The payment was refused: it has expired, or the client's clock is wrong (invalid_exact_evm_payload_authorization_valid_before). This costs ${PRICE}.`,
  ],
  ["payment_refused", 402, `The payment was refused: payment_refused. This costs ${PRICE}.`],
  [
    "permit2_allowance_required",
    412,
    `The payment was refused: the payer has not approved Permit2 to move the token. This costs ${PRICE}.`,
  ],
] as const)("a payment that is refused for %s gets status %d, and the price again", async (error, status, detail) => {
  for (const testMode of [false, true]) {
    const { response, header, text } = await asked(
      (challenge, exchange) => challenge.respond(exchange, error),
      {},
      { testMode },
    );
    expect([response.status, header["error"]]).toEqual([status, error]);
    expect(JSON.parse(text)).toMatchObject({
      status,
      detail: testMode ? `${detail} Test mode: no money moves.` : detail,
    });
  }
});

test("corrected requirements come first, in place of those that they correct", async () => {
  const corrected = { ...REQUIREMENTS, extra: { ...REQUIREMENTS.extra, channelState: { balance: "1" } } };
  const error = "invalid_batch_settlement_evm_cumulative_amount_mismatch";
  const { response, header, text } = await asked((challenge, exchange) =>
    challenge.respondCorrected(exchange, error, corrected),
  );
  expect([response.status, header["error"], header["accepts"]]).toEqual([
    402,
    error,
    [corrected, ...REQUIRED.accepts.slice(1)],
  ]);
  expect(JSON.parse(text)).toMatchObject({ detail: `The payment was refused: ${error}. This costs ${PRICE}.` });
});

const CONFLICT = new TurnpikeError("payment-conflict", "it was used");

test("an error about a payment has the terms for another one, and the reason if there is one", async () => {
  for (const reason of ["", "expired"]) {
    const { response, header, text } = await asked((challenge, exchange) =>
      challenge.respondError(exchange, CONFLICT, { reason, fields: "Retry-After: 7\r\n" }),
    );
    expect([response.status, response.headers.get("retry-after"), header["error"]]).toEqual([
      409,
      "7",
      "Payment required",
    ]);
    expect(JSON.parse(text)).toMatchObject({
      type: "urn:turnpike:error:payment-conflict",
      error: reason || "it was used",
      paymentRequired: { accepts: REQUIRED.accepts },
    });
  }
});

const AUTH = {
  challengesFor: () => "WWW-Authenticate: Payment id=1\r\n",
} as unknown as PaymentAuth; // Nothing else of it is read.

test.each<[string, (challenge: Challenge, exchange: Exchange) => void, string]>([
  ["is refused", (challenge, exchange) => challenge.respond(exchange, "insufficient_funds"), "verification-failed"],
  ["is used", (challenge, exchange) => challenge.respondError(exchange, CONFLICT), "invalid-challenge"],
  [
    "is malformed",
    (challenge, exchange) => challenge.respondProblem(exchange, paymentProblem("malformed-credential", "no JSON")),
    "malformed-credential",
  ],
])(
  "a credential of the Payment scheme that %s gets a problem of the scheme, and both kinds of challenge",
  async (_what, respond, problem) => {
    const { response, header, text } = await asked(respond, { credential: "e30" }, { auth: AUTH });
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([402, "Payment id=1"]);
    expect(JSON.parse(text)).toMatchObject({ type: `https://paymentauth.org/problems/${problem}` });
    expect(header).toMatchObject({ error: expect.any(String), accepts: REQUIRED.accepts });
  },
);

test("an error that the Payment scheme has no problem for is a usual one", async () => {
  const { response, text } = await asked(
    (challenge, exchange) => challenge.respondError(exchange, new TurnpikeError("overloaded", "later")),
    { credential: "e30" },
    { auth: AUTH },
  );
  expect([response.status, response.headers.get("www-authenticate")]).toEqual([503, "Payment id=1"]);
  expect(JSON.parse(text)).toMatchObject({ type: "urn:turnpike:error:overloaded" });
});

test("a browser gets a page, and a program that names a browser gets it only if it asks for HTML", async () => {
  const browser = { accept: "text/html,*/*", "user-agent": "Mozilla/5.0" };
  for (const [headers, type] of [
    [browser, "text/html; charset=utf-8"],
    [{ ...browser, accept: "*/*" }, "application/problem+json"],
    [{ ...browser, "user-agent": "curl/8" }, "application/problem+json"],
  ] as const) {
    const { response } = await asked((challenge, exchange) => challenge.respond(exchange, "Payment required"), {
      headers,
    });
    expect([response.status, response.headers.get("content-type")]).toEqual([402, type]);
  }
  const refused = await asked((challenge, exchange) => challenge.respond(exchange, "insufficient_funds"), {
    headers: browser,
  });
  expect(refused.response.headers.get("content-type")).toBe("application/problem+json");
});

/** A signer whose offers have `length` characters. */
const offering = (length: number): ChallengeOptions["signer"] => ({
  offering: (required) => ({ ...required, extensions: { signed: "x".repeat(length) } }),
});

test("a URL that is too long for the header is left out, and signed offers are if they are", async () => {
  for (const path of [`/goods?${"x".repeat(8000)}`, `/${"x".repeat(3000)}`]) {
    const long = await asked((challenge, exchange) => challenge.respond(exchange, "Payment required"), { path });
    expect(long.header["resource"]).toEqual(REQUIRED.resource);
  }
  for (const [length, isSigned] of [
    [10, true],
    [8000, false],
  ] as const) {
    const { header } = await asked(
      (challenge, exchange) => challenge.respond(exchange, "Payment required"),
      {},
      { signer: offering(length) },
    );
    expect("extensions" in header).toBe(isSigned);
  }
});

/** A challenge whose description has `length` characters. */
function challengeWith(length: number): Challenge {
  const resource = { ...REQUIRED.resource, description: "x".repeat(length) };
  return new Challenge({ ...REQUIRED, resource }, { location: LOCATION, testMode: false });
}

function fits(length: number): boolean {
  try {
    challengeWith(length).check();
    return true;
  } catch {
    return false;
  }
}

test("a challenge that fits a header field exactly is sold, and one that is longer is not", async () => {
  let most = 5000;
  while (fits(most + 1)) most += 1;
  const exchange = new TestExchange(new Request("http://127.0.0.1/goods"));
  challengeWith(most).respond(exchange, "Payment required");
  const { headers } = await exchange.received;
  expect(headers.get("payment-required")).toHaveLength(8192);
  expect(() => challengeWith(most + 1).check()).toThrow(
    "Cannot accept payments: the challenge has 8196 characters, and a header field can have 8192",
  );
});
