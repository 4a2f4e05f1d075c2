import * as z from "zod";
import { flagsText, type FlagTable } from "../common/flags.ts";
import { type AdminCommand, jsonFlag, readAs, textFlag, told } from "./admin-command.ts";
import { ADMIN_FLAGS_TEXT } from "./admin-endpoint.ts";

const FLAGS = {
  amount: {
    type: "string",
    value: "A",
    text: "only this amount: atomic units, or dollars such as '$0.01' (default: all that is left)",
  },
  id: {
    type: "string",
    value: "ID",
    text: "name of the refund: the same command again is the same refund (default: the amount)",
  },
  recorded: {
    type: "string",
    value: "TX",
    text: "send nothing: the money was given back by this transaction, or under this reference",
  },
} as const satisfies FlagTable;

const USAGE = `usage: turnpike refund PAYMENT [--amount A] [--id ID] [--json]
       turnpike refund PAYMENT --recorded TX [--amount A] [--id ID] [--json]

Sends the money of a payment back to its payer, from the address that received it. PAYMENT is its nonce or its
transaction, as turnpike ledger list prints it.

${flagsText({ ...FLAGS, ...jsonFlag() })}

${ADMIN_FLAGS_TEXT}`;

export const refundSchema = z.looseObject({
  id: z.string(),
  state: z.string(),
  amount: z.string(),
  transaction: z.string(),
  reason: z.string(),
});

/** `turnpike refund`: sends the money of a payment back. The exit code is 0 only if the money was given back. */
export const REFUND: AdminCommand = {
  usage: USAGE,
  flags: FLAGS,
  forms: {
    "": {
      words: ["PAYMENT"],
      flags: Object.keys(FLAGS),
      read([payment = ""], values) {
        const body = {
          amount: textFlag(values, "amount"),
          id: textFlag(values, "id"),
          transaction: textFlag(values, "recorded"),
        };
        return async (client) => {
          const path = `/payments/${encodeURIComponent(payment)}/refunds`;
          const response = await client.json({ method: "POST", path, body: JSON.stringify(body) });
          const refund = readAs(client, refundSchema, response);
          await told(values, response, () => refundText(refund));
          return refund.state === "settled" || refund.state === "recorded" ? 0 : 1;
        };
      },
    },
  },
};

/** The outcome of a refund, for people. */
export function refundText({ id, state, amount, transaction, reason }: z.output<typeof refundSchema>): string {
  const what = `the refund "${id}" of ${amount} units`;
  if (state === "settled") return `${what} is settled by ${transaction}`;
  if (state === "recorded") return `${what} is recorded: ${transaction}`;
  const why = reason === "" ? "" : `: ${reason}`;
  if (state === "failed") return `${what} has failed${why}`;
  return `${what} is pending${why}; the same command again shows its outcome`;
}
