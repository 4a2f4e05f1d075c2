import { expect, test } from "bun:test";
import { respondBroken, respondRefused, respondSpent, respondUnverified, respondUnwritten } from "./refusals.ts";
import { paymentError } from "../protocol/respond.ts";
import { type PaidRoute } from "./paid-route.ts";
import { TestExchange } from "../testing/test-gateway.ts";

type Refuse = (exchange: TestExchange, paidRoute: PaidRoute) => void;

const ERROR = paymentError("payment-conflict", "It was spent.");

/** The response, once. `challenges` are the names of the methods of the route's challenge that were called. */
async function responded(refuse: Refuse, hasChallenge: boolean): Promise<unknown[]> {
  const exchange = new TestExchange(new Request("http://a.test/"));
  const challenges: string[] = [];
  const challenge = {
    respond: () => void challenges.push("respond"),
    respondError: () => void challenges.push("respondError"),
  };
  // The refusals read only the challenge of the route.
  const paidRoute = { accepts: { current: () => (hasChallenge ? challenge : undefined) } } as unknown as PaidRoute;
  refuse(exchange, paidRoute);
  if (hasChallenge) return [challenges, exchange.started];
  const { status, headers } = await exchange.received;
  return [challenges, status, headers.get("retry-after")];
}

const refused: Refuse = (exchange, paidRoute) => respondRefused(exchange, paidRoute, "Payment required");
const spent: Refuse = (exchange, paidRoute) => respondSpent(exchange, paidRoute, ERROR);

test("a refused payment gets the price again, or 503 while the route has no price", async () => {
  expect(await responded(refused, true)).toEqual([["respond"], false]);
  expect(await responded(refused, false)).toEqual([[], 503, "5"]);
});

test("a spent payment gets the error with the price, or alone while the route has no price", async () => {
  expect(await responded(spent, true)).toEqual([["respondError"], false]);
  expect(await responded(spent, false)).toEqual([[], 409, null]);
});

test.each([
  ["unavailable", 503],
  ["failed", 502],
] as const)(
  "a payment that could not be verified (the facilitator: %s) is refused with %d and Retry-After",
  async (kind, status) => {
    expect(await responded((exchange) => respondUnverified(exchange, kind), false)).toEqual([[], status, "5"]);
  },
);

test("after a failure of the ledger the response says if money may have moved", async () => {
  for (const isSpent of [true, false]) {
    const exchange = new TestExchange(new Request("http://a.test/"));
    respondUnwritten(exchange, isSpent);
    const response = await exchange.received;
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await response.text()).toContain(isSpent ? "not known yet" : "nothing was charged");
  }
});

test.each([
  ["overloaded", "", "1"],
  ["upstream-failed", "", null],
  ["upstream-failed", "PAYMENT-RESPONSE: r\r\n", "1"],
] as const)(
  "a response that was not sent (%s, receipt %j) can be requested again: %p",
  async (code, receipt, retry) => {
    const exchange = new TestExchange(new Request("http://a.test/"));
    respondBroken(exchange, paymentError(code, "no"), receipt);
    const { headers } = await exchange.received;
    expect([headers.get("retry-after"), headers.get("payment-response")]).toEqual([retry, receipt === "" ? null : "r"]);
  },
);
