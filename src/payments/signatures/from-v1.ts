import { sameAddress } from "../x402/address.ts";
import { assetsOn } from "../x402/assets.ts";
import { type PaymentPayload, type PaymentRequirements } from "../x402/messages.ts";
import { isByEip3009, V1_NETWORKS, type V1Payment } from "../x402/v1.ts";
import { checkSignature } from "./check-payment.ts";

/** Seconds of terms that are only used to look a payment up. */
const LOOKED_UP_S = 60;

/**
 * Converts a payment to version 2; its signature is the same. Finds the accepted requirements among `offers` by the
 * signed values. If the terms have changed since, the payment has requirements of its own, with the token that it is for.
 * Undefined if neither the offers nor the known tokens are on the payment's network.
 */
export function fromV1(payment: V1Payment, accepts: readonly PaymentRequirements[]): PaymentPayload | undefined {
  const { payload } = payment;
  const { to, value } = payload.authorization;
  const network = V1_NETWORKS.get(payment.network);
  const there = accepts.filter((requirements) => isByEip3009(requirements) && requirements.network === network);
  const alike = there.filter((requirements) => sameAddress(requirements.payTo, to) && requirements.amount === value);
  const others = formerTerms(payment, network).filter(
    ({ asset }) => !there.some((one) => sameAddress(one.asset, asset)),
  );
  const choices = [...(alike.length === 0 ? there : alike), ...others].map(
    (accepted): PaymentPayload => ({ x402Version: 2, accepted, payload }),
  );
  // If several tokens are possible, only the signature shows which one the payment is for.
  if (choices.length < 2) return choices[0];
  return choices.find((choice) => typeof checkSignature(choice, choice.accepted) !== "string") ?? choices[0];
}

/** Terms that the payment could have been made for: by them it is found in the ledger, and no new one is accepted. */
function formerTerms({ payload }: V1Payment, network = ""): readonly PaymentRequirements[] {
  const { to: payTo, value: amount } = payload.authorization;
  return assetsOn(network).map(({ address: asset, name, version }) => ({
    scheme: "exact",
    network,
    amount,
    asset,
    payTo,
    maxTimeoutSeconds: LOOKED_UP_S,
    extra: { name, version },
  }));
}
