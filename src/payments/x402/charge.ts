import { z } from "zod";
import { parsedJson } from "../../lib/parsed-json.ts";
import { findAsset } from "./assets.ts";
import { type PaymentRequirements } from "./messages.ts";
import { isAtomic } from "./price.ts";

/**
 * The response header in which an upstream sets the charge: under `upto` the amount, under `exact` that a success is
 * free. The content service uses it to charge for some failures. The gateway never sends it to a client.
 */
export const SETTLEMENT_OVERRIDES = "Settlement-Overrides";

/**
 * The field by which a charge is made later. In a request, the gateway offers that until a time: `{"until":1795255518}`. In a
 * response 200 or 202, the upstream names the path at which it says what is due: `{"path":"/charges/7/secret"}`.
 */
export const SETTLEMENT_DEFERRAL = "Settlement-Deferral";

/**
 * The request field by which the gateway asks an upstream, before it sends the price, whether the form of an unpaid request is
 * valid. The upstream responds with its refusal, or with 204. It does not do the work.
 */
export const FORM_CHECK = "Turnpike-Check";

/**
 * Longest value of a Settlement-Overrides header, in characters; a longer one is an upstream error. @operator An amount of
 * 78 digits fits, deeply nested JSON does not.
 */
const MAX_OVERRIDES_LENGTH = 1024;

/** A percentage of the full amount, with at most two decimal places, as in the reference server. */
const PERCENT = /^(0|[1-9][0-9]{0,2})(?:\.([0-9]{1,2}))?%$/;
const DOLLARS = /^\$(0|[1-9][0-9]{0,17})(?:\.([0-9]{1,18}))?$/;

const overrides = z.looseObject({ amount: z.string().optional() });

/**
 * The amount that an `upto` response charges, in atomic units. `values` are its Settlement-Overrides headers. The
 * charge is between 0 and the amount of `requirements`, and that amount if the headers set none. Fractions of a unit
 * are dropped.
 *
 * Undefined if the value is invalid, occurs twice, or is above the agreed amount. That is an error of the upstream. The
 * gateway must not charge anything, because the payer may owe less. It must not deliver the response, because the
 * seller may be owed more. Respond as if the upstream had failed, and release the payment.
 */
export function parseCharge(values: readonly string[], requirements: PaymentRequirements): string | undefined {
  if (values.length === 0) return requirements.amount;
  const said = readOverrides(values);
  if (said === undefined) return undefined;
  const charge = said.amount === undefined ? requirements.amount : toAtomic(said.amount, requirements);
  return charge !== undefined && BigInt(charge) <= BigInt(requirements.amount) ? charge : undefined;
}

/** True if the Settlement-Overrides headers `values` make a success under `exact`, or from a channel, free of charge. */
export function isFreeOfCharge(values: readonly string[], requirements: PaymentRequirements): boolean {
  const amount = readOverrides(values)?.amount;
  if (requirements.scheme === "upto" || amount === undefined) return false;
  // A charge below one unit is rounded down to 0 as well, but the upstream wants to be paid.
  return !/[1-9]/.test(amount) && toAtomic(amount, requirements) === "0";
}

/** Undefined if the header is missing, occurs twice, or has an invalid value. */
function readOverrides(values: readonly string[]): z.infer<typeof overrides> | undefined {
  const [value] = values;
  if (value === undefined || values.length > 1 || value.length > MAX_OVERRIDES_LENGTH) return undefined;
  return overrides.safeParse(parsedJson(value)).data;
}

/**
 * True if the Settlement-Overrides headers `values` charge for a failed response: the whole price under `exact`, or any
 * valid amount above 0 under `upto`. Call it only if the upstream is allowed to charge for failures.
 */
export function isChargedFailure(values: readonly string[], requirements: PaymentRequirements): boolean {
  const charge = values.length === 0 ? undefined : parseCharge(values, requirements);
  if (charge === undefined || charge === "0") return false;
  return requirements.scheme !== "exact" || charge === requirements.amount;
}

function toAtomic(text: string, requirements: PaymentRequirements): string | undefined {
  if (isAtomic(text)) return text;
  const percent = PERCENT.exec(text);
  if (percent !== null) {
    const [, whole = "", fraction = ""] = percent;
    const hundredths = BigInt(whole + fraction.padEnd(2, "0"));
    return ((BigInt(requirements.amount) * hundredths) / 10_000n).toString();
  }
  const dollars = DOLLARS.exec(text);
  // The dollar value of an unknown token is unknown.
  const decimals = findAsset(requirements.network, requirements.asset)?.decimals;
  if (dollars === null || decimals === undefined) return undefined;
  const [, whole = "", fraction = ""] = dollars;
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, "0")).toString();
}
