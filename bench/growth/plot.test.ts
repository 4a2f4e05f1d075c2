import { expect, test } from "bun:test";
import { plotSvg } from "./plot.ts";

test("a plot has a line, dots and a name for each program, within its frame", () => {
  const lines = [
    {
      name: "one",
      points: [
        [1, 10],
        [10, 20],
        [100, 45],
      ],
    },
    {
      name: "two",
      points: [
        [1, 12],
        [100, 12],
      ],
    },
  ] as const;
  const svg = plotSvg({ title: "Growth", x: "routes", y: "microseconds", lines });
  expect(svg.match(/<circle/g)).toHaveLength(5);
  expect(svg.match(/<path/g)).toHaveLength(2);
  const heights = [...svg.matchAll(/cy="([\d.]+)"/g)].map(([, y]) => Number(y));
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(40);
  expect(Math.max(...heights)).toBeLessThanOrEqual(256);
  // The largest value is at or below the topmost horizontal line, which is 50.
  expect(svg).toContain(">50</text>");
  expect(svg).toContain("prefers-color-scheme: dark");
});

test("the names of lines that end at one value stand apart", () => {
  const lines = ["one", "two"].map((name) => ({ name, points: [[1, 5] as const, [10, 9] as const] }));
  const svg = plotSvg({ title: "Growth", x: "routes", y: "microseconds", lines });
  const [first = 0, second = 0] = [...svg.matchAll(/<text class="name\d" x="[\d.]+" y="([\d.]+)"/g)].map(([, y]) =>
    Number(y),
  );
  expect(Math.abs(first - second)).toBeCloseTo(16);
});
