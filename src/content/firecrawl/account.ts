import { type OperationResult } from "../operations/operation.ts";

/**
 * `GET /v2/team/credit-usage`. The gateway alone knows balances, and takes tokens out of requests. Programs use this request
 * to test their credentials, so it succeeds without a balance.
 */
export async function account(): Promise<OperationResult> {
  const data = { remainingCredits: null, planCredits: null, billingPeriodStart: null, billingPeriodEnd: null };
  const warning =
    "Credits are not counted here. GET /.turnpike/credit returns the balance of a token of prepaid credit.";
  return { json: { success: true, data, warning } };
}
