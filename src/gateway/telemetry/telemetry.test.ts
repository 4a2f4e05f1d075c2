import { expect, test } from "bun:test";
import { closeSync } from "node:fs";
import { type QuicFigures } from "../http3/figures.ts";
import { COLUMN } from "./metrics/layout.ts";
import { onlySlot, SupervisorTelemetry, Telemetry } from "./telemetry.ts";

const CAPACITIES = { stream: 1, body: 1, disk: 0 };

function figures(change: Partial<QuicFigures>): QuicFigures {
  const zero = { connectionsOpen: 0, connectionsTotal: 0, handshakeFailures: 0, connectionsRefused: 0 };
  const streams = { streamsOpen: 0, streamsTotal: 0, streamsMalformed: 0 };
  return { ...zero, ...streams, bytesIn: 0, bytesOut: 0, packetsIn: 0, packetsOut: 0, packetsLost: 0, ...change };
}

function lineOf(telemetry: Telemetry, name: string): string | undefined {
  return telemetry
    .page(CAPACITIES, [])
    .text.split("\n")
    .find((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
}

test("an endpoint's figures are counted once, next to those of others, and can decrease", () => {
  const telemetry = new Telemetry(onlySlot());
  const [first, second] = [{}, {}];
  telemetry.quic.tell(first, figures({ streamsTotal: 5, streamsOpen: 3, bytesIn: 100 }));
  telemetry.quic.tell(first, figures({ streamsTotal: 7, streamsOpen: 1, bytesIn: 150 }));
  telemetry.quic.tell(second, figures({ streamsTotal: 1, streamsOpen: 1, bytesIn: 10 }));
  expect(lineOf(telemetry, "turnpike_quic_streams_total")).toBe("turnpike_quic_streams_total 8");
  expect(lineOf(telemetry, "turnpike_quic_streams_open")).toBe("turnpike_quic_streams_open 2");
  expect(lineOf(telemetry, "turnpike_quic_received_bytes_total")).toBe("turnpike_quic_received_bytes_total 160");
});

test("a worker that replaces a dead one keeps its counters, and begins with cleared gauges", () => {
  const supervisor = new SupervisorTelemetry(2);
  const { zone } = supervisor;
  const other = new Telemetry({ zone, row: 2 });
  const dead = new Telemetry({ zone, row: 1 });
  dead.quic.tell({}, figures({ streamsTotal: 5, streamsOpen: 3 }));
  dead.counts.add("connections", 1, "tcp");
  dead.counts.add("connectionsOpen", 1, "tcp");
  dead.poolWatcher("stream").used(4096);
  zone.cells(1)[0] = 1;
  expect(lineOf(other, "turnpike_buffer_bytes")).toBe('turnpike_buffer_bytes{pool="stream"} 4096');
  supervisor.workerDied(1);
  supervisor.counts.add("workerRestarts", 1);
  expect([zone.counters(1)[COLUMN.pid], zone.cells(1)[0]]).toEqual([0, 0]);
  const next = new Telemetry({ zone, row: 1 });
  next.quic.tell({}, figures({ streamsTotal: 1, streamsOpen: 1 }));
  for (const telemetry of [next, other]) {
    expect(lineOf(telemetry, "turnpike_quic_streams_total")).toBe("turnpike_quic_streams_total 6");
    expect(lineOf(telemetry, "turnpike_quic_streams_open")).toBe("turnpike_quic_streams_open 1");
    expect(lineOf(telemetry, "turnpike_connections_total")).toBe('turnpike_connections_total{transport="tcp"} 1');
    expect(lineOf(telemetry, "turnpike_connections_open")).toBe('turnpike_connections_open{transport="tcp"} 0');
    expect(lineOf(telemetry, "turnpike_buffer_bytes")).toBe('turnpike_buffer_bytes{pool="stream"} 0');
    expect(lineOf(telemetry, "turnpike_worker_restarts_total")).toBe("turnpike_worker_restarts_total 1");
  }
  closeSync(zone.fd ?? -1);
});

const HEAD = { method: "GET", scheme: "http", authority: "", path: "", query: "", fields: "" } as const;
const REQUEST = {
  id: "",
  protocol: "HTTP/1.1",
  clientAddress: "",
  bytesReceived: 0,
  bytesSent: 0,
  status: 200,
} as const;

test("each method of RFC 9110 and PATCH has its own label, and a method in lower case has not", () => {
  const telemetry = new Telemetry(onlySlot());
  const methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"];
  for (const method of [...methods, "get"]) telemetry.http.refused({ ...REQUEST, head: { ...HEAD, method } });
  const { text } = telemetry.page(CAPACITIES, []);
  for (const method of [...methods, "other"]) {
    expect(text).toContain(`turnpike_http_requests_total{protocol="http1",method="${method}"} 1\n`);
  }
});

test("unknown codes and methods share a label", () => {
  const telemetry = new Telemetry(onlySlot());
  const request = { ...REQUEST, head: { ...HEAD, method: "X".repeat(100) } };
  for (const status of [600, 999, 99]) telemetry.http.refused({ ...request, status });
  const { text } = telemetry.page(CAPACITIES, []);
  expect(text).toContain('turnpike_http_requests_total{protocol="http1",method="other"} 3\n');
  expect(text).toContain('turnpike_http_responses_total{protocol="http1",code="other"} 3\n');
});
