import { expect, test } from "bun:test";
import { type TurnpikeError } from "../../../../lib/errors.ts";
import { type Problem } from "../../../../payments/mpp/problems.ts";
import {
  respondBroken,
  respondRefused,
  respondSpent,
  respondUnreadable,
  respondUnsettled,
  respondUnverified,
  respondUnwritten,
} from "./refusals.ts";
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
    respondProblem: () => void challenges.push("respondProblem"),
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

const unread =
  (why: TurnpikeError | Problem): Refuse =>
  (exchange, paidRoute) =>
    respondUnreadable(exchange, paidRoute, why);

test("a payment that cannot be read gets the reason with the price, or alone", async () => {
  const problem = { type: "about:blank", title: "No", status: 402 } as unknown as Problem; // Its members are not read.
  expect(await responded(unread(problem), true)).toEqual([["respondProblem"], false]);
  expect(await responded(unread(problem), false)).toEqual([[], 402, null]);
  expect(await responded(unread(ERROR), true)).toEqual([["respondError"], false]);
  expect(await responded(unread(ERROR), false)).toEqual([[], 409, null]);
  // It may be good: another payment would be one too many.
  const busy = paymentError("overloaded", "The ledger failed.");
  expect(
    await responded((exchange, paidRoute) => {
      respondUnreadable(exchange, paidRoute, busy);
      expect(exchange.started).toBe(true);
    }, false),
  ).toEqual([[], 503, "5"]);
});

test("a rejected settlement gets its receipt, with the price or alone", async () => {
  const receipt = { success: false, transaction: "", network: "eip155:1", payer: "0x1", errorReason: "no" } as const;
  const unsettled: Refuse = (exchange, paidRoute) =>
    respondUnsettled(exchange, paidRoute, { receipt, form: { version: 2 } });
  expect(await responded(unsettled, true)).toEqual([["respondError"], false]);
  expect(await responded(unsettled, false)).toEqual([[], 402, null]);
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
    const statuses: number[] = [];
    exchange.response = {
      start(head) {
        statuses.push(head.status);
        exchange.start(head);
      },
      data: (chunk) => exchange.data(chunk),
      end: (trailers) => exchange.end(trailers),
      abort: (error) => exchange.abort(error),
    };
    respondUnwritten(exchange, isSpent);
    const response = await exchange.received;
    expect(statuses).toEqual([503]);
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
