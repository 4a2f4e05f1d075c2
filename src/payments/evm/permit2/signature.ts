import { checkSignature } from "../../signatures/check-payment.ts";
import { type PaymentRequirements, type Permit2Payment } from "../../x402/messages.ts";
import { type Reason } from "../../x402/reasons.ts";
import { type EvmNode } from "../node/node.ts";
import { codeRequest } from "../node/requests.ts";
import { type RpcError, isRpcError } from "../node/rpc.ts";

/**
 * Refuses an invalid signature; undefined if it may be valid. If the account has code, only the account can check its
 * signature (ERC-1271), as in Permit2.
 */
export async function checkSigner(
  node: EvmNode,
  payment: Permit2Payment,
  requirements: PaymentRequirements,
): Promise<Reason | RpcError | undefined> {
  const signed = checkSignature(payment, requirements);
  if (typeof signed !== "string") return undefined;
  const code = await node.read(codeRequest(payment.payload.permit2Authorization.from));
  if (isRpcError(code)) return code;
  return code === "0x" ? signed : undefined;
}
