import { expect, test } from "bun:test";
import { type Exchange } from "../../exchange/exchange.ts";
import { RequestTrace } from "./request-trace.ts";
import { Tracer } from "./tracer.ts";

const OTEL = {
  enabled: true,
  collector_url: "http://127.0.0.1:1",
  service_name: "edge",
  flush_interval_s: 5,
  max_batch_size: 256,
  headers: "",
};
const TIMES = 4000;

/** The number of traced requests out of 4000. */
function traced(sampleRate: number, fields = ""): number {
  const deps = { counts: { add() {} }, log() {}, random: () => 0, clock: Date.now };
  const tracer = new Tracer({ ...OTEL, sample_rate: sampleRate }, deps);
  let found = 0;
  for (let i = 0; i < TIMES; i++) {
    // Only the members that a tracer reads: the codec's own exchange needs a socket.
    const exchange = { head: { fields } } as unknown as Exchange;
    if (tracer.begin(exchange) instanceof RequestTrace) found++;
  }
  return found;
}

test("the configured percentage of requests is traced", () => {
  expect([traced(0), traced(100)]).toEqual([0, TIMES]);
  // Seven standard deviations around 1200, and around 40.
  expect(Math.abs(traced(30) - 1200)).toBeLessThan(203);
  expect(Math.abs(traced(1) - 40)).toBeLessThan(45);
});

function parent(flags: string): string {
  return `traceparent: 00-${"ab".repeat(16)}-${"cd".repeat(8)}-${flags}\r\n`;
}

test("the client's decision takes precedence over the configuration", () => {
  expect([traced(0, parent("01")), traced(100, parent("00"))]).toEqual([TIMES, 0]);
  // Other flags do not matter.
  expect([traced(0, parent("03")), traced(100, parent("02"))]).toEqual([TIMES, 0]);
});
