import { expect, test } from "bun:test";
import { outcomesOf } from "./filter-outcomes.ts";

test("the outcomes of all phases are added up, and those that are not fine are failures", () => {
  const invocations = [
    ...["allow", "modify", "unchanged", "gone"].map((outcome) => ({ outcome, count: 1 })),
    { outcome: "reject", count: 2 },
    { outcome: "reject", count: 3 },
    { outcome: "park", count: 7 },
    { outcome: "fuel", count: 11 },
    { outcome: "trap", count: 13 },
    { outcome: "fuel", count: 17 },
  ];
  expect(outcomesOf({ invocations })).toEqual({
    all: 57,
    rejected: 5,
    parked: 7,
    failures: [
      ["fuel", 28],
      ["trap", 13],
    ],
  });
  expect(outcomesOf({ invocations: [] })).toEqual({ all: 0, rejected: 0, parked: 0, failures: [] });
});
