import { count, environmentName, flag, ours, section, text } from "./kinds.ts";

/** `x402.channels`: payment channels of clients, for methods of the scheme `batch-settlement`. */
export const channels = section({
  authorizer_key_env: environmentName
    .default("TURNPIKE_CHANNEL_KEY")
    .describe("Environment variable with the key that permits claims and refunds: 32 bytes in hex."),
  withdraw_delay_s: count(86_400, 900, 2_592_000).describe(
    "Seconds from a client's request for its deposit until it may take it.",
  ),
  deposit_requests: count(10, 1, 1_000_000).describe(
    "Deposit that challenges suggest, in requests at the route's price.",
  ),
  fresh_s: count(300, 5, 3600).describe(
    "Seconds for which the state of a channel is not read again, at most a third of `withdraw_delay_s`.",
  ),
  wait_ms: count(5000, 0, 60_000).describe("Milliseconds that a request waits for an earlier one of the same channel."),
  max_risk: text
    .default("$100")
    .describe("Greatest sum of unclaimed charges of one channel: dollars, or atomic units."),
  max_total_risk: text.default("$10000").describe("The same for all channels of one token together."),
  contracts: section({
    max_risk: text
      .default("$1")
      .describe("As `max_risk`, for one such channel. It is claimed when half of this is unclaimed."),
    max_total_risk: text.default("$100").describe("As `max_total_risk`, for all such channels of one token together."),
  }).describe("Bounds for channels without a `payerAuthorizer`, whose payers can be contracts that deny a voucher."),
  claim: section({
    charges: count(1000, 1, 1_000_000).describe("Claim a channel after this many charges."),
    amount: text.default("$10").describe("Claim a channel if this much is unclaimed: dollars, or atomic units."),
    age_s: count(21_600, 60, 1_296_000).describe(
      "Claim a channel if its first unclaimed charge is this old, at most half of `withdraw_delay_s`.",
    ),
    batch: count(100, 1, 200).describe("Channels in one claim."),
    on_stop: flag(true).describe("Claim all charges when the gateway stops."),
  }).describe("When charges are claimed on the chain."),
  settle_s: count(86_400, 60, 2_592_000).describe(
    "Seconds between two transfers of claimed money to the receiving address.",
  ),
}).meta(ours("Channels of clients, for payment methods of the scheme `batch-settlement`."));
