import { SETTLEMENT_OVERRIDES } from "../../../payments/x402/charge.ts";
import { type Fields, fieldLine, fieldValue, withoutFields } from "../../../lib/fields.ts";

/** The field with the upstream's charge, in the form that fields are looked up by. */
export const OVERRIDES = SETTLEMENT_OVERRIDES.toLowerCase();

/**
 * Fields with which an upstream could speak for the gateway, or set its own price: the `upto` scheme of x402 reads one
 * of them.
 */
const PAYMENT_FIELDS = ["payment-response", "payment-required", "x-payment-response", OVERRIDES];

/** The fields that a script of another origin can read, if it can read the response at all. */
export const EXPOSED = fieldLine(
  "Access-Control-Expose-Headers",
  "PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, Retry-After",
);

export function withoutPaymentClaims(fields: Fields): Fields {
  return withoutFields(fields, PAYMENT_FIELDS);
}

/**
 * The upstream's fields with the receipt (`receiptFields`) added, and closed to shared caches: other clients have not
 * paid.
 */
export function paidFields(fields: Fields, receipt: Fields): Fields {
  const cacheControl = fieldValue(fields, "cache-control") ?? "";
  return (
    withoutFields(withoutPaymentClaims(fields), ["cache-control"]) +
    fieldLine("Cache-Control", privateOnly(cacheControl)) +
    receipt +
    EXPOSED
  );
}

function privateOnly(cacheControl: string): string {
  // Quoted field lists can contain commas. If the list is hard to read, the safe choice is that no cache stores the
  // response.
  if (cacheControl.includes('"')) return "private, no-store";
  const directives = cacheControl
    .split(",")
    .map((directive) => directive.trim())
    .filter((directive) => directive !== "" && !/^(?:public|private|s-maxage(?:=.*)?)$/i.test(directive));
  return ["private", ...directives].join(", ");
}
