import { expect, test } from "bun:test";
import { LineBytes } from "../../../lib/memory/line-bytes.ts";
import { mulberry32 } from "../../../lib/testing/mulberry32.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { HiddenParameters } from "../../exchange/hidden-parameters.ts";
import { UpstreamRecord } from "../../telemetry/tracing/upstream-record.ts";
import { combinedLine, type LogLine } from "./access-log.ts";
import { jsonLine } from "./json-line.ts";

function exchangeOf(path: string, agent: string, status: number): Exchange {
  const head = {
    method: "GET",
    scheme: "http",
    authority: "h",
    path,
    query: "?q=1",
    fields: `User-Agent: ${agent}\r\n`,
  };
  // Only the members that a log line reads: the codec's own exchange needs a socket.
  return {
    head,
    protocol: "HTTP/1.1",
    id: "id-1",
    clientAddress: "127.0.0.1",
    status,
    bytesSent: 5,
    bytesReceived: 0,
  } as unknown as Exchange;
}

function written(line: LogLine, exchange: Exchange): string {
  const bytes = new LineBytes(Buffer.alloc(4096));
  line(bytes, exchange, FINISHED);
  return bytes.bytes.toString("utf8", 0, bytes.at);
}

const FINISHED = { at: Date.UTC(2026, 10, 20, 1, 2, 3), elapsedMs: 1.23456, hidden: new HiddenParameters([]) };

test("a combined line has Apache's format", () => {
  expect(written(combinedLine, exchangeOf("/a", "curl/8", 200))).toBe(
    '127.0.0.1 - - [20/Nov/2026:01:02:03 +0000] "GET /a?q=1 HTTP/1.1" 200 5 "-" "curl/8"',
  );
});

test("a request that was not sold has the reason", () => {
  const lost = { ...exchangeOf("/a", "curl/8", 402), loss: "expired" };
  expect(written(combinedLine, lost)).toEndWith(' 402 5 "-" "curl/8" loss=expired');
  expect(JSON.parse(written(jsonLine, lost))).toMatchObject({ status: 402, loss: "expired" });
});

test("client data cannot forge a field or a line", () => {
  const line = written(combinedLine, exchangeOf('/a"b\\', 'x" 200 1 "\u00e9\t', 200));
  expect(line).toContain('"GET /a\\x22b\\x5c?q=1 HTTP/1.1"');
  expect(line).toContain('"x\\x22 200 1 \\x22\\xe9"');
  expect(line).not.toContain("\n");
});

test("a client that disconnects before a response is logged as 499", () => {
  expect(JSON.parse(written(jsonLine, exchangeOf("/", "a", 0)))).toMatchObject({
    status: 499,
    duration_ms: 1.235,
    path: "/",
  });
});

test.each(["http", "https"])("a JSON line has the request's target: %s", (scheme) => {
  const exchange = exchangeOf("/a", "a", 200);
  Object.assign(exchange.head, { scheme, authority: "h:1" });
  expect(JSON.parse(written(jsonLine, exchange))).toMatchObject({
    protocol: "HTTP/1.1",
    method: "GET",
    scheme,
    host: "h:1",
  });
});

test("a JSON line has no control characters, including those of 8-bit terminals", () => {
  const line = written(jsonLine, exchangeOf('/\u009b"\u0007', "\u007f\u0085", 200));
  expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  expect(JSON.parse(line)).toMatchObject({ path: '/\u009b"\u0007' });
});

test.each([combinedLine, jsonLine])("secret parameters of queries and referers are redacted", (line) => {
  const exchange = exchangeOf("/a", "a", 200);
  exchange.head.query = "?ticket=hush&b=1";
  exchange.head.fields += "Referer: https://ann:hush@a.example/?ticket=hush\r\n";
  const bytes = new LineBytes(Buffer.alloc(4096));
  line(bytes, exchange, { ...FINISHED, hidden: new HiddenParameters(["ticket"]) });
  const text = bytes.bytes.toString("utf8", 0, bytes.at);
  expect(text).toContain("?ticket=REDACTED&b=1");
  expect(text).toContain("https://a.example/?ticket=REDACTED");
  expect(text).not.toContain("hush");
});

/** Requests of which each differs from the first in one way. */
function variants(): Exchange[] {
  const changes: ((exchange: Exchange) => void)[] = [
    () => {},
    ({ head }) => Object.assign(head, { authority: "other" }),
    ({ head }) => Object.assign(head, { method: "POST", scheme: "https" }),
    (exchange) => Object.assign(exchange, { protocol: "HTTP/2.0", clientAddress: "::1" }),
    ({ head }) => (head.fields = 'User-Agent: \u00e9"\r\nReferer: http://r.test/?q=\u0001\r\n'),
    ({ head }) => (head.fields = `User-Agent: ${"long ".repeat(300)}\r\n`),
    ({ head }) => (head.fields = ""),
    (exchange) => (exchange.trace = tried("127.0.0.1:1", 200)),
    (exchange) => (exchange.trace = tried("127.0.0.1:1", 503)),
    (exchange) => (exchange.trace = tried("127.0.0.1:2", 503)),
  ];
  return changes.map((change) => {
    const exchange = exchangeOf("/a", "a", 200);
    change(exchange);
    return exchange;
  });
}

function tried(server: string, status: number): UpstreamRecord {
  const record = new UpstreamRecord("");
  record.tryBegan(server, "http", undefined);
  record.responded(status);
  record.firstByteMs = 0.5;
  return record;
}

test("a line does not depend on the lines before it", () => {
  const all = variants();
  const lines = all.map((exchange) => written(jsonLine, exchange));
  expect(new Set(lines).size).toBe(all.length);
  for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
  for (const [i, exchange] of all.entries()) {
    for (const [j, other] of all.entries()) {
      for (let n = 0; n < 4; n++) expect(written(jsonLine, exchange)).toBe(lines[i] ?? "");
      expect(written(jsonLine, other)).toBe(lines[j] ?? "");
    }
  }
});

/** An exchange whose id the gateway has made, of a request that differs from others in `path` only. */
function withMadeId(path: string, id: string): Exchange {
  const exchange = { ...exchangeOf(path, "a", 200), id };
  exchange.writeMadeId = (bytes, at) => Buffer.from(id).copy(bytes, at) === id.length;
  exchange.trace = tried("127.0.0.1:1", 200);
  return exchange;
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

test("a line has the id and the times of its own request", () => {
  // Numbers of digits change, and a time can be left out.
  const times = [0, 0.0004, 0.0005, 0.5, 9.9994, 9.9995, 10, 12.3456, 99.9994, 99.9995, 100, 1234.5, 99, 1, -1];
  let id = 0;
  const random = mulberry32(7);
  const pick = (values: readonly number[]): number => values[random() % values.length] ?? 0;
  for (let n = 0; n < 3000; n++) {
    const made = `${String(id++).padStart(8, "0")}-0000-7000-8000-000000000000`;
    const exchange = withMadeId(random() % 10 > 0 ? "/a" : "/bb", made);
    const record = tried("127.0.0.1:1", 200);
    Object.assign(record, { connectMs: pick(times), firstByteMs: pick(times.slice(random() % 11)) });
    exchange.trace = record;
    // A text that the client has chosen has another length.
    if (random() % 10 === 0) Object.assign(exchange, { id: 'a"b', writeMadeId: () => false });
    const finished = { ...FINISHED, at: FINISHED.at + Math.floor(n / 2), elapsedMs: Math.max(pick(times), 0) };
    const bytes = new LineBytes(Buffer.alloc(4096, "#"));
    jsonLine(bytes, exchange, finished);
    const { connectMs, firstByteMs } = record;
    expect(JSON.parse(bytes.bytes.toString("utf8", 0, bytes.at))).toEqual({
      time: new Date(finished.at).toISOString(),
      request_id: exchange.id,
      client: "127.0.0.1",
      protocol: "HTTP/1.1",
      method: "GET",
      scheme: "http",
      host: "h",
      path: exchange.head.path,
      query: "?q=1",
      status: 200,
      bytes_received: 0,
      bytes_sent: 5,
      duration_ms: rounded(finished.elapsedMs),
      upstream_server: "127.0.0.1:1",
      upstream_status: 200,
      ...(connectMs < 0 ? {} : { upstream_connect_ms: rounded(connectMs) }),
      ...(firstByteMs < 0 ? {} : { upstream_first_byte_ms: rounded(firstByteMs) }),
      upstream_tries: 1,
      user_agent: "a",
    });
  }
});

test("a line that does not fit is dropped whole", () => {
  const exchange = withMadeId("/a", "00000000-0000-7000-8000-000000000000");
  for (let n = 0; n < 4; n++) written(jsonLine, exchange);
  const { length } = written(jsonLine, exchange);
  for (let room = length - 40; room < length; room++) {
    const short = new LineBytes(Buffer.alloc(room));
    jsonLine(short, exchange, FINISHED);
    expect(short.full).toBe(true);
  }
  const exact = new LineBytes(Buffer.alloc(length + 40));
  jsonLine(exact, exchange, FINISHED);
  expect([exact.full, exact.at]).toEqual([false, length]);
});

test("a parameter redacted in one log is redacted after a line of another log with the same fields", () => {
  const exchange = exchangeOf("/", "a", 200);
  exchange.head.fields = "Referer: http://a.test/?ticket=hush\r\n";
  const hiding = { ...FINISHED, hidden: new HiddenParameters(["ticket"]) };
  for (let n = 0; n < 4; n++) {
    expect(written(jsonLine, exchange)).toContain("ticket=hush");
    const bytes = new LineBytes(Buffer.alloc(4096));
    jsonLine(bytes, exchange, hiding);
    expect(bytes.bytes.toString("utf8", 0, bytes.at)).toContain("ticket=REDACTED");
  }
  for (let n = 0; n < 4; n++) written(jsonLine, exchange);
  const bytes = new LineBytes(Buffer.alloc(4096));
  jsonLine(bytes, exchange, hiding);
  expect(bytes.bytes.toString("utf8", 0, bytes.at)).toContain("ticket=REDACTED");
});

test("a line that did not fit leaves nothing for the next one", () => {
  const exchange = exchangeOf("/", "agent ".repeat(20), 200);
  for (let n = 0; n < 4; n++) {
    const short = new LineBytes(Buffer.alloc(200));
    jsonLine(short, exchange, FINISHED);
    expect(short.full).toBe(true);
  }
  expect(JSON.parse(written(jsonLine, exchange))).toMatchObject({ user_agent: "agent ".repeat(20).trim() });
});
