import { z } from "zod";
import { parsedJson } from "../../lib/parsed-json.ts";
import { type Payment } from "../../store/ledger.ts";
import { isAtomic } from "../x402/price.ts";

const amount = z.string().refine(isAtomic);

const deferral = z.object({
  /** The path of the upstream at which it names the amount that is due. It is a secret. Empty if it is metered. */
  path: z.string(),
  /** The most that is charged, and the amount that the upstream named last, in atomic units. */
  quote: amount,
  due: amount,
  /** Unix seconds. The charge ends then, whether the work has ended or not. */
  until: z.number(),
  /** Calls of the upstream that have failed since the last one that did not. */
  failures: z.int(),
  /** Why the last settlement was refused. */
  refused: z.string().optional(),
  /** The gateway itself counts what is due, while a response flows. */
  isMetered: z.literal(true).optional(),
});

/** A charge that is made later, as far as an upstream's work goes. */
export type Deferral = z.infer<typeof deferral>;

/** The deferral of a payment; undefined if its charge is not deferred. */
export function deferralOf({ deferral: text }: Pick<Payment, "deferral">): Deferral | undefined {
  return text === "" ? undefined : deferral.safeParse(parsedJson(text)).data;
}

/** The amount that a payment owes so far, while its charge is deferred: then `amount` is the most. */
export function dueSoFar(payment: Pick<Payment, "state" | "deferral">): string | undefined {
  return payment.state === "deferred" ? deferralOf(payment)?.due : undefined;
}

/** The form of a deferral in the ledger. */
export function deferralText(value: Deferral): string {
  return JSON.stringify(value);
}
