import * as z from "zod";
import { count, jsonObject, optionalFacilitatorUrl, optionalHttpUrl, ours, secret, text } from "./kinds.ts";

const assetTransferMethod = z
  .enum(["eip3009", "permit2"])
  .exactOptional()
  .meta(
    ours(
      "How the money moves under `exact`: by the token's own EIP-3009 (`eip3009`, where it is left out), or by Permit2, which works with every token and asks of payers that they approve it once. `upto` is always `permit2`.",
    ),
  );

const offer = z
  .strictObject({
    price: text.describe('As the route\'s own: atomic units ("10000") or dollars ("$0.01").'),
    asset: text.describe("Token: its contract address, or the symbol of a known one (`USDC`)."),
    network: text.describe("Chain, as in `eip155:8453` or `base`."),
    pay_to: text.describe("Address that is paid."),
    scheme: z.enum(["exact", "upto"]).default("exact").describe("Payment scheme."),
    asset_transfer_method: assetTransferMethod,
    max_timeout_seconds: count(60, 1, 86_400).describe("Seconds that a client has to complete a payment."),
    extra_name: z.string().default("").describe("EIP-712 domain name of the asset; known for known assets."),
    extra_version: z.string().default("").describe("EIP-712 domain version of the asset; known for known assets."),
  })
  .meta(ours("Another way to pay for the same."));

/** `routes[].x402`: what a request costs, and to whom it is paid. */
export const routeX402 = z
  .strictObject({
    price: text.describe('What one request costs: atomic units of the asset ("10000"), or dollars ("$0.01").'),
    asset: text.describe("Token that is paid in: its contract address, or the symbol of a known one (`USDC`)."),
    network: text.describe("Chain, as in `eip155:84532` or `base-sepolia`."),
    pay_to: text.describe("Address that is paid."),
    scheme: z.enum(["exact", "upto"]).default("exact").describe("Payment scheme."),
    asset_transfer_method: assetTransferMethod,
    max_timeout_seconds: count(60, 1, 86_400).describe("Seconds that a client has to complete a payment."),
    settlement_url: optionalHttpUrl.default("").describe("Where settlements are reported."),
    gateway_id: z
      .string()
      .max(256)
      .default("")
      .describe(
        "Name of this gateway: `extra.gatewayId` of every way of paying, which clients send back in their payments, of receipts, and `gateway_id` of settlement records.",
      ),
    extra_name: z.string().default("").describe("EIP-712 domain name of the asset; known for known assets."),
    extra_version: z.string().default("").describe("EIP-712 domain version of the asset; known for known assets."),
    facilitator_url: optionalFacilitatorUrl.default("").describe("Facilitator in place of `x402.facilitator_url`."),
    resource_url: optionalHttpUrl
      .meta(secret("none"))
      .default("")
      .describe(
        "Resource URL in the challenge; made from the request when empty: its path and query behind `x402.public_url`, else behind its own scheme and host.",
      ),
    description: z
      .string()
      .max(500)
      .default("")
      .meta(ours("What is sold, for people and catalogues: in the challenge, and in `/.well-known/x402`.")),
    extensions: jsonObject
      .exactOptional()
      .describe(
        "Free-form object that is put into the payment payload. By `payment-identifier` with `info.required`, every payment must have an id of the client's.",
      ),
    accepts: z.array(offer).max(8).default([]).meta(ours("Further ways to pay for the same; the client chooses.")),
    settle: z
      .enum(["after", "before"])
      .default("after")
      .meta(
        ours(
          "`after`: the money moves once the upstream's answer is there. `before`: first, for what is costly, irreversible or streamed; a failed answer is then owed, not refunded.",
        ),
      ),
    max_partial_answers: count(3, 1, 10).meta(
      ours(
        "Answers to one payment of which a part, and not the whole, may reach the client; then the upstream is not run for it again.",
      ),
    ),
    inline_receipt: z
      .boolean()
      .default(false)
      .describe(
        "Put the receipt into the response body as well: as the member `payment` of an answer that is a JSON object, uncompressed and of 1 MiB at most.",
      ),
  })
  .describe("What a request costs.");
