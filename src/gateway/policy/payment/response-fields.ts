import { SETTLEMENT_OVERRIDES } from "../../../payments/x402/charge.ts";
import { type Fields, fieldLine, fieldValue, withoutFields } from "../../../lib/fields.ts";

/** The upstream's word on the charge, as fields are looked up. */
export const OVERRIDES = SETTLEMENT_OVERRIDES.toLowerCase();

/** Fields by which an upstream could speak for the gateway, or set its own price: x402's `upto` scheme reads it from one. */
const PAYMENT_FIELDS = ["payment-response", "payment-required", "x-payment-response", OVERRIDES];

/** What a script of another origin may read of an answer, where it may read the answer at all. */
export const EXPOSED = fieldLine(
  "Access-Control-Expose-Headers",
  "PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, Retry-After",
);

export function withoutPaymentClaims(fields: Fields): Fields {
  return withoutFields(fields, PAYMENT_FIELDS);
}

/** The upstream's fields with the receipt's (`receiptFields`) added, and closed to shared caches: nobody else has paid. */
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
  // Quoted field lists may hold commas; an answer that nobody stores is the safe reading of what is hard to read.
  if (cacheControl.includes('"')) return "private, no-store";
  const directives = cacheControl
    .split(",")
    .map((directive) => directive.trim())
    .filter((directive) => directive !== "" && !/^(?:public|private|s-maxage(?:=.*)?)$/i.test(directive));
  return ["private", ...directives].join(", ");
}
