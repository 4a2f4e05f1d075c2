import { z } from "zod";
import { findAsset } from "./assets.ts";
import { type PaymentRequirements } from "./messages.ts";
import { isAtomic } from "./price.ts";

/**
 * The response header by which an upstream says what it charges under `upto`, and under `exact` that a success costs nothing. The
 * content service charges by it for some failures. It never reaches a client.
 */
export const SETTLEMENT_OVERRIDES = "Settlement-Overrides";

/** Longest value of that header, in characters: an amount of 78 digits has room, and nothing deep. */
const MAX_OVERRIDES_LENGTH = 1024;

/** A percentage of the most, to two places: no more are told apart by the reference server. */
const PERCENT = /^(0|[1-9][0-9]{0,2})(?:\.([0-9]{1,2}))?%$/;
const DOLLARS = /^\$(0|[1-9][0-9]{0,17})(?:\.([0-9]{1,18}))?$/;

const overrides = z.looseObject({ amount: z.string().optional() });

/**
 * What is charged under `upto` for an answer whose Settlement-Overrides headers are `values`, in atomic units: 0 up to the
 * amount that `requirements` ask for, which it is where nothing is said. Fractions of a unit are dropped.
 *
 * Undefined where what is said makes no sense, is said twice, or is more than was agreed to. That is a defect of the
 * upstream, by which nothing may be charged (the payer may owe less) and nothing released (the seller may be owed more):
 * answer as to an upstream that failed, and let the payment go.
 */
export function parseCharge(values: readonly string[], requirements: PaymentRequirements): string | undefined {
  if (values.length === 0) return requirements.amount;
  const said = readOverrides(values);
  if (said === undefined) return undefined;
  const charge = said.amount === undefined ? requirements.amount : toAtomic(said.amount, requirements);
  return charge !== undefined && BigInt(charge) <= BigInt(requirements.amount) ? charge : undefined;
}

/** Whether an upstream whose Settlement-Overrides headers are `values` says of a success under `exact` that nothing is to be paid for it. */
export function isFreeOfCharge(values: readonly string[], requirements: PaymentRequirements): boolean {
  const amount = readOverrides(values)?.amount;
  if (requirements.scheme !== "exact" || amount === undefined) return false;
  // A charge of less than one unit comes to 0 as well, but the upstream wants to be paid.
  return !/[1-9]/.test(amount) && toAtomic(amount, requirements) === "0";
}

/** Undefined if the upstream says nothing, says it twice, or says something else than it may. */
function readOverrides(values: readonly string[]): z.infer<typeof overrides> | undefined {
  const [value] = values;
  if (value === undefined || values.length > 1 || value.length > MAX_OVERRIDES_LENGTH) return undefined;
  return overrides.safeParse(readJson(value)).data;
}

/**
 * Whether an upstream whose Settlement-Overrides headers are `values` says of a failure that it is to be paid: under `exact` with
 * the whole price, under `upto` with any amount that makes sense. Ask only for an upstream that may charge for failures.
 */
export function isChargedFailure(values: readonly string[], requirements: PaymentRequirements): boolean {
  const charge = values.length === 0 ? undefined : parseCharge(values, requirements);
  if (charge === undefined || charge === "0") return false;
  return requirements.scheme === "upto" || charge === requirements.amount;
}

function readJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
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
  // Of a token that is not known nobody can say what a dollar is.
  const decimals = findAsset(requirements.network, requirements.asset)?.decimals;
  if (dollars === null || decimals === undefined) return undefined;
  const [, whole = "", fraction = ""] = dollars;
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, "0")).toString();
}
