import { type ErrorCode, ERRORS, PROBLEM_CONTENT_TYPE } from "../src/lib/errors.ts";
import { markdownTable } from "../src/lib/markdown-table.ts";

/** When each error is answered, for people; the compiler sees to it that none is missing. */
const WHEN: Readonly<Record<ErrorCode, string>> = {
  "bad-request": "The request's head, framing or body cannot be read.",
  "bad-path":
    "The path has a broken escape, a backslash, `%2F`, `%5C`, `%00`, `%0A`, `%0D`, overlong UTF-8, or parameters without a name before them (`/;x/`); or some servers read it as a path of a route that asks for credentials or money.",
  "host-not-allowed": "The Host is not in `server.allowed_hosts`.",
  "invalid-parameters": "Fields of the body are missing, unknown or out of bounds; `errors` names each.",
  "invalid-payment": "The `PAYMENT-SIGNATURE` header cannot be read as one x402 version 2 payment.",
  unauthorized:
    "The route or the admin interface needs credentials, and none came or they are not valid; `WWW-Authenticate` names what it takes.",
  "payment-required": "The route has a price, and no payment came with the request or the payment was refused.",
  forbidden: "The credentials are valid, and their holder is not allowed here, as with the admin key of readers.",
  "not-found": "No route, no file or no operation has this path.",
  "method-not-allowed": "The path is served, but not with this method; `Allow` names those that are.",
  "request-timeout": "Head or body did not arrive within `timeouts.header_ms` or `timeouts.body_ms`.",
  "payment-conflict": "The payment belongs to another request, is being worked on, or was used and answered.",
  "already-exists": "Admin: there is a route with this prefix and host, or an upstream with this name.",
  "still-referenced": "Admin: routes name the upstream that was to be deleted; `referenced_by` lists where.",
  "ambiguous-route":
    "Admin: several routes have this prefix; `hosts` lists their hosts, and `?host=` names the one that is meant.",
  "changed-on-disk": "Admin: somebody else has changed the configuration file; `?force=true` writes over it.",
  "no-config-file": "Admin: the gateway was started without a configuration file.",
  "missing-csrf-token":
    "Admin: a request by session cookie that changes something has no `X-CSRF-Token`, or a wrong one.",
  "invalid-configuration":
    "Admin: the configuration would have problems; `errors` names each, with its path in the whole configuration.",
  "change-failed": "Admin: the gateway could not serve by the changed configuration; the old one serves.",
  "persist-failed": "Admin: the configuration file could not be written; the old file is whole.",
  "disk-full": "Admin: the disk has no room for the configuration file; the old file is whole.",
  "store-unavailable": "Admin: the database with the usage does not answer.",
  "precondition-failed":
    "A file or the configuration is not, or no longer, the one that `If-Match`, `If-None-Match` or `If-Unmodified-Since` requires.",
  "body-too-large": "The body is larger than `max_body_bytes`, or than the operation takes.",
  "uri-too-long": "The request line alone is larger than `limits.max_header_bytes`.",
  "unsupported-media-type": "The body's Content-Type or Content-Encoding is not one that the route takes.",
  "range-not-satisfiable": "None of the ranges in `Range` lies in the file; `Content-Range` tells its length.",
  "expectation-failed": "The request expects something other than `100-continue`.",
  "upgrade-required":
    "The request asks for a version of WebSocket that does not exist; `Sec-WebSocket-Version` names one.",
  "rate-limited":
    "The client has used up the route's `rate_limit`, or has shown the admin interface too many wrong keys; `Retry-After` says how many seconds to wait.",
  "head-too-large":
    "The head is larger than `limits.max_header_bytes`, or has more fields than `limits.max_header_count`.",
  internal: "A fault of Turnpike's own; the log says more.",
  "scrape-failed": "The page was loaded, but what `evaluate` asked for failed.",
  "not-implemented":
    "CONNECT, TRACE, `get` for GET, an unknown method or transfer coding, or WebSocket where it cannot be had: on a priced route, to an upstream over HTTP/2, over HTTP/2 to what does not speak it.",
  "upstream-failed": "The upstream refused or broke the connection, or its answer cannot be read.",
  "no-upstream":
    "No server of the upstream is in rotation; or the filter of a tenant route has named no socket that can be used.",
  "response-too-large": "The upstream's answer is larger than `max_response_bytes`, or than can wait for a settlement.",
  "page-failed":
    "The page cannot be reached, loaded or read, or its server answered a status from 400 on, which `page_status` tells and `accept_status` does not take.",
  "page-not-begun": "The turn of this page of a batch did not come in the batch's time; it was not asked for.",
  "page-challenge": "The site asks for proof that a person reads the page; nothing of it is content.",
  "page-consent-wall": "The site shows a demand for consent in place of the page.",
  "page-empty": "The page has no content, also after its scripts ran.",
  "page-type-unsupported": "The document has no text to give: a picture, a film, a program.",
  "address-refused":
    "The page's address is neither http nor https, is private or one of this machine, or its port is neither 80 nor 443.",
  "filter-failed": "A WebAssembly filter of the route failed, or did not get the result that it waited for.",
  "filter-unavailable":
    "A WebAssembly filter of the route could not be loaded or started, or it failed on the response and `response_fail_closed` is set.",
  "tenant-starting":
    "Another request was starting the tenant, and it was not ready within `wasm_host_call_deadline_ms`.",
  "auth-unavailable":
    "The service that decides who is let in, or the issuer's keys, cannot be had; nobody is let in meanwhile.",
  "facilitator-failed": "The facilitator's answer makes no sense; nothing was charged.",
  overloaded:
    "A bounded queue or table is full, the disk has no room for a paid answer, or the ledger cannot be written; nothing was charged.",
  "facilitator-unavailable": "The facilitator does not answer; nothing was charged.",
  "settlement-pending": "It is not known whether the payment went through: send the same payment again.",
  "browser-unavailable": "The browser stopped or does not start, or the content service is starting.",
  "upstream-timeout": "The upstream did not answer within the route's time-outs.",
  "not-cached": "The request has `Cache-Control: only-if-cached`, and nothing that is stored answers it.",
  "search-failed":
    "No search provider answered, or those that did found nothing while others failed; nothing was charged.",
  "search-unavailable": "Every search provider failed too often lately, or none is configured.",
  "search-timeout": "No search provider answered in its time; nothing was charged.",
  "resolve-failed": "No source could be read and no search answered; nothing was charged.",
  "model-failed":
    "The configured language model did not answer, or not as it must, and the embedded analyst is not to take its place; nothing was charged.",
  "page-timeout": "The page was not ready within `timeout` seconds.",
  "version-not-supported": "The request's version is neither HTTP/1.0 nor HTTP/1.1.",
};

const INTRODUCTION = `# Errors

Every error that Turnpike itself answers has the media type \`${PROBLEM_CONTENT_TYPE}\` (RFC 9457):

${markdownTable([
  ["Field", "Meaning"],
  ["`type`", "`urn:turnpike:error:CODE`, with a code of the table below"],
  ["`title`, `status`", "Fixed for each code"],
  ["`detail`", "What is the case, for people; its words may change"],
  ["`instance`", "The request id, as in `X-Request-Id` and in the logs"],
  [
    "`errors`",
    "`[{path, message}]`: what is wrong with which field; the admin interface adds a `pointer` into the request's body",
  ],
  ["`code`", "The code with `_` for `-`; errors of the admin interface alone have it"],
])}

A 402 also has the fields of the x402 challenge. An upstream's own errors pass as they are.

Origin says whose fault it is. Retry: the very same request may succeed later. A 503 has a \`Retry-After\` field.

In the answer of \`/batch\` a page that failed has the \`type\` of its error as \`error_type\`, the \`detail\` as \`error\`, and \`page_status\` as
\`metadata.status\`. The answer itself is 200, also if every page failed; then nothing is charged.

`;

/** docs/errors.md: the error table as people read it, by status. */
export function errorReference(): string {
  const rows = Object.entries(ERRORS)
    // The keys of the table are its codes: Object.entries widens them to string.
    .map(([code, kind]) => ({ code: code as ErrorCode, ...kind }))
    .toSorted((a, b) => a.status - b.status)
    .map(({ status, code, title, origin, retryable }) => [
      String(status),
      `\`${code}\``,
      title,
      origin,
      retryable ? "yes" : "no",
      WHEN[code],
    ]);
  return `${INTRODUCTION}${markdownTable([["Status", "Code", "Title", "Origin", "Retry", "When"], ...rows])}\n`;
}
