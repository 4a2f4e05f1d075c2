import { eachField, type Fields } from "../../lib/http/fields.ts";
import { FIELD_ROLES } from "../../lib/http/field-roles.ts";

/**
 * Fields that are not allowed in the trailers of a request (RFC 9110 §6.5.1): routing, request modifiers,
 * authentication, content format, response control, and fields that the gateway or its routes use for decisions. Some
 * servers merge trailers into the head, after all checks. Fields that frame a message or control upstreams are removed
 * before.
 */
const FORBIDDEN: ReadonlySet<string> = new Set([
  ...FIELD_ROLES.methodOverride,
  "accept",
  "accept-charset",
  "accept-encoding",
  "accept-language",
  "access-control-request-headers",
  "access-control-request-method",
  "age",
  "authentication-info",
  "authorization",
  "cache-control",
  "content-disposition",
  "content-encoding",
  "content-language",
  "content-location",
  "content-range",
  "content-type",
  "cookie",
  "cookie2",
  "date",
  "depth",
  "destination",
  "early-data",
  "expires",
  "from",
  "grpc-timeout",
  "host",
  "http2-settings",
  "if",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
  "location",
  "max-forwards",
  "origin",
  "overwrite",
  "pragma",
  "prefer",
  "proxy-authentication-info",
  "range",
  "referer",
  "retry-after",
  "sec-websocket-accept",
  "sec-websocket-extensions",
  "sec-websocket-key",
  "sec-websocket-protocol",
  "sec-websocket-version",
  "set-cookie",
  "set-cookie2",
  "traceparent",
  "tracestate",
  "user-agent",
  "vary",
  "warning",
  "www-authenticate",
]);

/**
 * The trailers without fields that belong in a head. Names with underscores instead of hyphens are removed too: CGI
 * treats both as equal.
 */
export function soundTrailers(fields: Fields): Fields {
  let kept = "";
  for (const [name, value] of eachField(fields)) {
    if (!FORBIDDEN.has(name.toLowerCase().replaceAll("_", "-"))) kept += `${name}: ${value}\r\n`;
  }
  return kept;
}
