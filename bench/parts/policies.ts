/** Parts of the policies, beside a plain implementation. */
import { type Part } from "../parts.ts";
import { writeDecimal } from "../../src/lib/text/decimal.ts";
import { hasAnyLine, withoutFields } from "../../src/lib/http/fields.ts";
import { flatText } from "../../src/lib/memory/flat-text.ts";
import { writeLatin1 } from "../../src/lib/memory/latin1.ts";
import { BUCKET_BYTES, TICKS_PER_MS, TokenBuckets } from "../../src/lib/memory/token-buckets.ts";
import { createApiKey } from "../../src/gateway/policy/auth/api-key.ts";
import { requestOf } from "../../src/gateway/policy/auth/testing/exchange.ts";
import { HiddenParameters } from "../../src/gateway/exchange/hidden-parameters.ts";
import { encodeSpans } from "../../src/gateway/telemetry/tracing/otlp.ts";
import { RequestTrace } from "../../src/gateway/telemetry/tracing/request-trace.ts";
import { contextFields } from "../../src/gateway/telemetry/tracing/trace-context.ts";
import { NewTraces, newSpanId } from "../../src/gateway/telemetry/tracing/new-traces.ts";

const KEY = "bench-key-0123456789";
const KEYS = 1000;
const FIELDS =
  "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36\r\n" +
  "Accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.8\r\nAccept-Language: en-US,en;q=0.9\r\n" +
  "Accept-Encoding: gzip, deflate, br, zstd\r\nCookie: session=0123456789abcdef; theme=dark\r\n";
const HEAD = Buffer.from(`${FIELDS}X-API-Key: ${KEY}\r\n`);
const SIZE = { cost: TICKS_PER_MS, burst: 1_000_000 };
const NAMES = ["traceparent", "tracestate"];

/** As the codec makes them: a text of the received data. */
const fields = (): string => HEAD.toString("latin1");

export function policyParts(): Part[] {
  const traces = new NewTraces(0);
  let now = 0;
  const bucketsOf = (isShared: boolean): TokenBuckets =>
    new TokenBuckets(new Uint8Array(BUCKET_BYTES), () => (now += 1), isShared);
  const [own, shared] = [bucketsOf(false), bucketsOf(true)];
  const space = own.space("a route");
  const joined = joinedText();
  const flat = flatText(joinedText());
  const keys = Array.from({ length: KEYS }, (_, i) => ({ key: i === KEYS / 2 ? KEY : `key ${i}`, name: `name ${i}` }));
  const config = { header_name: "X-API-Key", query_param: "", consumers: [] };
  const [one, many] = [keys.slice(KEYS / 2, KEYS / 2 + 1), keys].map((some) => createApiKey({ ...config, keys: some }));
  const bytes = Buffer.alloc(512);
  const traced = Object.assign(requestOf(fields()), {
    status: 200,
    protocol: "HTTP/1.1" as const,
    clientAddress: "127.0.0.1",
    peerAddress: "127.0.0.1",
    consumer: "bench",
    payer: "",
    beganAt: 1,
  });
  const sampled = sampledTrace();
  const ended = { route: "/", hidden: new HiddenParameters([]), endedAt: 2, epoch: Date.UTC(2026, 10, 20) };
  return [
    { name: "fields: the text alone", work: () => fields() },
    { name: "fields: lines that are not there", work: () => hasAnyLine(fields(), NAMES) },
    { name: "fields: the same by withoutFields", work: () => withoutFields(fields(), NAMES) },
    { name: "fields: ends of lines, by LF", work: () => lineEnds(fields(), "\n") },
    { name: "fields: ends of lines, by CR LF", work: () => lineEnds(fields(), "\r\n") },
    { name: "api_key: one key", work: () => one?.check(requestOf(fields())) },
    { name: "api_key: one of a thousand keys", work: () => many?.check(requestOf(fields())) },
    {
      name: "api_key: a wrong key beside a thousand",
      work: (i) => many?.check(requestOf(`${FIELDS}X-API-Key: wrong ${i}\r\n`)),
    },
    { name: "rate_limit: a bucket of one process", work: () => own.charge(space, "127.0.0.1", SIZE) },
    { name: "rate_limit: a bucket that workers share", work: () => shared.charge(space, "127.0.0.1", SIZE) },
    {
      name: "rate_limit: shared, of another client each time",
      work: (i) => shared.charge(space, `10.0.0.${i & 63}`, SIZE),
    },
    {
      name: "tracing: the fields of a new trace",
      work() {
        traces.next();
        return traces.unsampled();
      },
    },
    { name: "tracing: the same, made one by one", work: () => writeLatin1(bytes, traceOf(), 0) },
    { name: "tracing: the spans of a sampled request", work: () => encodeSpans(traced, sampled, ended) },
    { name: "told: five joined texts, in another, written", work: () => writeLatin1(bytes, `A: 1\r\n${joined}`, 0) },
    { name: "told: the same, flat", work: () => writeLatin1(bytes, `A: 1\r\n${flat}`, 0) },
    { name: "access_log: a number of five digits", work: (i) => writeDecimal(bytes, 0, 10_000 + (i & 8191)) },
    { name: "access_log: the same by divisions of doubles", work: (i) => plainDecimal(bytes, 10_000 + (i & 8191)) },
  ];
}

/** As a template makes it: a rope of its pieces. */
function joinedText(): string {
  const parts = ["RateLimit-Policy: ", KEY, ";q=100;w=1\r\n", "RateLimit: ", KEY, ";r=99;t=1\r\n"];
  let text = "";
  for (const part of parts) text += part;
  return text;
}

/** The trace of a request with authentication and one upstream request. */
function sampledTrace(): RequestTrace {
  const trace = new RequestTrace({ traceId: newSpanId() + newSpanId(), parentId: "", state: "" }, newSpanId);
  trace.policyEnded(trace.policyBegan("auth"), "");
  trace.tryBegan("127.0.0.1:8080", "http", undefined);
  trace.responded(200);
  trace.tryEnded("");
  return trace;
}

function traceOf(): string {
  return contextFields({ traceId: newSpanId() + newSpanId(), spanId: newSpanId(), sampled: false }, "");
}

function plainDecimal(bytes: Uint8Array, value: number): number {
  let digits = 1;
  for (let bound = 10; value >= bound; bound *= 10) digits++;
  let rest = value;
  for (let i = digits - 1; i >= 0; i--) {
    const next = Math.floor(rest / 10);
    bytes[i] = 0x30 + (rest - next * 10);
    rest = next;
  }
  return digits;
}

function lineEnds(text: string, mark: string): number {
  let lines = 0;
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + mark.length)) lines++;
  return lines;
}
