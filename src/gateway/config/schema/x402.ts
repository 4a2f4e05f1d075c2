import { channels } from "./x402-channels.ts";
import { credit } from "./x402-credit.ts";
import { PAYMENT_FIELDS } from "../../../lib/http/field-roles.ts";
import { isObject } from "../../../lib/is-object.ts";
import { parsedJson } from "../../../lib/parsed-json.ts";
import { array, oneOf, strictObject, string } from "./recorded-schema.ts";
import {
  bytes,
  count,
  environmentName,
  filePath,
  flag,
  headerName,
  milliseconds,
  optionalEnvironmentName,
  optionalFacilitatorUrl,
  optionalHeaderName,
  optionalHttpUrl,
  ours,
  secret,
  section,
  text,
} from "./kinds.ts";
import { mpp } from "./x402-mpp.ts";
import { signers } from "./x402-signers.ts";

/** A chain that this gateway may ask and, with the embedded facilitator, write to. */
const chain = strictObject({
  network: text.describe("Chain, such as `eip155:84532`, `base-sepolia` or `solana`."),
  rpc_url_env: environmentName.describe("Environment variable with the URL of its JSON-RPC endpoint."),
  timeout_ms: milliseconds(5000).describe("Time for one call to the endpoint."),
  poll_ms: milliseconds(500).describe("Time between two lookups of a receipt: about half a block time."),
  confirmations: count(1, 1, 1000).describe("Blocks until a transaction counts as confirmed, including its own."),
  receipt_timeout_ms: milliseconds(60_000).describe("Time for a transaction to be confirmed."),
  max_fee_per_gas: string()
    .regex(/^[1-9][0-9]{0,26}$/, "expected wei, as a decimal number")
    .default("5000000000")
    .describe("Maximum price of a settlement, in wei per unit of gas."),
  native_price: string()
    .regex(/^(?:[0-9]{1,9}(?:\.[0-9]{1,6})?)?$/, "expected dollars, as in 2500 or 0.45")
    .default("")
    .describe("Dollars for one native coin, to warn of prices below the gas of their settlement."),
  max_gas: count(300_000, 21_000, 10_000_000).describe("Maximum gas of one settlement."),
}).meta(
  ours(
    "A chain on which payments are looked up and, with `x402.embedded`, settled. Browsers pay on a cluster of Solana only if it is here.",
  ),
);

const embedded = section({
  enabled: flag().describe("Verify and settle on `x402.chains` with this gateway's own key."),
  key_env: environmentName
    .default("TURNPIKE_FACILITATOR_KEY")
    .describe("Environment variable with the private key that pays gas: 32 bytes in hex."),
  signers,
  max_pending: count(256, 1, 4096).describe(
    "Maximum simultaneous settlements of each key on each chain. Further ones get 503.",
  ),
  wallet_factories: array(string().regex(/^0x[0-9a-fA-F]{40}$/, "expected an address"))
    .max(16)
    .default([])
    .describe("Factories of smart wallets that can pay before they are deployed (ERC-6492)."),
  solana_key_env: optionalEnvironmentName
    .default("")
    .describe(
      "Environment variable with the private key that pays fees on Solana: 64 bytes in base58, or as a JSON array.",
    ),
  approval_key_env: optionalEnvironmentName
    .default("")
    .describe(
      "Environment variable with the private key of an account that gives payers gas to approve Permit2 (`erc20ApprovalGasSponsoring`). Its balance can be lost.",
    ),
}).meta(ours("The embedded facilitator, in place of `facilitator_url`."));

/** A name of `x402.payment_fields`. */
function fieldOf(key: keyof typeof PAYMENT_FIELDS, what: string) {
  return optionalHeaderName.default(PAYMENT_FIELDS[key]).describe(what);
}

const paymentFields = section({
  payer: fieldOf("payer", "Field with the address that pays."),
  amount: fieldOf("amount", "Field with the amount in atomic units. Under `upto` it is the maximum."),
  asset: fieldOf("asset", "Field with the address of the token."),
  network: fieldOf("network", "Field with the chain, such as `eip155:8453`."),
  payment_id: fieldOf("payment_id", "Field with the nonce of the payment."),
  transaction: fieldOf("transaction", "Field with the hash of the transaction. It is sent with `settle: before`."),
  signature: fieldOf("signature", "Field with the signature of the others."),
  secret_env: optionalEnvironmentName
    .default("")
    .describe("Environment variable with the secret that signs the fields. Empty: they are not signed."),
}).meta(ours("Request fields that tell the upstream who pays, and how much. An empty name omits a field."));

const screening = section({
  denied_payers: array(filePath).max(16).default([]).describe("Files with addresses that may not pay."),
  service_url: optionalHttpUrl.default("").describe("URL of a service that decides about each payer."),
  token_env: optionalEnvironmentName
    .default("")
    .describe("Environment variable with the bearer token for the service."),
  timeout_ms: milliseconds(2000).describe("Time for one call of the service. Without a result the request gets 503."),
  cache_s: count(600, 1, 86_400).describe("Seconds for which a result is cached."),
}).meta(ours("Payers that are refused with 403."));

const refunds = section({
  key_envs: array(environmentName)
    .max(32)
    .default([])
    .describe(
      "Environment variables with private keys of receiving addresses (`pay_to`), beside the key of `x402.embedded`: 32 bytes in hex.",
    ),
  owed_after_days: count(0, 0, 3650).describe("Days after which an undelivered payment is refunded. 0: never."),
}).meta(ours("Refunds to payers."));

const signedReceipts = section({
  key_env: optionalEnvironmentName
    .default("")
    .describe("Environment variable with the private key: 32 bytes in hex. Empty: nothing is signed."),
  format: oneOf(["eip712", "jws"])
    .default("eip712")
    .describe("`eip712` (secp256k1, by the address of the key), or `jws`."),
  algorithm: oneOf(["EdDSA", "ES256K"])
    .default("EdDSA")
    .describe("Algorithm of a JWS, and kind of its key: `EdDSA` (Ed25519) or `ES256K` (secp256k1)."),
  kid: string()
    .default("")
    .describe("DID URL of the public key in a JWS, such as `did:web:api.example.com#key-1`. Empty: its `did:key`."),
  transaction: flag().describe("Put the hash of the transaction into receipts."),
}).meta(ours("Sign offers and receipts by x402's extension `offer-receipt`. Requires `x402.public_url`."));

const secretHeader = strictObject({
  name: headerName.describe("Name of the field."),
  value_env: environmentName.describe("Environment variable with its value."),
});

const facilitator = strictObject({
  name: string()
    .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, "expected 1 to 32 lower-case letters, digits and hyphens")
    .describe("Name in the ledger and the log. `embedded` is the embedded facilitator."),
  url: optionalFacilitatorUrl.default("").describe("Its URL, as `facilitator_url`. It is empty for the embedded one."),
  headers: array(secretHeader).max(16).default([]).describe("Header fields of calls to it, as `facilitator_headers`."),
});

const discovery = section({
  manifest: flag(true).describe("Serve `/.well-known/x402.json`: the priced routes in a draft format of x402."),
  llms_txt: oneOf(["auto", "always", "never"])
    .default("auto")
    .describe("Serve `/llms.txt` for language models. `auto`: if no free route serves this path."),
}).meta(ours("Documents beside `/.well-known/x402`, by which programs find what is sold."));

/** `x402`: payment settings that all priced routes share. */
export const x402 = section({
  enabled: flag().describe("Accept payments. Without it, routes with a price are configuration errors."),
  facilitator_url: optionalFacilitatorUrl
    .default("")
    .describe("Facilitator: a URL, or `unix:` and the path of a socket."),
  facilitators: array(facilitator)
    .max(8)
    .default([])
    .meta(ours("Facilitators in order of preference, in place of `facilitator_url`.")),
  facilitator_timeout_ms: milliseconds(5000).describe("Time for one call to a facilitator."),
  payment_required_b64: string()
    .refine((value) => value === "" || isJsonObject(value), "expected the Base64 form of a JSON object")
    .default("")
    .describe("Base64 of a 402 payload, whose `extensions` and `resource` are added to all challenges."),
  facilitator_headers: array(secretHeader)
    .max(16)
    .default([])
    .meta(
      ours(
        "Header fields of calls to the facilitator, such as `Authorization`. A route's own facilitator receives them if it has the origin of `facilitator_url`, or if that key is empty.",
      ),
    ),
  facilitator_refresh_s: count(600, 10, 86_400).meta(ours("Seconds between queries of the supported payments.")),
  require_facilitator: flag().meta(
    ours("Do not start if a facilitator is unreachable, or does not support a route's requirements."),
  ),
  embedded,
  chains: array(chain).max(32).default([]).meta(ours("Chains that the gateway can query.")),
  settlement_secret_env: environmentName
    .default("TURNPIKE_SETTLEMENT_SECRET")
    .meta(ours("Environment variable with the secret that signs records for `settlement_url`.")),
  payment_fields: paymentFields,
  discovery,
  screening,
  credit: credit.exactOptional(),
  channels,
  mpp: mpp.exactOptional(),
  refunds,
  signed_receipts: signedReceipts,
  answer_disk_bytes: bytes(1_073_741_824, 0).meta(ours("Bytes on disk for paid responses.")),
  ledger_keep_days: count(400, 1, 36_500).meta(ours("Days that a finished payment stays in the ledger.")),
  test_mode: flag().meta(
    ours("Verify and settle in an embedded facilitator that moves no money. Only with listeners on loopback."),
  ),
  public_url: optionalHttpUrl
    .refine((value) => !value.includes("?"), "expected a URL without query")
    .overwrite((value) => value.replace(/\/+$/, ""))
    .default("")
    .meta(secret("none"))
    .meta(
      ours(
        "Base URL of resource URLs in challenges, such as `https://api.example.com`. Empty: scheme and host of the request. Set it behind a proxy that changes them.",
      ),
    ),
}).describe("Payment over x402, for all routes.");

function isJsonObject(base64: string): boolean {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return false;
  return isObject(parsedJson(Buffer.from(base64, "base64").toString("utf8")));
}
