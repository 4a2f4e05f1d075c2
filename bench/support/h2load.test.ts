import { expect, test } from "bun:test";
import { parseH2load } from "./h2load.ts";

const H2LOAD = `starting benchmark...
spawning thread #0: 16 total client(s). Timing-based test with 1s of warm-up time and 2s of main duration for measurements.
Main benchmark duration is started for all threads. Stopping all clients.

finished in 2.00s, 38616.50 req/s, 4.71MB/s
requests: 77233 total, 77233 started, 77233 done, 77230 succeeded, 2 failed, 1 errored, 0 timeout
status codes: 77231 2xx, 0 3xx, 0 4xx, 2 5xx
traffic: 9.43MB (9886336) total, 2.21MB (2317032) headers (space savings 92.32%), 5.23MB (5483543) data
                     min         max         mean         sd        +/- sd
time for request:      184us    157.43ms      6.58ms      9.39ms    92.15%
`;

test("h2load's text is read: counts, rate, errors of every kind, bytes of all bodies", () => {
  expect(parseH2load(H2LOAD)).toEqual({
    requests: 77_230,
    requestsPerSecond: 38_616.5,
    p50: Number.NaN,
    p99: Number.NaN,
    non2xx: 2,
    socketErrors: 1,
    bodyBytes: 5_483_543,
  });
});

test("text that is not a result of h2load is an error", () => {
  expect(() => parseH2load("unable to connect")).toThrow("Cannot read the response of h2load");
});
