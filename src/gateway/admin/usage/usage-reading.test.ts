import { expect, test } from "bun:test";
import { type RouteUse, type UsageTotals } from "../../../store/usage-store.ts";
import { readingOf } from "./usage-reading.ts";

const COUNTS = { requestBytes: 1, responseBytes: 10, clientErrors: 1, serverErrors: 0 };
const TOLD = { request_bytes: 1, response_bytes: 10, client_errors: 1, server_errors: 0 };

function use(consumer: string, route: string, requests: number): RouteUse {
  return { consumer, route, requests, ...COUNTS, lastSeen: 1000 + requests };
}

const PAID = { network: "eip155:8453", asset: "0xa", payments: 1 };
const TOTALS: UsageTotals = {
  since: 5,
  sequence: 0,
  routes: [use("alice", "/a", 2), use("alice", "/b", 3), use("", "/a", 4), use("", "", 50)],
  upstreams: [{ upstream: "origin", requests: 7, ...COUNTS, lastSeen: 9 }],
  paid: [
    { consumer: "alice", route: "/a", ...PAID, amount: "90000000000000000001" },
    { consumer: "alice", route: "/b", ...PAID, amount: "1" },
    { consumer: "", route: "/b", ...PAID, asset: "0xb", amount: "5" },
  ],
};

test("a reading adds up by consumer, route and upstream, the most used first, and all others last", () => {
  const { body } = readingOf(TOTALS);
  const [alice, anonymous, other] = body.consumers;
  expect(alice).toEqual({
    name: "alice",
    requests: 5,
    request_bytes: 2,
    response_bytes: 20,
    client_errors: 2,
    server_errors: 0,
    last_seen_ms: 1003,
    payments: 2,
    amounts: [{ network: "eip155:8453", asset: "0xa", amount: "90000000000000000002" }],
  });
  expect(anonymous).toMatchObject({ name: "", anonymous: true, requests: 4, payments: 1 });
  expect(other).toMatchObject({ name: "", other: true, requests: 50, payments: 0, amounts: [] });
  expect(body.consumers).toHaveLength(3);
  expect(body.routes.map(({ route, requests, payments }) => [route, requests, payments])).toEqual([
    ["/a", 6, 1],
    ["/b", 3, 2],
    ["", 50, 0],
  ]);
  expect(body.routes[1]?.amounts).toHaveLength(2);
  expect(body.routes[2]).toMatchObject({ route: "", other: true });
  expect(body.upstreams).toEqual([{ upstream: "origin", requests: 7, ...TOLD, last_seen_ms: 9 }]);
  expect(body.since_ms).toBe(5);
});

test("usage that is not in the store yet is added", () => {
  const live = { routes: [use("alice", "/a", 10), use("bob", "/a", 1)], upstreams: [] };
  const reading = readingOf(TOTALS, live);
  expect(reading.body.consumers.map(({ name, requests }) => [name, requests])).toEqual([
    ["alice", 15],
    ["", 4],
    ["bob", 1],
    ["", 50],
  ]);
  const lines = reading.csv().trimEnd().split("\r\n").slice(1);
  expect(lines.map((line) => line.split(",").slice(0, 4).join(","))).toEqual([
    "alice,named,/a,12",
    ",anonymous,/a,4",
    "alice,named,/b,3",
    "bob,named,/a,1",
    ",anonymous,/b,0",
    ",other,,50",
  ]);
});
