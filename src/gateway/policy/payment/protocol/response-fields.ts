import { SETTLEMENT_DEFERRAL, SETTLEMENT_OVERRIDES } from "../../../../payments/x402/charge.ts";
import { PAYMENT_RECEIPT } from "../../../../payments/mpp/receipt.ts";
import { type ResponseHead } from "../../../exchange/exchange.ts";
import { FIELD_ROLES } from "../../../../lib/http/field-roles.ts";
import { eachField, type Fields, fieldLine, fieldValue, withoutFields } from "../../../../lib/http/fields.ts";

/** The field with the upstream's charge, in the form that fields are looked up by. */
export const OVERRIDES = SETTLEMENT_OVERRIDES.toLowerCase();
/** The field with the path of a later charge, in the same form. */
export const DEFERRAL = SETTLEMENT_DEFERRAL.toLowerCase();

/** The fields that a script of another origin can read, if it can read the response at all. */
export const EXPOSED = fieldLine(
  "Access-Control-Expose-Headers",
  "PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, WWW-Authenticate, Payment-Receipt, Payment-Stream, Retry-After",
);

const RECEIPT = [PAYMENT_RECEIPT.toLowerCase()];

/** Fields that replace Cache-Control for shared caches: targeted ones of RFC 9213, and older ones of products. */
const SHARED_LIFETIME = /-cache-control$|^(?:surrogate-control|edge-control|x-accel-expires)$/;

/** An upstream's fields without the gateway's own fields and without those that set a price. */
export function withoutPaymentClaims(fields: Fields): Fields {
  return withoutFields(fields, FIELD_ROLES.settlement);
}

/**
 * The upstream's fields with the fields of the receipt, closed to shared caches: other clients have not paid. The `Payment`
 * scheme has no receipts on errors.
 */
export function paidFields({ status, fields }: ResponseHead, receipt: Fields): Fields {
  const cacheControl = fieldValue(fields, "cache-control") ?? "";
  const lifetimes = ["cache-control"];
  for (const [name] of eachField(fields)) {
    const lower = name.toLowerCase();
    if (SHARED_LIFETIME.test(lower)) lifetimes.push(lower);
  }
  return (
    withoutFields(withoutPaymentClaims(fields), lifetimes) +
    fieldLine("Cache-Control", privateOnly(cacheControl)) +
    (status < 400 ? receipt : withoutFields(receipt, RECEIPT)) +
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
