/** The stages that a request on a priced route can reach, in order. `again` is a delivery to a payer who has bought before. */
export const FUNNEL_STAGES = [
  "free",
  "unpaid",
  "challenged",
  "signed",
  "verified",
  "settled",
  "delivered",
  "again",
] as const;

/**
 * Why a request on a priced route was not sold. `not_sold`: a rule refuses it, or its price cannot be determined.
 * `network`: the payment is on another network or in another token. `price`: it is for another price. `limited`: the
 * payer is over its rate limit. `used`: the payment was used, or another request uses it. `unknown`: the result of the
 * settlement is not known yet.
 */
export const FUNNEL_LOSSES = [
  "no_servers",
  "not_sold",
  "unreadable",
  "network",
  "price",
  "terms",
  "expired",
  "unfunded",
  "allowance",
  "signature",
  "screening",
  "limited",
  "used",
  "facilitator",
  "refused",
  "upstream",
  "unknown",
  "overloaded",
  "gone",
] as const;

/** The kinds of clients, by their user agent. */
export const CLIENT_CLASSES = ["browser", "agent", "sdk", "other"] as const;

export const FUNNEL_STEPS = [...FUNNEL_STAGES, ...FUNNEL_LOSSES] as const;

export type FunnelStage = (typeof FUNNEL_STAGES)[number];
export type FunnelLoss = (typeof FUNNEL_LOSSES)[number];
export type FunnelStep = FunnelStage | FunnelLoss;
export type ClientClass = (typeof CLIENT_CLASSES)[number];
