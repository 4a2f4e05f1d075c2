import { expect, test } from "bun:test";
import { type HookState } from "../../store/jobs/hook-store.ts";
import { type Job } from "../../store/jobs/job-store.ts";
import { operatorState, stateOf } from "./job-state.ts";
import { saleText } from "./sale.ts";
import { SITEMAPS_KIND } from "./scope.ts";

const AT = Date.UTC(2026, 5, 1);

const jobOf = (change: Partial<Job> = {}): Job => ({
  id: "job",
  secretHash: "",
  payer: "0xpayer",
  order: JSON.stringify({ operation: "crawl", input: { urls: ["https://a.example/", "https://b.example/"] } }),
  limit: 10,
  maxKnown: 100,
  maxRunMs: 1_000,
  keptMs: 60_000,
  sale: "",
  number: 1,
  state: "running",
  reason: "",
  known: 9,
  open: 4,
  delivered: 3,
  saved: 0,
  payment: "none",
  paidThrough: 0,
  paid: "0",
  transaction: "",
  results: 5,
  bytes: 700,
  createdAt: AT,
  endedAt: 0,
  kinds: { [SITEMAPS_KIND]: 2, duplicate: 1 },
  ...change,
});

/** A job that costs 100 for each page. `capped`: its client allowed a lower price than that of its limit. */
const sold = (change: Partial<Job> = {}, capped?: boolean) =>
  jobOf({
    sale: saleText({ quote: "1000", asset: "0xasset", network: "eip155:1", capped }, "key"),
    payment: "open",
    ...change,
  });

test("a job that runs has its counts, and waits for storage if the store is full", () => {
  const state = {
    id: "job",
    state: "running",
    limit: 10,
    delivered: 3,
    failed: 2,
    known: 9,
    waiting: 4,
    bytes: 700,
    not_delivered: { duplicate: 1 },
    created_at: "2026-06-01T00:00:00.000Z",
  } as const;
  expect(stateOf(jobOf())).toEqual(state);
  expect(stateOf(jobOf(), { isFull: true })).toEqual({ ...state, waits_for: "storage" });
});

test("a job that has ended has the reason, the time at which its results go, and nothing that it waits for", () => {
  const state = stateOf(jobOf({ state: "failed", reason: "time", endedAt: AT + 1_000 }), { isFull: true });
  expect(state).toMatchObject({ state: "failed", reason: "time", waiting: 0 });
  expect([state.ended_at, state.expires_at]).toEqual(["2026-06-01T00:00:01.000Z", "2026-06-01T00:01:01.000Z"]);
  expect(state).not.toHaveProperty("waits_for");
});

test.each([
  ["limit", true, "max-price"],
  ["limit", false, "limit"],
  ["limit", undefined, "limit"],
  ["time", true, "time"],
] as const)("the reason %p of a job whose price is bounded (%p) is %p", (reason, capped, expected) => {
  expect(stateOf(sold({ state: "completed", reason }, capped)).reason).toBe(expected);
});

test.each([
  ["of which nothing is paid", {}, { due: "300", paid: "0", paid_pages: 0, open: true }],
  ["of which a part is paid", { paid: "200", paidThrough: 2 }, { due: "300", paid_pages: 2, open: true }],
  // The price of a page from the cache was lower than that for which the payment counts.
  ["that is paid", { paid: "300", paidThrough: 2, payment: "closed" }, { paid_pages: 3, open: false }],
  ["that has delivered less than was paid", { paid: "900", paidThrough: 9 }, { due: "300", paid_pages: 3 }],
  ["with pages from the cache", { saved: 80, paid: "200", paidThrough: 9 }, { due: "220", saved: "80", paid_pages: 3 }],
  ["that a transaction has paid", { paid: "300", transaction: "0xtx" }, { transaction: "0xtx", paid_pages: 3 }],
] as const)("the cost of a job %s", (_what, change, cost) => {
  const said = stateOf(sold(change)).cost;
  expect(said).toMatchObject({ quote: "1000", asset: "0xasset", network: "eip155:1", ...cost });
  expect([said?.saved, said?.transaction]).toEqual([
    "saved" in cost ? cost.saved : undefined,
    "transaction" in cost ? cost.transaction : undefined,
  ]);
});

test.each([
  [
    { tries: 0, isOver: false },
    { state: "sending", sent: 2 },
  ],
  [
    { tries: 0, isOver: true },
    { state: "done", sent: 2 },
  ],
  [
    { tries: 1, isOver: false },
    { state: "failing", sent: 2, failure: "f", failing_since: "2026-06-01T00:00:00.000Z" },
  ],
  [
    { tries: 1, isOver: true },
    { state: "given-up", sent: 2, failure: "f", failing_since: "2026-06-01T00:00:00.000Z" },
  ],
] as const)("a webhook with %j is %j", (change, webhook) => {
  const hook: HookState = { sent: 2, failure: "f", failingSince: AT, ...change };
  expect(stateOf(jobOf(), { hook }).webhook).toEqual(webhook);
});

test("an operator sees the operation, its first address and who pays, also of an order of a later version", () => {
  expect(operatorState(jobOf(), true)).toMatchObject({
    operation: "crawl",
    start: "https://a.example/",
    starts: 2,
    payer: "0xpayer",
    waits_for: "storage",
  });
  for (const order of ["{", "{}", '{"operation":"crawl","input":{"urls":[]}}'])
    expect(operatorState(jobOf({ order }), false)).toMatchObject({ start: "", starts: 0 });
});
