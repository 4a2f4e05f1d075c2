import { expect, test } from "bun:test";
import { type Sample, summarise } from "../support/report.ts";
import { latencyRows, latencyTable } from "./latency.ts";

const LOAD = { requests: 1, requestsPerSecond: 1, requestsPerCpuSecond: 1, non2xx: 0, socketErrors: 0 };
const USED = { userSeconds: 1, systemSeconds: 1, pageFaults: 0 };

function sample(program: string, round: number, [p50, p99]: readonly [p50: number, p99: number]): Sample {
  return { ...LOAD, ...USED, program, round, p50, p99 };
}

const SAMPLES = [
  sample("direct", 0, [0.02, 0.1]),
  sample("direct", 1, [0.03, 0.1]),
  sample("direct", 2, [0.02, 0.2]),
  sample("nginx", 0, [0.05, 0.2]),
  sample("nginx", 1, [0.05, 0.3]),
  sample("nginx", 2, [0.06, 0.2]),
];

test("the added latency of a proxy is the median of its rounds' differences to the direct path, in microseconds", () => {
  const [direct, nginx] = latencyRows(SAMPLES);
  expect(direct).toMatchObject({ program: "direct", p50: 20, p99: 100 });
  expect(nginx?.program).toBe("nginx");
  expect(nginx?.addedP50).toBeCloseTo(30);
  expect(nginx?.addedP99).toBeCloseTo(100);
});

test("the table shows the figures of each proxy, or why there are no figures", () => {
  const failures = new Map([["caddy", "not one response"]]);
  const lines = latencyTable(
    summarise({ name: "latency", about: "added" }, { samples: SAMPLES, failures }, "turnpike"),
  ).split("\n");
  expect(lines[0]).toBe("latency: added");
  expect(lines[3]?.trim().split(/\s+/)).toEqual(["nginx", "50", "200", "30", "100"]);
  expect(lines[4]?.trim()).toBe("caddy  FAILED: not one response");
});
