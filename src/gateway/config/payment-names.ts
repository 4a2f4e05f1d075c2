import { PAYMENT_FIELDS } from "../../lib/http/field-roles.ts";
import { type Config } from "./config.ts";

/** Names of `x402.payment_fields` in lower case, without the default ones, which codecs remove from requests. */
export function ownPaymentNames(fields: Config["x402"]["payment_fields"]): string[] {
  const defaults = new Set<string>(Object.values(PAYMENT_FIELDS));
  return Object.entries(fields)
    .filter(([key, name]) => key !== "secret_env" && name !== "" && !defaults.has(name))
    .map(([, name]) => name.toLowerCase());
}
