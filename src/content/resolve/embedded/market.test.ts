import { describe, expect, test } from "bun:test";
import { openQuestions, RECORD_FILE, recordOf } from "../../../../bench/resolve/market-record.ts";

const record = new Map(
  (await Bun.file(new URL(`../../../../${RECORD_FILE}`, import.meta.url)).text())
    .trimEnd()
    .split("\n")
    .map((line) => [line.slice(0, line.indexOf(":")), line] as const),
);

/** A change of the analyst changes the record in the same commit: `scripts/generate.ts` writes it. */
describe("the verdict on a market question is the recorded one", () => {
  test.each(openQuestions().map((question) => [question.id, question] as const))("%s", async (id, question) => {
    expect(await recordOf(question)).toBe(record.get(id) ?? "");
  });
});

test("no firm verdict in the record is wrong", () => {
  expect(record.size).toBe(openQuestions().length);
  expect([...record.values()].filter((line) => line.endsWith("firm wrong"))).toEqual([]);
});
