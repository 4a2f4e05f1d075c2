import { z } from "zod";
import { type Hex } from "../x402/address.ts";
import { addressSchema, atomicSchema, type PaymentPayload } from "../x402/messages.ts";
import { GAS_APPROVAL, type GasApproval } from "./gas-approval.ts";

/** The extension in a challenge: the version, and the form of the client's part. */
export const GAS_APPROVAL_DECLARATION = {
  info: { description: "The facilitator sends a signed approval for Permit2, and pays its gas", version: "1" },
  schema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: Object.fromEntries(
      ["from", "asset", "spender", "amount", "signedTransaction", "version"].map((name) => [name, { type: "string" }]),
    ),
    required: ["from", "asset", "spender", "amount", "signedTransaction", "version"],
  },
};

const approvalSchema = z.object({
  from: addressSchema,
  asset: addressSchema,
  spender: addressSchema,
  amount: atomicSchema,
  signedTransaction: z.custom<Hex>(
    (value) => typeof value === "string" && /^0x(?:[0-9a-fA-F]{2}){1,1024}$/.test(value),
    "must be a transaction in hex",
  ),
  version: z.literal("1"),
});
const extensionSchema = z.object({ info: approvalSchema });

/** The approval in a payment; undefined without one, as in the seller's own declaration. */
export function gasApprovalOf({ extensions }: Pick<PaymentPayload, "extensions">): GasApproval | undefined {
  return extensionSchema.safeParse(extensions?.[GAS_APPROVAL]).data?.info;
}
