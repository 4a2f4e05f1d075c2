import { isEip3009, isEvmPayment, type PaymentPayload } from "./messages.ts";
import { methodOf } from "./terms.ts";
import { fromV1Network } from "./v1.ts";

/**
 * The way in which the form of a payment contradicts the requirements that it accepts itself, or undefined. Signed
 * values that differ from them are not its matter: x402 has reasons for these.
 */
export function contradictionIn(payment: PaymentPayload): string | undefined {
  const { accepted } = payment;
  if (isEvmPayment(payment)) {
    const method = isEip3009(payment) ? "eip3009" : "permit2";
    if (accepted.scheme === "upto" && method !== "permit2")
      return "it accepts the scheme upto, and is made by EIP-3009";
    if (methodOf(accepted) !== method) return `it accepts another transfer method than its own, ${method}`;
  }
  // Members of version 1, which some clients send with both versions.
  const { scheme = accepted.scheme, network = accepted.network } = payment;
  if (scheme !== accepted.scheme) return "it names two schemes";
  if (typeof network !== "string" || fromV1Network(network) !== fromV1Network(accepted.network))
    return "it names two networks";
  return undefined;
}
