import * as z from "zod";
import {
  bytes,
  count,
  environmentName,
  headerName,
  milliseconds,
  optionalFacilitatorUrl,
  optionalHttpUrl,
  ours,
  secret,
  text,
} from "./kinds.ts";

/** A chain that this gateway may ask and, with the embedded facilitator, write to. */
const chain = z
  .strictObject({
    network: text.describe("Chain, as in `eip155:84532` or `base-sepolia`."),
    rpc_url_env: environmentName.describe("Environment variable with the URL of its JSON-RPC endpoint."),
    timeout_ms: milliseconds(5000).describe("Time for one call to the endpoint."),
    poll_ms: milliseconds(500).describe("Time between two looks for a receipt: about half of the chain's block time."),
    confirmations: count(1, 1, 1000).describe("Blocks, its own among them, until a transaction counts."),
    receipt_timeout_ms: milliseconds(60_000).describe(
      "Time for a transaction to get so far; afterwards its outcome is open.",
    ),
    max_fee_per_gas: z
      .string()
      .regex(/^[1-9][0-9]{0,26}$/, "expected wei, as a decimal number")
      .default("5000000000")
      .describe("Wei per unit of gas that a settlement may cost at most."),
    max_gas: count(300_000, 21_000, 10_000_000).describe("Gas that one settlement may take at most."),
  })
  .meta(ours("A chain, to look up what became of a payment and, with `x402.embedded`, to settle on."));

const embedded = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe("Verify and settle on `x402.chains` with a key of this gateway's own."),
    key_env: environmentName
      .default("TURNPIKE_FACILITATOR_KEY")
      .describe("Environment variable with the private key that pays for gas: 32 bytes in hex."),
    max_pending: count(256, 1, 4096).describe("Settlements under way at one time, for each chain."),
  })
  .prefault({})
  .meta(ours("The embedded facilitator, in place of `facilitator_url`."));

const secretHeader = z.strictObject({
  name: headerName.describe("Name of the field."),
  value_env: environmentName.describe("Environment variable with its value."),
});

/** `x402`: payment settings that all priced routes share. */
export const x402 = z
  .strictObject({
    enabled: z.boolean().default(false).describe("Take payments. Priced routes are refused without it."),
    facilitator_url: optionalFacilitatorUrl
      .default("")
      .describe("Facilitator that verifies and settles payments; also `unix:` and the path of a socket."),
    facilitator_timeout_ms: milliseconds(5000).describe("Time for one call to the facilitator."),
    payment_required_b64: z
      .string()
      .refine((value) => value === "" || isJsonObject(value), "expected the Base64 form of a JSON object")
      .default("")
      .describe(
        "Base64 of the 402 Payment Required payload; made up from the route when empty. Its `extensions`, and its `resource` without `url`, go into the challenge of every route; other members are ignored, with a warning.",
      ),
    facilitator_headers: z
      .array(secretHeader)
      .max(16)
      .default([])
      .meta(
        ours(
          "Fields that every call to the facilitator carries, such as `Authorization`. A route's own facilitator gets them where it has the same origin as `facilitator_url`, or that is empty.",
        ),
      ),
    facilitator_refresh_s: count(600, 10, 86_400).meta(
      ours("Seconds between two looks at what the facilitator supports."),
    ),
    require_facilitator: z
      .boolean()
      .default(false)
      .meta(ours("Do not start where a facilitator cannot be reached or does not support what a route asks for.")),
    embedded,
    chains: z.array(chain).max(32).default([]).meta(ours("Chains that may be asked.")),
    settlement_secret_env: environmentName
      .default("TURNPIKE_SETTLEMENT_SECRET")
      .meta(
        ours(
          "Environment variable with the secret by which records for `settlement_url` are signed; without it they are posted unsigned, with a warning.",
        ),
      ),
    answer_disk_bytes: bytes(1_073_741_824, 0).meta(
      ours("Room on the disk for paid answers: those too long for memory, and those kept for a retry."),
    ),
    ledger_keep_days: count(400, 1, 36_500).meta(ours("Days that a finished payment stays in the ledger.")),
    test_mode: z
      .boolean()
      .default(false)
      .meta(
        ours(
          "Verify and settle in an embedded facilitator that moves no money. Only on listeners that are bound to loopback.",
        ),
      ),
    public_url: optionalHttpUrl
      .refine((value) => !value.includes("?"), "expected a URL without query")
      .overwrite((value) => value.replace(/\/+$/, ""))
      .default("")
      .meta(secret("none"))
      .meta(
        ours(
          "What resource URLs in payment challenges start with, such as `https://api.example.com`; if it is empty, the scheme and host of the request. Set it behind a proxy that ends TLS or changes the host.",
        ),
      ),
  })
  .prefault({})
  .describe("Payment over x402, for all routes.");

function isJsonObject(base64: string): boolean {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return false;
  try {
    const value: unknown = JSON.parse(Buffer.from(base64, "base64").toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
