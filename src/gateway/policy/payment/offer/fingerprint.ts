import { createHash } from "node:crypto";
import { eachField, type Fields, trimOws } from "../../../../lib/http/fields.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { hostOf } from "../../../../lib/http/url-host.ts";

/**
 * Fields that one client can send with different values on each try, and that do not change what is sold: hop-by-hop
 * data, ids and times of one try, and content codings, which the gateway applies for each request.
 */
const VARYING: ReadonlySet<string> = new Set([
  "accept-payment",
  "accept-encoding",
  "b3",
  "baggage",
  "cdn-loop",
  "cf-connecting-ip",
  "cf-ray",
  "date",
  "dpop",
  "early-data",
  "elastic-apm-traceparent",
  "forwarded",
  "newrelic",
  "priority",
  "referer",
  "request-id",
  "sec-websocket-key",
  "sentry-trace",
  "signature",
  "signature-input",
  "te",
  "traceparent",
  "tracestate",
  "true-client-ip",
  "uber-trace-id",
  "via",
  "x-amz-cf-id",
  "x-amzn-trace-id",
  "x-cloud-trace-context",
  "x-correlation-id",
  "x-real-ip",
  "x-request-id",
  "x-request-start",
]);
/** Prefixes of further such fields. */
const VARYING_PREFIXES = ["grpc-", "sec-fetch-", "x-azure-", "x-b3-", "x-datadog-", "x-forwarded-"];
/** Fields that ask for the rest of an interrupted response (RFC 9110 §14; EventSource). */
const RESUMING: ReadonlySet<string> = new Set(["range", "if-range", "last-event-id"]);

/**
 * A digest of a payment and of the request that it pays for: payment, method, host, path, query, and the header fields
 * that the upstream sees, without those that vary between tries. Without the port, which does not change what is sold.
 * `isResumed`: without the fields that ask for the rest of a response.
 */
export function fingerprintOf(
  exchange: Pick<Exchange, "head" | "consumer">,
  payment: { readonly header: string; readonly testMode: boolean },
  isResumed = false,
): string {
  const { method, authority, path, query, fields } = exchange.head;
  // A payment of test mode is never valid for a gateway that takes real payments, and the reverse, if both use one
  // ledger.
  const lines = [
    payment.header,
    method,
    hostOf(authority),
    `${path}${query}`,
    ...sold(fields, exchange.consumer, isResumed),
  ];
  return createHash("sha256")
    .update(`${payment.testMode ? "test\n" : ""}${lines.join("\n")}`)
    .digest("base64url");
}

/** True if a request asks for the rest of a response. */
export function isResuming(fields: Fields): boolean {
  for (const [name] of eachField(fields)) if (RESUMING.has(name.toLowerCase())) return true;
  return false;
}

/** The field lines that identify what is sold: the order counts only among equal names (RFC 9110 §5.3). */
function sold(fields: Fields, consumer: string, isResumed: boolean): string[] {
  const kept: [name: string, value: string][] = [];
  for (const [name, value] of eachField(fields)) {
    const lower = name.toLowerCase();
    if (VARYING.has(lower) || VARYING_PREFIXES.some((prefix) => lower.startsWith(prefix))) continue;
    if (isResumed && RESUMING.has(lower)) continue;
    // The upstream gets the consumer's name, not the token, and a consumer may use a new token.
    if (lower === "authorization" && consumer !== "") continue;
    kept.push([lower, trimOws(value)]);
  }
  const byName = Map.groupBy(kept, ([name]) => name);
  return [...byName.keys()]
    .toSorted()
    .flatMap((name) => byName.get(name) ?? [])
    .map(([name, value]) => `${name}: ${value}`);
}
