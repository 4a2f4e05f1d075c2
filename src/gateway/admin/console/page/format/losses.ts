import { type FunnelLoss } from "../../../../telemetry/metrics/funnel-steps.ts";

const LOSSES: Readonly<Record<FunnelLoss, string>> = {
  no_servers: "No server of the upstream was there",
  not_sold: "A rule refuses it, or there is no price",
  unreadable: "The payment cannot be read",
  network: "Another network or token",
  price: "Another price",
  terms: "Other terms",
  expired: "The payment has expired",
  unfunded: "The payer has too little money",
  allowance: "The payer's allowance is too small",
  signature: "The signature is wrong",
  screening: "The payer is denied",
  limited: "The payer is over its rate limit",
  used: "The payment was used before",
  facilitator: "The facilitator did not respond",
  refused: "The facilitator refused",
  upstream: "The upstream failed",
  unknown: "The settlement's result is unknown",
  overloaded: "The gateway was overloaded",
  gone: "The client has left",
};

/** Words for the reason why a request was not sold. */
export function lossText(loss: string): string {
  // A newer gateway can have another reason.
  return LOSSES[loss as FunnelLoss] ?? loss;
}
