import { expect, test } from "bun:test";
import { median, noise, type Sample, summarise, table } from "./report.ts";
import { errorOf, parseWrk } from "./wrk.ts";

const WRK = `Running 2s test @ http://127.0.0.1:1/small
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.02ms  500.00us  12.00ms   90.00%
    Req/Sec    60.00k     2.00k   65.00k    70.00%
  Latency Distribution
     50%  890.00us
     75%    1.20ms
     90%    1.50ms
     99%    1.94s 
  119000 requests in 2.00s, 30.00MB read
  Socket errors: connect 1, read 2, write 3, timeout 4
  Non-2xx or 3xx responses: 7
Requests/sec:  59500.00
Transfer/sec:     15.00MB
`;

function sample(program: string, round: number, requestsPerCpuSecond: number): Sample {
  const usage = { userSeconds: 1, systemSeconds: 1, pageFaults: 0 };
  return { ...parseWrk(WRK), ...usage, program, round, requestsPerCpuSecond };
}

test("wrk's text is read: counts, rates, latencies in any unit, errors of every kind", () => {
  expect(parseWrk(WRK)).toEqual({
    requests: 119_000,
    requestsPerSecond: 59_500,
    p50: 0.89,
    p99: 1940,
    non2xx: 7,
    socketErrors: 10,
  });
});

test("a run without failed requests has no error", () => {
  const quiet = WRK.replace(/^ {2}(Socket|Non-2xx).*\n/gm, "");
  expect(parseWrk(quiet)).toMatchObject({ non2xx: 0, socketErrors: 0 });
});

test("failed responses, broken connections and no responses at all are errors", () => {
  const sound = { ...parseWrk(WRK), non2xx: 0, socketErrors: 0 };
  expect(errorOf(sound)).toBeUndefined();
  expect(errorOf({ ...sound, non2xx: 7 })).toContain("7 responses failed");
  expect(errorOf({ ...sound, socketErrors: 3 })).toContain("3 socket errors");
  expect(errorOf({ ...sound, requests: 0 })).toBe("not one response");
});

test("text that is not a result of wrk is an error", () => {
  expect(() => parseWrk("unable to connect")).toThrow("Cannot read the response of wrk");
});

test("the median of an even number of values is between the two in the middle", () => {
  expect([median([3, 1, 2]), median([4, 1, 3, 2])]).toEqual([2, 2.5]);
});

test("ratios compare the same round, and their median is shown", () => {
  const load = { name: "small64", about: "small", path: "/small", connections: 64 };
  const own = [sample("turnpike", 0, 50), sample("turnpike", 1, 90), sample("turnpike", 2, 60)];
  const peer = [sample("nginx", 0, 100), sample("nginx", 1, 100), sample("nginx", 2, 100)];
  const result = summarise(load, { samples: [...own, ...peer] }, "turnpike");
  expect(result.rows.map(({ program, ratio, spread }) => [program, ratio, spread])).toEqual([
    ["turnpike", 1, 40 / 60],
    ["nginx", 0.6, 0],
  ]);
  expect(table(result)).toContain("0.60");
  expect(noise([result])).toContain("worst 67 %");
});

test("one round says nothing about noise", () => {
  const load = { name: "small64", about: "small", path: "/small", connections: 64 };
  expect(noise([summarise(load, { samples: [sample("turnpike", 0, 50)] }, "turnpike")])).toContain("unknown");
});

test("a program that failed has the reason in place of figures", () => {
  const load = { name: "ws-echo", about: "echo", unit: "msg" };
  const result = summarise(load, { samples: [], failures: new Map([["turnpike", "no handshake"]]) }, "turnpike");
  expect(table(result)).toContain("msg/CPU-s");
  expect(table(result)).toContain("turnpike  FAILED: no handshake");
});
