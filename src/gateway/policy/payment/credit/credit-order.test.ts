import { describe, expect, test } from "bun:test";
import { TERMS, USDC } from "../../../../payments/testing/payment.ts";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { type Credit } from "../../../../store/credits.ts";
import { type CreditSettings, type Order, readOrder } from "./credit-order.ts";

const PASS = { name: "day", price: "$2", calls: 100 };
// No other members are read.
const SETTINGS = { min: "$1", max: "$10", passes: [PASS] } as unknown as CreditSettings;
const OTHER = { ...TERMS, network: "base", asset: "USDC" };
const CREDIT = { network: "eip155:84532", token: USDC.toLowerCase() } as unknown as Credit;

function order(body: string, credit?: Credit): Order | TurnpikeError {
  return readOrder(Buffer.from(body), SETTINGS, [TERMS, OTHER], credit);
}

/** The prices of an order by network, or the path and the text of its error. */
function summary(result: Order | TurnpikeError): unknown {
  if (result instanceof TurnpikeError) return result.message;
  return result.terms.map(({ network, price }) => `${network} ${price}`);
}

describe("a purchase of credit", () => {
  test.each([
    ["", "$1"],
    ["{}", "$1"],
    ['{"amount":"$5"}', "$5"],
    ['{"amount":"$1"}', "$1"],
    ['{"amount":"$10"}', "$10"],
    ['{"amount":"1000000"}', "1000000"],
    ['{"amount":"10000000"}', "10000000"],
  ])("%j costs %s by each method", (body, price) => {
    const result = order(body);
    expect(summary(result)).toEqual([`base-sepolia ${price}`, `base ${price}`]);
    expect(result).toMatchObject({ pass: undefined, credit: undefined });
  });

  test.each([
    ['{"amount":"999999"}', /must be atomic units .* from \$1 to \$10/],
    ['{"amount":"10000001"}', /from \$1 to \$10/],
    ['{"amount":"$0.99"}', /from \$1 to \$10/],
    ['{"amount":"many"}', /from \$1 to \$10/],
    ['{"amount":"0"}', /from \$1 to \$10/],
    ['{"amount":5}', /the body must have amount or pass/],
    ['{"amount":"$5","more":1}', /the body must have amount or pass/],
    ["[]", /the body must have amount or pass/],
    ["{", /the body is not JSON/],
    ['{"pass":"week"}', /pass is unknown: "week"/],
    ['{"pass":"day","amount":"$5"}', /pass excludes amount/],
  ])("%s is refused", (body, text) => {
    const result = order(body);
    expect(result).toBeInstanceOf(TurnpikeError);
    expect(summary(result)).toMatch(text);
  });

  test("of a pass costs its price, and needs no credit", () => {
    const result = order('{"pass":"day"}');
    expect(summary(result)).toEqual(["base-sepolia $2", "base $2"]);
    expect(result).toMatchObject({ pass: PASS });
    expect(summary(order('{"pass":"day"}', CREDIT))).toMatch(/pass is bought without a token/);
  });

  test("for a credit is paid in its own currency", () => {
    const result = order('{"amount":"$5"}', CREDIT);
    expect([summary(result), (result as Order).credit]).toEqual([["base-sepolia $5"], CREDIT]);
    const foreign = { ...CREDIT, token: `0x${"1".repeat(40)}` };
    expect(summary(order('{"amount":"$5"}', foreign))).toMatch(/cannot be added to this credit/);
    const elsewhere = { ...CREDIT, network: "eip155:1" };
    expect(summary(order('{"amount":"$5"}', elsewhere))).toMatch(/cannot be added to this credit/);
  });
});
