import { BALANCE_FIELD } from "../../payments/credit/token.ts";
import { type OperationResult } from "../operations/operation.ts";
import { type Ask } from "./surface.ts";

/**
 * `GET /v2/team/credit-usage`: the pages that the balance pays for, if the gateway tells it and has one price for a page.
 * Programs use this request to test their credentials, so it succeeds without a balance.
 */
export async function account({ headers, pagePrice }: Ask): Promise<OperationResult> {
  const remainingCredits = creditsOf(headers.get(BALANCE_FIELD) ?? "", (await pagePrice()) ?? "");
  const data = { remainingCredits, planCredits: null, billingPeriodStart: null, billingPeriodEnd: null };
  const warning = "The credits are not known. GET /.turnpike/credit returns the balance of a token of prepaid credit.";
  return { json: { success: true, data, ...(remainingCredits === null ? { warning } : {}) } };
}

/** The number of prices such as `$0.005` in a balance such as `1.25`; null if one of them has another form. With rules, the price without them counts. */
function creditsOf(balance: string, price: string): number | null {
  const [, plain = ""] = /(?:^|; otherwise )\$([\d.]+)$/.exec(price) ?? [];
  const [have, cost] = [atoms(balance), atoms(plain)];
  return have === undefined || cost === undefined || cost === 0n ? null : Number(have / cost);
}

/** An amount in units of 10⁻¹⁸. */
function atoms(amount: string): bigint | undefined {
  const [, whole, fraction = ""] = /^(\d{1,78})(?:\.(\d{1,18}))?$/.exec(amount) ?? [];
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(18, "0"));
}
