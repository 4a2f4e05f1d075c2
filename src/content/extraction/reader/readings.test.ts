import { describe, expect, test } from "bun:test";
import { READINGS_FILE, readingOf, recordedPages } from "../../../../bench/reader-record.ts";

const record = new Map(
  (await Bun.file(new URL(`../../../../${READINGS_FILE}`, import.meta.url)).text())
    .trimEnd()
    .split("\n")
    .map((line) => [line.slice(0, line.indexOf(":")), line] as const),
);

/** A change of the reader changes the record in the same commit: `scripts/generate.ts` writes it. */
describe("the reading of a made page is the recorded one", () => {
  test.each(recordedPages().map((page) => [page.name, page] as const))("%s", (name, page) => {
    expect(readingOf(page)).toBe(record.get(name) ?? "");
  });
});

test("the record has each page", () => {
  expect([...record.keys()]).toEqual(recordedPages().map(({ name }) => name));
});
