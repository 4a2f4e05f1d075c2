import { sameAddress } from "../x402/address.ts";
import { type PaymentPayload, type PaymentRequirements } from "../x402/messages.ts";
import { isByEip3009, v1Network, type V1Payment } from "../x402/v1.ts";
import { checkSignature } from "./check-payment.ts";

/**
 * Converts a payment to version 2; its signature is the same. Finds the accepted requirements among `offers` by the
 * signed values. Undefined if no requirements are for the payment's network.
 */
export function fromV1(
  { network, payload }: V1Payment,
  accepts: readonly PaymentRequirements[],
): PaymentPayload | undefined {
  const { to, value } = payload.authorization;
  const there = accepts.filter(
    (requirements) => isByEip3009(requirements) && v1Network(requirements.network) === network,
  );
  const alike = there.filter((requirements) => sameAddress(requirements.payTo, to) && requirements.amount === value);
  const choices = (alike.length === 0 ? there : alike).map(
    (accepted): PaymentPayload => ({ x402Version: 2, accepted, payload }),
  );
  // If several tokens have the same price and payee, only the signature shows which one the payment is for.
  if (alike.length < 2) return choices[0];
  return choices.find((choice) => typeof checkSignature(choice, choice.accepted) !== "string") ?? choices[0];
}
