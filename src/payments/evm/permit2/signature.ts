import { checkSignature } from "../../signatures/check-payment.ts";
import { type PaymentRequirements, type Permit2Payment } from "../../x402/messages.ts";
import { type Reason } from "../../x402/reasons.ts";
import { type EvmNode } from "../node.ts";
import { codeRequest } from "../requests.ts";
import { type Fault, isFault } from "../rpc.ts";

/**
 * Refuses a signature that cannot hold; undefined where it may. What an account with code has signed is that account's own
 * to say (ERC-1271), as Permit2 asks it.
 */
export async function checkSigner(
  node: EvmNode,
  payment: Permit2Payment,
  requirements: PaymentRequirements,
): Promise<Reason | Fault | undefined> {
  const signed = checkSignature(payment, requirements);
  if (typeof signed !== "string") return undefined;
  const code = await node.read(codeRequest(payment.payload.permit2Authorization.from));
  if (isFault(code)) return code;
  return code === "0x" ? signed : undefined;
}
