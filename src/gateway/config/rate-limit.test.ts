import { expect, test } from "bun:test";
import { loadValue } from "./load.ts";

function problemsOf(rate_limit: object): string[] {
  const { problems } = loadValue({
    upstreams: [{ name: "a", servers: [{ address: "127.0.0.1", port: 1 }] }],
    routes: [{ path_prefix: "/", upstream: "a", rate_limit }],
  });
  return problems.map(({ path, message }) => `${path}: ${message}`);
}

test("a bucket that fills in three days is accepted, and a slower one is refused", () => {
  expect(problemsOf({ requests_per_second: 1, burst_size: 259_200 })).toEqual([]);
  expect(problemsOf({ requests_per_second: 1, burst_size: 259_201 })).toEqual([
    "routes[0].rate_limit.burst_size: expected at most the tokens of three days (259200), found 259201",
  ]);
  expect(problemsOf({ requests_per_second: 0.0001, burst_size: 25 })).toEqual([]);
  expect(problemsOf({ requests_per_second: 0.00001, burst_size: 1 })).not.toEqual([]);
});
