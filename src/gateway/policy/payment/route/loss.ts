import { type PaymentRequirements } from "../../../../payments/x402/messages.ts";
import { type FunnelLoss } from "../../../telemetry/metrics/funnel-steps.ts";
import { sameAddress } from "../../../../payments/x402/address.ts";
import { NO_MATCH } from "../../../../payments/x402/terms.ts";
import { type ChallengeError } from "../challenge/challenge.ts";

/** The first words that fit a reason decide. */
const LOSSES: readonly (readonly [RegExp, FunnelLoss])[] = [
  [/insufficient/, "unfunded"],
  [/allowance/, "allowance"],
  [/expired|valid_before|deadline|valid_after|not_yet_valid|too_early/, "expired"],
  [/signature|invalid_owner/, "signature"],
  [/nonce/, "used"],
  [/network/, "network"],
  [/value_mismatch|amount/, "price"],
  [/mismatch|scheme|requirements|unsupported|matching|spender|destination/, "terms"],
];

/** The loss that a refused payment counts as. `accepted`: what it was made for; `accepts`: what the route accepts. */
export function lossOf(
  error: ChallengeError,
  accepted?: PaymentRequirements,
  accepts: readonly PaymentRequirements[] = [],
): FunnelLoss {
  if (error === NO_MATCH && accepted !== undefined) {
    const alike = accepts.filter(
      ({ network, asset }) => network === accepted.network && sameAddress(asset, accepted.asset),
    );
    if (alike.length === 0) return "network";
    return alike.every(({ amount }) => amount !== accepted.amount) ? "price" : "terms";
  }
  return LOSSES.find(([words]) => words.test(error))?.[1] ?? "refused";
}
