import { UNITS } from "../../../lib/metering/ruler.ts";
import { array, boolean, literal, number, oneOf, record, strictObject, string, union } from "./recorded-schema.ts";
import { priceMatch } from "./route-match.ts";
import { count, jsonObject, optionalFacilitatorUrl, optionalHttpUrl, ours, secret, text, flag } from "./kinds.ts";

/** Characters of a memo. Its bytes are limited as well. @bound */
const MAX_MEMO = 256;

/** The price of a request and the way of its payment. */
const terms = {
  price: text.describe('Price of one request: atomic units of the asset ("10000"), or dollars ("$0.01").'),
  asset: text.describe("Token: its contract or mint address, or the symbol of a known token (`USDC`)."),
  network: text.describe("Chain, such as `eip155:84532`, `base-sepolia` or `solana`: any that the facilitator offers."),
  pay_to: text.describe("Address that receives the money."),
  scheme: oneOf(["exact", "upto", "batch-settlement"])
    .default("exact")
    .describe("Payment scheme. `batch-settlement`: from the client's channel, by `x402.channels`."),
  asset_transfer_method: oneOf(["eip3009", "permit2"])
    .exactOptional()
    .meta(ours("Transfer method under `exact`: EIP-3009 (default), or `permit2`, which each payer approves once.")),
  max_timeout_seconds: count(60, 1, 86_400).describe("Seconds that a client has to complete a payment."),
  memo: string()
    .max(MAX_MEMO)
    .exactOptional()
    .meta(ours("On Solana: the memo of each payment, at most 256 bytes. Absent: the client's own.")),
};

const domain = {
  extra_name: string().default("").describe("EIP-712 domain name of the asset. Not needed for known assets."),
  extra_version: string().default("").describe("EIP-712 domain version of the asset. Not needed for known assets."),
};

const { price: _price, scheme: _scheme, memo: _memo, ...account } = terms;

/** A way of paying for prepaid credit. */
export const creditMethod = { ...account, ...domain };

const paymentMethod = strictObject({ ...terms, ...domain }).meta(ours("Another accepted payment method."));

const pointer = string()
  .max(1024)
  .regex(/^(?:\/(?:[^~/]|~[01])*)+$/, 'expected a JSON pointer, as in "/urls"');

const bodyCondition = strictObject({
  pointer: pointer.describe("JSON pointer to the value (RFC 6901)."),
  value: union([string().max(4096), number(), boolean()])
    .exactOptional()
    .describe("The value itself."),
  min: number().exactOptional().describe("Least number, or least length of an array."),
  max: number().exactOptional().describe("Greatest number, or greatest length of an array."),
}).describe("One value of the JSON body. With neither `value`, `min` nor `max`, any value matches.");

const pricedItems = strictObject({
  pointer: pointer.describe("JSON pointer to an array of names, or of objects with the name as `type`."),
  prices: record(text.max(100), text)
    .refine((prices) => Object.keys(prices).length <= 64, "expected at most 64 names")
    .describe("Prices by name. Other items have the `price` of the unit."),
  share_percent: count(10, 0, 100).describe("Percentage of the price of each other item."),
}).describe("The price of one unit is that of the most expensive item, and a share of the prices of the others.");

const unitPrice = strictObject({
  price: text.describe("Price of one unit."),
  count: pointer
    .exactOptional()
    .describe("JSON pointer to a number of units, or to an array of them. Absent: one unit."),
  items: pricedItems.exactOptional(),
  min: text.exactOptional().describe("Least price of a request. Absent: one unit."),
  max: text.exactOptional().describe("Greatest price of a request."),
}).describe("A price for each unit in the JSON body.");

/** An address of an EVM chain, or of Solana. */
const PAYER = /^(?:0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/;

const priceRule = strictObject({
  match: priceMatch.prefault({}),
  consumers: array(text.max(256)).max(1000).default([]).describe("Names from authentication. Empty: all clients."),
  payers: array(string().regex(PAYER, "expected an address, in hex on EVM chains or base58 on Solana"))
    .max(1000)
    .default([])
    .describe("Addresses that pay. Empty: all. A request without a payment fits no address."),
  body: array(bodyCondition).max(8).default([]).describe("Values of the JSON body, all of which must match."),
  body_bytes: strictObject({
    min: count(0, 0, Number.MAX_SAFE_INTEGER).describe("Least number of bytes."),
    max: count(Number.MAX_SAFE_INTEGER, 0, Number.MAX_SAFE_INTEGER).describe("Greatest number of bytes."),
  })
    .exactOptional()
    .describe("Length of the request body."),
  utc_hours: strictObject({
    from: count(0, 0, 23).describe("First hour."),
    to: count(24, 1, 24).describe("Hour at which the time ends, on the next day if it is not after `from`."),
  })
    .exactOptional()
    .describe("Hours of the day, in UTC."),
  price: text.exactOptional().describe("Price of the request."),
  unit_price: unitPrice.exactOptional(),
  free: literal(true).exactOptional().describe("The request is free."),
  refuse: literal(true).exactOptional().describe("The request gets 403."),
}).describe("Conditions, and one of `price`, `unit_price`, `free` and `refuse`.");

const freePerDay = strictObject({
  requests: count(1, 1, 1_000_000).describe("Free requests in 24 hours, which return evenly over the day."),
  key: oneOf(["address", "payer"])
    .default("address")
    .describe(
      "`address`: requests without a payment, by the name from authentication or else by the client address. `payer`: requests with a valid payment, which is not settled.",
    ),
}).describe("Free requests.");

const meter = strictObject({
  unit: oneOf(UNITS).describe(
    "Unit: an `event` of an event stream, a `line`, a `byte`, or a `message` of a WebSocket connection.",
  ),
  units: count(100, 1, 1_000_000_000).describe("Units that a payment of `price` covers."),
  pause_s: count(60, 1, 600).describe(
    "Seconds for which a response waits for the next payment when the units are used up.",
  ),
}).describe("Units of the response that are paid for as they flow.");

/** `routes[].x402`: the price of a request, and the account that is paid. */
export const routeX402 = strictObject({
  ...terms,
  settlement_url: optionalHttpUrl.default("").describe("URL to which a record of each settlement is posted."),
  gateway_id: string()
    .max(256)
    .default("")
    .describe(
      "Name of this gateway: `extra.gatewayId` in requirements and receipts, `gateway_id` in settlement records.",
    ),
  ...domain,
  facilitator_url: optionalFacilitatorUrl
    .default("")
    .describe("Facilitator of this route, in place of `x402.facilitator_url`."),
  resource_url: optionalHttpUrl
    .meta(secret("none"))
    .default("")
    .describe(
      "Resource URL in the challenge. Empty: path and query of the request, after `x402.public_url` or its scheme and host.",
    ),
  description: string()
    .max(500)
    .default("")
    .meta(ours("Description for people and catalogues, in the challenge and in `/.well-known/x402`.")),
  extensions: jsonObject
    .exactOptional()
    .describe(
      "Extensions of the challenge. With `payment-identifier` and `info.required`, every payment must have an id.",
    ),
  accepts: array(paymentMethod).max(8).default([]).meta(ours("Further payment methods. The client chooses one.")),
  rules: array(priceRule)
    .max(32)
    .default([])
    .meta(ours("Prices by what is requested. The first rule that matches decides, otherwise `price`.")),
  check_form: flag().meta(
    ours("Before a challenge, ask the upstream with `Turnpike-Check: form` whether it refuses the request."),
  ),
  exempt_consumers: array(text.max(256))
    .max(10_000)
    .default([])
    .meta(ours("Names from authentication that do not pay. `*`: every name.")),
  free_per_day: freePerDay.exactOptional().meta(ours("Free requests.")),
  settle: oneOf(["after", "before"])
    .default("after")
    .meta(
      ours("`after`: settle when the upstream has responded. `before`: settle first; a failed response is then owed."),
    ),
  meter: meter.exactOptional().meta(ours("Price the units of the response. Needs the scheme `batch-settlement`.")),
  max_partial_answers: count(3, 1, 10).meta(
    ours("Interrupted responses for one payment after which the upstream request is not run again."),
  ),
  max_repeats: count(3, 0, 100).meta(ours("Number of times that a payment gets its response again.")),
  inline_receipt: flag().describe("Also add the receipt to JSON objects of at most 1 MiB, as the member `payment`."),
}).describe("Price of a request.");
