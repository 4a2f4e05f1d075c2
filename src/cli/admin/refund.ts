import { refund as refundShape, type ShownRefund } from "../../gateway/admin/shapes/payments.ts";
import { formatAmount } from "../../payments/x402/price.ts";
import { flagTable } from "../common/flags.ts";
import { pathOf } from "./admin-client.ts";
import { type AdminCommand, callForm, textFlag } from "./admin-command.ts";

const FLAGS = flagTable({
  "amount A": "only this amount: atomic units, or dollars such as '$0.01' (default: all that is left)",
  "id ID": "name of the refund: the same command again is the same refund (default: the amount)",
  "recorded TX":
    "send nothing: the money was given back by this transaction, or under this reference; a pending refund of this --id ends so",
});

/** `turnpike refund`: sends the money of a payment back. The exit code is 0 only if the money was given back. */
export const REFUND: AdminCommand = {
  about:
    "Sends the money of a payment back to its payer, from the address that received it. PAYMENT is its whole nonce or transaction, as turnpike ledger show prints them.",
  flags: FLAGS,
  forms: {
    "": callForm({
      words: ["PAYMENT"],
      request([payment = ""], values) {
        const [amount, id, transaction] = ["amount", "id", "recorded"].map((name) => textFlag(values, name));
        const body = JSON.stringify({ amount, id, transaction });
        return { method: "POST", path: pathOf("payments", payment, "refunds"), body };
      },
      schema: refundShape,
      text: refundText,
      isDone: ({ state }) => state === "settled" || state === "recorded",
    }),
  },
};

/** An amount in the unit of its token, or in atomic units if the gateway does not know the token. */
export function moneyText(
  amount: string,
  { decimals, symbol = "" }: { decimals?: number | undefined; symbol?: string | undefined },
): string {
  return decimals === undefined ? `${amount} units` : `${formatAmount(amount, decimals)} ${symbol}`;
}

/** The outcome of a refund, for people. */
export function refundText(refund: ShownRefund): string {
  const { id, state, transaction, reason } = refund;
  const what = `the refund "${id}" of ${moneyText(refund.amount, refund)}`;
  if (state === "settled") return `${what} is settled by ${transaction}`;
  if (state === "recorded") return `${what} is recorded: ${transaction}`;
  const why = reason === "" ? "" : `: ${reason}`;
  if (state === "failed") return `${what} has failed${why}`;
  return `${what} is pending${why}; the same command again shows its outcome`;
}
