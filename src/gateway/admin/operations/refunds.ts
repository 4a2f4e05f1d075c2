import { strictObject, string } from "../../../lib/schema.ts";
import { TurnpikeError } from "../../../lib/errors.ts";
import { JSON_TYPE, MAX_BODY_BYTES } from "../http/body.ts";
import { refundOf } from "../overview/read-payments.ts";
import { refund } from "../shapes/payments.ts";
import { callerOf, type Operation, operationTable } from "./operation.ts";

const wish = strictObject({
  amount: string()
    .max(100)
    .optional()
    .describe("Atomic units, or dollars as `$0.01`. Without it, all that has not been refunded"),
  id: string()
    .max(64)
    .optional()
    .describe("Names the refund: the same id again is the same refund. By default it is the amount, or `rest`"),
  transaction: string()
    .max(128)
    .optional()
    .describe("The transaction or other reference of a refund that was made by other means; then nothing is sent"),
}).openapi("RefundRequest");

const PAYMENT = { id: "The payment's nonce or transaction" };

export const REFUND_OPERATIONS: readonly Operation[] = operationTable({
  "POST /v1/payments/{id}/refunds": {
    name: "refundPayment",
    summary: "Send the money of a payment back, or a part of it",
    description: "The response comes when the refund has ended, or after ten seconds while it is pending.",
    parameters: PAYMENT,
    body: { types: [JSON_TYPE], maxBytes: MAX_BODY_BYTES, schema: wish, description: "The refund" },
    success: { description: "The refund", schema: refund },
    failures: ["not-found", "refund-refused", "store-unavailable"],
    async run(call, { refunds }) {
      const parsed = wish.safeParse(call.body);
      if (!parsed.success) {
        const [first] = parsed.error.issues;
        throw new TurnpikeError(
          "bad-request",
          `Cannot read the refund: ${first?.path.join(".") ?? ""} ${first?.message}`,
        );
      }
      const { transaction, ...rest } = parsed.data;
      const request = { ...rest, payment: call.parameters["id"] ?? "", recorded: transaction };
      return Response.json(refundOf(await refunds.refund(request, callerOf(call).by)));
    },
  },
});
