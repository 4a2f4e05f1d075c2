/**
 * The sum of a day's amounts is stored in parts of 12 digits, lowest part first. An amount has up to 78 digits, an
 * integer of SQLite only 18. One part can add up nine million payments a day without overflow.
 */
export const LIMB_DIGITS = 12;
export const LIMBS = ["amount0", "amount1", "amount2", "amount3", "amount4", "amount5", "amount6"] as const;

/** SQL for the digits of an amount that belong to part `index`. */
export function limbOf(amount: string, index: number): string {
  const digits = LIMB_DIGITS * LIMBS.length;
  const from = digits - LIMB_DIGITS * (index + 1) + 1;
  return `CAST(substr(substr('${"0".repeat(digits)}' || ${amount}, -${digits}), ${from}, ${LIMB_DIGITS}) AS INTEGER)`;
}

/** A balance is stored in two parts, because the program reads integers exactly only up to 15 digits: `high * PART + low`. */
export const PART_DIGITS = 15;
const PART = `1${"0".repeat(PART_DIGITS)}`;

/** SQL for the digits of an amount that belong to the low or the high part of a balance. */
export function partOf(amount: string, part: "low" | "high"): string {
  const padded = `substr('${"0".repeat(2 * PART_DIGITS)}' || ${amount}, -${2 * PART_DIGITS})`;
  return `CAST(substr(${padded}, ${part === "high" ? 1 : PART_DIGITS + 1}, ${PART_DIGITS}) AS INTEGER)`;
}

/** SQL that adds `amount` to a balance. `of`: the beginning of the names of its two columns. */
export function addition(amount: string, of = ""): string {
  const low = `${of}low + ${partOf(amount, "low")}`;
  return `${of}high = ${of}high + ${partOf(amount, "high")} + (${low} >= ${PART}), ${of}low = (${low}) % ${PART}`;
}

/** SQL that takes `amount` from a balance. The check of `high` fails if the balance is smaller. */
export function subtraction(amount: string, of = ""): string {
  const low = `${of}low - ${partOf(amount, "low")}`;
  return `${of}high = ${of}high - ${partOf(amount, "high")} - (${low} < 0), ${of}low = ${low} + (${low} < 0) * ${PART}`;
}

/** The amount of its two parts. */
export function joined(high: number | string | null | undefined, low: number | string | null | undefined): string {
  return String(BigInt(high ?? 0) * 10n ** BigInt(PART_DIGITS) + BigInt(low ?? 0));
}
