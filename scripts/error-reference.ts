import { type ErrorCode, ERRORS, PROBLEM_CONTENT_TYPE } from "../src/lib/errors.ts";
import { markdownTable } from "./reference/markdown-table.ts";
import { wrappedItem } from "./reference/wrapped-item.ts";

/** The condition of each error, for people; the compiler reports missing entries. */
const WHEN: Readonly<Record<ErrorCode, string>> = {
  "bad-request": "The header section, framing or body of the request cannot be read.",
  "bad-path":
    "The path has a [refused spelling](policies.md#paths), or some servers read it as a path of a route that requires credentials or a payment.",
  "host-not-allowed": "The Host is not in `server.allowed_hosts`.",
  "invalid-parameters": "Members of the body are missing, unknown or out of bounds; `errors` names each.",
  "invalid-payment": "The field `PAYMENT-SIGNATURE` cannot be read as one x402 version 2 payment.",
  unauthorized: "Credentials are missing or invalid; `WWW-Authenticate` names the accepted methods.",
  "payment-required": "The route has a price, and the request has no payment or the payment was refused.",
  forbidden: "The credentials are valid, but do not allow this request, such as a change with the read-only admin key.",
  "not-found": "No route, file or operation has this path.",
  "method-not-allowed": "The path exists, but does not support this method; `Allow` lists the supported ones.",
  "request-timeout": "The request did not arrive within `timeouts.header_ms` or `timeouts.body_ms`.",
  "payment-conflict": "The payment belongs to another request, is in use, or is already spent.",
  "session-busy": "Another request uses the session, or has ended it meanwhile.",
  "refund-refused": "Admin: the payment cannot be refunded, or not in this way.",
  "already-exists": "Admin: there is a route with this prefix and host, or an upstream with this name.",
  "guard-lost":
    "Admin: a change would take away guards, such as a price, routes, or the admin interface. `errors` lists them, and `?force=true` insists.",
  "ambiguous-route": "Admin: several routes have this prefix; `?host=` and `?name=` select one of `hosts` and `names`.",
  "changed-on-disk": "Admin: another program has changed the configuration file; `?force=true` overwrites it.",
  "no-config-file": "Admin: the gateway was started without a configuration file.",
  "missing-csrf-token":
    "Admin: a request with a session cookie changes something, and its `X-CSRF-Token` is missing or wrong.",
  "invalid-configuration": "Admin: the configuration would have problems; `errors` lists each.",
  "change-failed": "Admin: the gateway could not apply the changed configuration; the old one stays in use.",
  "persist-failed": "Admin: the configuration file could not be written; the old file is unchanged.",
  "disk-full": "Admin: the disk has no space for the configuration file; the old file is unchanged.",
  "store-unavailable": "Admin: the database with the usage does not respond.",
  "precondition-failed":
    "The file or the configuration does not, or no longer, match `If-Match`, `If-None-Match` or `If-Unmodified-Since`.",
  "body-too-large": "The body is larger than `max_body_bytes`, or than the operation allows.",
  "uri-too-long": "The request line alone is larger than `limits.max_header_bytes`.",
  "unsupported-media-type": "The route does not accept the body's Content-Type or Content-Encoding.",
  "range-not-satisfiable": "None of the ranges in `Range` is in the file; `Content-Range` has its length.",
  "expectation-failed": "The request has an `Expect` field other than `100-continue`.",
  misdirected:
    "The connection does not fit the [certificates](guides/tls.md#client-certificates) of the host. A new connection for the host can succeed.",
  "upgrade-required":
    "The request asks for a WebSocket version that does not exist; `Sec-WebSocket-Version` names the supported one.",
  "rate-limited":
    "The client has used up the route's `rate_limit`, or has sent too many wrong keys to the admin interface; `Retry-After` has the seconds to wait.",
  "head-too-large":
    "The header section is larger than `limits.max_header_bytes`, or has more fields than `limits.max_header_count`.",
  internal: "An internal error of Turnpike; the log has details.",
  "scrape-failed": "The page was loaded, but the script of `evaluate` failed.",
  "action-failed":
    "A step of `actions` failed. `action` has its `index`, its `type`, the `url` and `title` of the page, and with `action_screenshot` a `screenshot` (base64 of a JPEG).",
  "not-implemented":
    "CONNECT, TRACE, a method in lower case such as `get`, an unknown method or transfer coding; WebSocket on a priced route, or to an upstream over HTTP/2.",
  "upstream-failed": "The upstream refused or broke the connection, or its response cannot be read.",
  "no-servers": "The upstream of the route has no servers and no discovery, or was deleted.",
  "no-upstream":
    "No server of the upstream is in rotation, or the filter of a tenant route has named no usable socket.",
  "response-too-large":
    "The upstream's response is larger than the route's `max_response_bytes`, or too large to wait for its settlement. A response without Content-Length is cut off instead, with `truncated` in the access log.",
  "page-failed":
    "The page cannot be reached, loaded or read. Or its server responded with a status of 400 or above (`page_status`) that `accept_status` does not accept.",
  "page-not-begun": "The time of the batch ended before the turn of this page; the page was not requested.",
  "page-challenge": "The site shows a bot challenge (CAPTCHA) instead of content.",
  "page-consent-wall": "The site shows a consent dialog instead of the page.",
  "page-terms": "The site denies a use of its pages by AI that the operator honours (`content.ai_uses`).",
  "page-empty": "The page has no content, even after its scripts ran.",
  "fields-missing": "The page has no valid value for fields that the schema requires; `errors` names each.",
  "page-type-unsupported": "The document has no text, such as an image, a video or a program.",
  "address-refused":
    "The page's address is neither http nor https, is private or belongs to this machine, or its port is neither 80 nor 443.",
  "filter-failed": "A WebAssembly filter of the route failed, or did not receive the result of its host call.",
  "filter-unavailable":
    "A WebAssembly filter of the route could not be loaded or started. Or it failed on the response, and `response_fail_closed` is set.",
  "tenant-starting":
    "Another request was starting the tenant, and it was not ready within `wasm_host_call_deadline_ms`.",
  "auth-unavailable": "The external authorization service or the issuer's keys are unavailable.",
  "facilitator-failed": "The facilitator's response is invalid.",
  overloaded:
    "A bounded queue or table is full, the disk has no space for a paid response, or the ledger cannot be written.",
  "facilitator-unavailable": "The facilitator does not respond.",
  "settlement-pending": "The result of the settlement is not known: send the same payment again.",
  "browser-unavailable": "The browser stopped or does not start, or the content service is starting.",
  "upstream-timeout": "The upstream did not respond within the route's timeouts.",
  "not-cached": "The request has `Cache-Control: only-if-cached`, and no stored response matches it.",
  "search-failed": "No search provider responded, or some failed and the others found nothing.",
  "search-unavailable": "All search providers failed too often recently, or none is configured.",
  "search-timeout": "No search provider responded in time.",
  "resolve-failed": "No source could be read, and no search provider responded.",
  "model-failed":
    "The configured language model failed or sent an invalid response, and there is no fallback to the embedded analyst.",
  "page-timeout": "The page was not ready within `timeout` seconds.",
  "version-not-supported": "The request's version is neither HTTP/1.0 nor HTTP/1.1.",
};

const INTRODUCTION = `# Errors

This page lists all errors that Turnpike itself sends. Errors of upstreams pass unchanged. Each error is a problem document of RFC 9457, with the
media type \`${PROBLEM_CONTENT_TYPE}\`:

\`\`\`json
{
  "type": "urn:turnpike:error:not-found",
  "title": "Not Found",
  "status": 404,
  "detail": "no route serves this path",
  "instance": "01a1fb01-e675-745a-8782-7dbae25d301d"
}
\`\`\`

${markdownTable([
  ["Field", "Meaning"],
  ["`type`", "`urn:turnpike:error:CODE`, with a code of the list below"],
  ["`title`, `status`", "Fixed for each code"],
  ["`detail`", "Explanation for people; its words may change"],
  ["`instance`", "The request id, as in `X-Request-Id` and in the logs"],
  ["`errors`", "`[{path, message}]`: the invalid fields; the admin interface adds a `pointer` into the request's body"],
  ["`code`", "The code with `_` for `-`; only errors of the admin interface have it"],
])}

A 402 also has the fields of the x402 challenge.

In the response of \`/batch\`, which has status 200, each failed page has the \`type\` of its error as \`error_type\`, the \`detail\` as \`error\`, and
\`page_status\` as \`metadata.status\`.

Each error has its status and code, and in brackets its origin, if it is not the client. "Retry" says that the same request may succeed later. A 503
has a \`Retry-After\` field. Errors are [free](payments.md#responses-that-are-not-charged).

`;

/** docs/errors.md: the errors as people read them, by status. */
export function errorReference(): string {
  const rows = Object.entries(ERRORS)
    // The keys of the table are its codes: Object.entries widens them to string.
    .map(([code, kind]) => ({ code: code as ErrorCode, ...kind }))
    .toSorted((a, b) => a.status - b.status)
    .map(({ status, code, origin, retryable }) => {
      const facts = [origin === "client" ? "" : origin, retryable ? "retry" : ""].filter(Boolean).join(", ");
      return wrappedItem(`- ${status} \`${code}\`${facts === "" ? "" : ` (${facts})`}: ${WHEN[code]}`);
    });
  return `${INTRODUCTION}${rows.join("\n")}\n`;
}
