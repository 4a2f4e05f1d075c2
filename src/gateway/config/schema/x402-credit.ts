import { array, strictObject } from "./recorded-schema.ts";
import { count, optionalFacilitatorUrl, ours, text } from "./kinds.ts";
import { rateLimit } from "./rate-limit.ts";
import { creditMethod } from "./route-x402.ts";

const pass = strictObject({
  name: text.max(64).describe("Name by which clients buy it."),
  price: text.describe('Price: atomic units of the asset ("5000000"), or dollars ("$5").'),
  seconds: count(2_592_000, 1, 315_360_000).describe("Seconds for which it is valid."),
  calls: count(0, 0, 1_000_000_000).describe("Number of requests that it pays for. 0: all requests in its time."),
  routes: array(text)
    .max(256)
    .default([])
    .describe("Routes that it pays for: host, path prefix, and `#` with the name. Empty: all priced routes."),
}).describe("A time or a number of requests for a price.");

/** `x402.credit`: prepaid credit, which clients spend by a token. */
export const credit = strictObject({
  ...creditMethod,
  accepts: array(strictObject(creditMethod).describe("Another accepted payment method."))
    .max(8)
    .default([])
    .describe("Further payment methods. A balance has one currency."),
  facilitator_url: optionalFacilitatorUrl.default("").describe("Facilitator, in place of `x402.facilitator_url`."),
  min: text.default("$1").describe("Least amount of one purchase."),
  max: text.default("$1000").describe("Greatest amount of one purchase."),
  expires_days: count(365, 0, 36_500).describe("Days after the last purchase for which a balance is valid. 0: always."),
  passes: array(pass).max(64).default([]).describe("Passes for sale."),
  rate_limit: rateLimit
    .prefault({ requests_per_second: 10, burst_size: 100 })
    .describe("Requests of each client to `/.turnpike/credit`."),
}).meta(ours("Sell prepaid credit at `/.turnpike/credit`."));
