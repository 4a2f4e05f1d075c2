import { expect, test } from "bun:test";
import { LineBytes } from "../../../lib/line-bytes.ts";
import { type Exchange } from "../../exchange.ts";
import { HiddenParameters } from "../../telemetry/hidden-parameters.ts";
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
  // Only what a log line reads; the codec's own exchange needs a socket.
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

test("a combined line is what Apache would write", () => {
  expect(written(combinedLine, exchangeOf("/a", "curl/8", 200))).toBe(
    '127.0.0.1 - - [20/Nov/2026:01:02:03 +0000] "GET /a?q=1 HTTP/1.1" 200 5 "-" "curl/8"',
  );
});

test("nothing a client sends can forge a field or a line", () => {
  const line = written(combinedLine, exchangeOf('/a"b\\', 'x" 200 1 "\u00e9\t', 200));
  expect(line).toContain('"GET /a\\x22b\\x5c?q=1 HTTP/1.1"');
  expect(line).toContain('"x\\x22 200 1 \\x22\\xe9"');
  expect(line).not.toContain("\n");
});

test("a client that left before an answer is logged as 499", () => {
  expect(JSON.parse(written(jsonLine, exchangeOf("/", "a", 0)))).toMatchObject({
    status: 499,
    duration_ms: 1.235,
    path: "/",
  });
});

test("a line of JSON holds no control characters, those of 8-bit terminals included", () => {
  const line = written(jsonLine, exchangeOf('/\u009b"\u0007', "\u007f\u0085", 200));
  expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  expect(JSON.parse(line)).toMatchObject({ path: '/\u009b"\u0007' });
});

test.each([combinedLine, jsonLine])("no key of a query or a referer is told", (line) => {
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
