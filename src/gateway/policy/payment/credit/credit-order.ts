import { z } from "zod";
import { JsonError, readJson } from "../../../../lib/json-schema/read-json.ts";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { isCreditAmount } from "../../../../payments/credit/credit-terms.ts";
import { sameAddress } from "../../../../payments/x402/address.ts";
import { compileTerms, type Terms } from "../../../../payments/x402/terms.ts";
import { type Credit } from "../../../../store/credits.ts";
import { type Config } from "../../../config/config.ts";

/** `x402.credit`. */
export type CreditSettings = NonNullable<Config["x402"]["credit"]>;
type Pass = CreditSettings["passes"][number];

/** A purchase, with the payment methods and their prices. */
export interface Order {
  readonly pass: Pass | undefined;
  /** The credit to which the money is added. */
  readonly credit: Credit | undefined;
  readonly terms: readonly Terms[];
}

const body = z.strictObject({ amount: z.string().optional(), pass: z.string().optional() });

function wrong(path: string, message: string): TurnpikeError {
  return new TurnpikeError("invalid-parameters", `Cannot sell credit: ${path} ${message}`, [{ path, message }]);
}

/** Reads the body of a purchase; empty: the least amount. `terms`: the payment methods. `credit`: the one to top up. */
export function readOrder(
  bytes: Uint8Array,
  { min, max, passes }: CreditSettings,
  terms: readonly Terms[],
  credit: Credit | undefined,
): Order | TurnpikeError {
  const asked = bytes.length === 0 ? { amount: min } : read(bytes);
  if (asked instanceof TurnpikeError) return asked;
  if (asked.pass !== undefined) {
    if (asked.amount !== undefined) return wrong("pass", "excludes amount");
    if (credit !== undefined) return wrong("pass", "is bought without a token, because it has its own");
    const pass = passes.find(({ name }) => name === asked.pass);
    if (pass === undefined) return wrong("pass", `is unknown: ${JSON.stringify(asked.pass)}`);
    return { pass, credit, terms: terms.map((one) => ({ ...one, price: pass.price })) };
  }
  const { amount: price = min } = asked;
  const own = terms.filter((one) => credit === undefined || isIn(credit, one));
  if (own.length === 0) return wrong("amount", "cannot be added to this credit, whose currency is not sold");
  const priced = own.filter((one) => isSold({ ...one, price }, { min, max }));
  if (priced.length > 0) return { pass: undefined, credit, terms: priced.map((one) => ({ ...one, price })) };
  return wrong("amount", `must be atomic units ("5000000") or dollars ("$5"), from ${min} to ${max}`);
}

function read(bytes: Uint8Array): z.output<typeof body> | TurnpikeError {
  try {
    const parsed = body.safeParse(readJson(bytes));
    return parsed.success ? parsed.data : wrong("the body", "must have amount or pass, as text, and nothing else");
  } catch (error) {
    if (error instanceof JsonError) return wrong("the body", `is not JSON: ${error.message}`);
    throw error;
  }
}

/** True if `terms` are for this token. */
export function isIn({ network, token }: Pick<Credit, "network" | "token">, terms: Terms): boolean {
  const compiled = compileTerms(terms);
  return compiled.network === network && sameAddress(compiled.asset, token);
}

function isSold(terms: Terms, { min, max }: { readonly min: string; readonly max: string }): boolean {
  try {
    const [amount, least, most] = [terms.price, min, max].map((price) => compileTerms({ ...terms, price }).amount);
    if (amount === undefined || least === undefined || most === undefined || !isCreditAmount(amount)) return false;
    return BigInt(amount) >= BigInt(least) && BigInt(amount) <= BigInt(most);
  } catch {
    // The text is not a price of this token.
    return false;
  }
}
