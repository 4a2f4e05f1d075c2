/** A line of the access log, beside the runtime's own JSON of the same values. */
import { fieldValue } from "../../src/lib/http/fields.ts";
import { LineBytes } from "../../src/lib/memory/line-bytes.ts";
import { writeLatin1 } from "../../src/lib/memory/latin1.ts";
import { nextRequestId } from "../../src/lib/http/request-id.ts";
import { type LoggedRequest } from "../../src/gateway/exchange/exchange.ts";
import { type Finished } from "../../src/gateway/policy/access-log/access-log.ts";
import { jsonLine } from "../../src/gateway/policy/access-log/json-line.ts";
import { HiddenParameters } from "../../src/gateway/exchange/hidden-parameters.ts";
import { UpstreamRecord } from "../../src/gateway/telemetry/tracing/upstream-record.ts";
import { type Part } from "../parts.ts";

const BUFFER_BYTES = 65_536;
const BEGAN = Date.UTC(2026, 10, 20);
const HEAD = "GET /articles/2026 HTTP/1.1\r\nHost: www.example.com\r\nUser-Agent: curl/8.5.0\r\nAccept: */*\r\n";

/** A request as the codec makes it: its texts are slices of the received data. */
function requestOf(i: number): LoggedRequest {
  const trace = new UpstreamRecord("");
  trace.tryBegan("127.0.0.1:8080", "http", undefined);
  trace.connected();
  trace.responded(200);
  const id = nextRequestId();
  return {
    id,
    writeMadeId: (bytes, at) => writeLatin1(bytes, id, at) > 0,
    protocol: "HTTP/1.1",
    clientAddress: "127.0.0.1",
    consumer: "bench",
    status: 200,
    bytesReceived: 0,
    bytesSent: 76,
    trace,
    head: {
      method: HEAD.slice(0, 3),
      scheme: "http",
      authority: HEAD.slice(35, 50),
      path: HEAD.slice(4, 18),
      query: i & 1 ? "?a" : "?b",
      fields: HEAD.slice(52),
    },
  };
}

/** The same line, made by the runtime. */
function stringified({ head, trace, ...request }: LoggedRequest, { at, elapsedMs, hidden }: Finished): string {
  const upstream = trace instanceof UpstreamRecord ? trace : undefined;
  return JSON.stringify({
    time: new Date(at).toISOString(),
    request_id: request.id,
    client: request.clientAddress,
    consumer: request.consumer,
    protocol: request.protocol,
    method: head.method,
    scheme: head.scheme,
    host: head.authority,
    path: head.path,
    query: hidden.query(head.query),
    status: request.status,
    bytes_received: request.bytesReceived,
    bytes_sent: request.bytesSent,
    duration_ms: elapsedMs,
    upstream_server: upstream?.server,
    upstream_status: upstream?.status,
    upstream_connect_ms: upstream?.connectMs,
    upstream_first_byte_ms: upstream?.firstByteMs,
    upstream_tries: upstream?.tries,
    user_agent: fieldValue(head.fields, "user-agent"),
    referer: fieldValue(head.fields, "referer"),
  });
}

export function logLineParts(): Part[] {
  const line = new LineBytes(Buffer.alloc(BUFFER_BYTES));
  const hidden = new HiddenParameters([]);
  const finished = (i: number): Finished => ({ at: BEGAN + Math.floor(i / 32), elapsedMs: (i % 1013) / 1000, hidden });
  return [
    { name: "access_log: the request alone", work: requestOf },
    {
      name: "access_log: a line, with another query each time",
      work(i) {
        line.at = 0;
        jsonLine(line, requestOf(i), finished(i));
      },
    },
    {
      name: "access_log: the same by JSON.stringify and write",
      work: (i) => line.bytes.write(stringified(requestOf(i), finished(i)), 0),
    },
  ];
}
