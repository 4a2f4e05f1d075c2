import { createHash } from "node:crypto";
import { eachField, type Fields, trimOws } from "../../../lib/fields.ts";
import { type Exchange } from "../../exchange.ts";
import { hostOf } from "../../routing/table.ts";

/**
 * Fields that one client sends otherwise from try to try, and that change nothing that is sold: the hops, the names of one try
 * in traces and logs, and the content codings, which the gateway makes anew for each request.
 */
const VARYING: ReadonlySet<string> = new Set([
  "accept-encoding",
  "b3",
  "baggage",
  "cdn-loop",
  "cf-connecting-ip",
  "cf-ray",
  "date",
  "dpop",
  "forwarded",
  "priority",
  "referer",
  "request-id",
  "sentry-trace",
  "signature",
  "signature-input",
  "te",
  "traceparent",
  "tracestate",
  "true-client-ip",
  "uber-trace-id",
  "via",
  "x-amzn-trace-id",
  "x-cloud-trace-context",
  "x-correlation-id",
  "x-real-ip",
  "x-request-id",
  "x-request-start",
]);
/** The same for all fields whose names begin so. */
const VARYING_PREFIXES = ["sec-fetch-", "x-b3-", "x-datadog-", "x-forwarded-"];
/** Fields that ask for the rest of an answer that broke off (RFC 9110 §14; EventSource). */
const RESUMING: ReadonlySet<string> = new Set(["range", "if-range", "last-event-id"]);

/**
 * Digest of a payment and of the request that it is spent on: payment, method, host, path, query, and the header fields that the
 * upstream sees, but for those that vary from try to try. Without the port, which says nothing of what is sold. `isResumed`: as
 * if the request did not ask for a rest.
 */
export function fingerprintOf(
  exchange: Pick<Exchange, "head" | "consumer">,
  payment: { readonly header: string; readonly testMode: boolean },
  isResumed = false,
): string {
  const { method, authority, path, query, fields } = exchange.head;
  // What test mode has taken is nothing to a gateway that sells for money, and the other way round, where both have one ledger.
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

/** True where a request asks for the rest of an answer. */
export function isResuming(fields: Fields): boolean {
  for (const [name] of eachField(fields)) if (RESUMING.has(name.toLowerCase())) return true;
  return false;
}

/** The lines of what is sold; fields of one name stay in their order, others have none (RFC 9110 §5.3). */
function sold(fields: Fields, consumer: string, isResumed: boolean): string[] {
  const kept: [name: string, value: string][] = [];
  for (const [name, value] of eachField(fields)) {
    const lower = name.toLowerCase();
    if (VARYING.has(lower) || VARYING_PREFIXES.some((prefix) => lower.startsWith(prefix))) continue;
    if (isResumed && RESUMING.has(lower)) continue;
    // Who was let in is told to the upstream by name; a token for the same name may be a new one.
    if (lower === "authorization" && consumer !== "") continue;
    kept.push([lower, trimOws(value)]);
  }
  return kept.toSorted(([a], [b]) => (a < b ? -1 : Number(a > b))).map(([name, value]) => `${name}: ${value}`);
}
