/**
 * Fields of the gateway's own responses that restrict what browsers do with them. Proxied responses have such fields only if
 * they are configured, because a gateway must not change the behaviour of existing pages unasked.
 */
import { type Fields } from "../../lib/http/fields.ts";

/** The referrer policy is the default of current browsers. */
export const SECURITY_FIELDS =
  "Referrer-Policy: strict-origin-when-cross-origin\r\nX-Content-Type-Options: nosniff\r\n";
const ERROR = `Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n${SECURITY_FIELDS}`;

let isEnabled = true;

/** Sends the fields from now on, or not (`server.disable_middleware`). A process serves one configuration at a time. */
export function sendSecurityFields(enabled: boolean): void {
  isEnabled = enabled;
}

/** The fields of probes, redirects and other responses without an error. */
export function securityFields(): Fields {
  return isEnabled ? SECURITY_FIELDS : "";
}

/** The fields of errors, which load nothing. */
export function errorSecurityFields(): Fields {
  return isEnabled ? ERROR : "";
}
