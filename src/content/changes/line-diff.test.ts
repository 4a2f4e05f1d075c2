import { expect, test } from "bun:test";
import fc from "fast-check";
import { lineDiff } from "./line-diff.ts";

const lines = (from: number, count: number) => Array.from({ length: count }, (_, n) => `line ${from + n}`).join("\n");

/** The text that a unified diff makes of another. Throws if they do not fit. */
function patched(text: string, diff: string): string {
  const old = text.split("\n");
  const now: string[] = [];
  let at = 0;
  for (const line of diff.split("\n").slice(0, -1)) {
    const [, from, count] = /^@@ -(\d+),(\d+) \+\d+,\d+ @@$/.exec(line) ?? [];
    if (from !== undefined) {
      const start = Number(from) - (count === "0" ? 0 : 1);
      now.push(...old.slice(at, start));
      at = start;
      continue;
    }
    if (line[0] !== "+" && old[at++] !== line.slice(1)) throw new Error(`line ${at} differs: ${line}`);
    if (line[0] !== "-") now.push(line.slice(1));
  }
  return [...now, ...old.slice(at)].join("\n");
}

test("shows removed and added lines between lines that are the same", () => {
  const old = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm";
  const now = "a\nb\nc\nd\nE\nf\ng\nh\ni\nj\nk\nl\nnew\nm";
  expect(lineDiff(old, now)).toEqual({
    diff: "@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n@@ -10,4 +10,5 @@\n j\n k\n l\n+new\n m\n",
    isCut: false,
  });
  expect(lineDiff(old, old)).toEqual({ diff: "", isCut: false });
});

test("a diff makes the new text of the old one", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", "", "-", "+x", "@@"), { maxLength: 40 })
    .map((all) => all.join("\n"));
  fc.assert(
    fc.property(text, text, (old, now) => patched(old, lineDiff(old, now).diff) === now),
    { numRuns: 2_000 },
  );
});

test("a text with many changes is replaced as a whole, and a long diff is cut after a line", () => {
  const [old, now] = [`start\n${lines(0, 1_200)}\nend`, `start\n${lines(5_000, 1_200)}\nend`];
  const { diff } = lineDiff(old, now);
  expect(diff).toStartWith("@@ -1,1202 +1,1202 @@\n start\n-line 0\n-line 1\n");
  expect(patched(old, diff)).toBe(now);
  const long = lineDiff("a", lines(0, 50_000));
  expect(long.isCut).toBe(true);
  expect(long.diff.length).toBeLessThanOrEqual(200_000);
  expect(long.diff).toEndWith("\n");
});
