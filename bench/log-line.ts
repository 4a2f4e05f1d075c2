/** What a line of the access log costs, beside the runtime's own JSON of the same values. */
import { LineBytes } from "../src/lib/line-bytes.ts";
import { nextRequestId } from "../src/lib/request-id.ts";
import { type AnsweredRequest } from "../src/gateway/exchange.ts";
import { jsonLine } from "../src/gateway/policy/access-log/json-line.ts";
import { HiddenParameters } from "../src/gateway/telemetry/hidden-parameters.ts";
import { HiddenParameters } from "../src/gateway/telemetry/hidden-parameters.ts";
import { UpstreamRecord } from "../src/gateway/telemetry/tracing/upstream-record.ts";

const WARM_UP = 200_000;
const LINES = 1_000_000;
const BUFFER_BYTES = 65_536;
const BEGAN = Date.UTC(2026, 10, 20);
const HEAD = "GET /articles/2026 HTTP/1.1\r\nHost: www.example.com\r\nUser-Agent: curl/8.5.0\r\nAccept: */*\r\n";

/** As the codec makes one: its texts are slices of what a socket brought. */
function requestOf(): AnsweredRequest {
  const trace = new UpstreamRecord("");
  trace.tryBegan("127.0.0.1:8080");
  trace.connected();
  trace.answered(200);
  return {
    id: nextRequestId(),
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
      query: "",
      fields: HEAD.slice(52),
    },
  };
}

function nanoseconds(work: (i: number) => void): number {
  for (let i = 0; i < WARM_UP; i++) work(i);
  const before = process.cpuUsage();
  for (let i = 0; i < LINES; i++) work(i);
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / LINES;
}

/** Resolves to 0. */
export function runLogLineBench(): Promise<number> {
  const line = new LineBytes(Buffer.alloc(BUFFER_BYTES));
  const hidden = new HiddenParameters(["api_key"]);
  const finished = (i: number) => ({ at: BEGAN + Math.floor(i / 32), elapsedMs: (i % 1013) / 1000, hidden });
  const write = (i: number): void => {
    line.at = 0;
    jsonLine(line, requestOf(), finished(i));
  };
  write(1);
  const values: object = JSON.parse(line.bytes.toString("utf8", 0, line.at));
  const made = nanoseconds(() => requestOf());
  const bytes = nanoseconds(write) - made;
  const runtime = nanoseconds((i) => {
    const { at, elapsedMs } = finished(i);
    const time = new Date(at).toISOString();
    line.bytes.write(JSON.stringify({ ...values, time, request_id: nextRequestId(), duration_ms: elapsedMs }), 0);
  });
  console.log(`${line.at} bytes, byte by byte: ${bytes.toFixed(0)} ns of CPU`);
  console.log(`the same by JSON.stringify and write: ${runtime.toFixed(0)} ns`);
  return Promise.resolve(0);
}
