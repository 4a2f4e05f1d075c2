import { expect, test } from "bun:test";
import { type JobState } from "../../../client/operations.ts";
import { USDC } from "../../../payments/testing/payment.ts";
import { costText, endText, progressText } from "./job-text.ts";

const STATE: JobState = {
  id: "j",
  state: "running",
  limit: 100,
  delivered: 40,
  failed: 2,
  known: 90,
  waiting: 48,
  bytes: 0,
  not_delivered: { duplicate: 1, "robots-forbidden": 5 },
  created_at: "",
};

test.each([
  [90, "[############..................] 40 of 100 pages, 2 failed, 48 addresses wait"],
  [57, "[####......] 40 of 100 pages, 2 failed, 48 addresses wait"],
  [50, "40 of 100 pages, 2 failed, 48 addresses wait"],
  [20, "40 of 100 pages, 2 f"],
  [-3, ""],
])("the progress fits %d columns", (columns, text) => {
  expect(progressText(STATE, columns)).toBe(text);
});

test("the end of a job names its reason, and what was not delivered, the most frequent first", () => {
  expect(endText({ ...STATE, state: "completed", reason: "limit", delivered: 100, waiting: 0 })).toBe(
    "completed (limit): 100 of 100 pages, 2 failed; not delivered: robots-forbidden 5, duplicate 1",
  );
  expect(endText({ ...STATE, state: "cancelled", failed: 0, waiting: 0, not_delivered: {} })).toBe(
    "cancelled: 40 of 100 pages",
  );
  const cost = { due: "205000", paid: "200000", quote: "500000", network: "eip155:84532", paid_pages: 40, open: true };
  expect(costText({ ...cost, asset: USDC })).toBe("$0.20 of at most $0.50");
  expect(costText({ ...cost, asset: "0x1" })).toBe("200000 of at most 500000 units of 0x1");
  expect(
    endText({ ...STATE, state: "completed", not_delivered: {}, cost: { ...cost, asset: USDC, transaction: "0xtx" } }),
  ).toContain("; paid $0.20 of at most $0.50 (transaction 0xtx)");
});
