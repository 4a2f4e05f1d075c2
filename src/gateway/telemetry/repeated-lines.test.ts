import { beforeEach, expect, test } from "bun:test";
import { countedLine, MAX_CAUSES, RepeatedLines } from "./repeated-lines.ts";

const OPEN = "payment: cannot verify on /a: its circuit breaker is open";
const ID = "0123456789abcdef";
let now = 0;
let written: string[] = [];
let lines: RepeatedLines;

beforeEach(() => {
  now = 0;
  written = [];
  lines = new RepeatedLines((text, repeats) => void written.push(countedLine(text, repeats)), { now: () => now });
});

test("a line passes at once, and its repeats are counted in windows that grow from 5 s to a minute", () => {
  for (; now < 300_000; now += 100) {
    lines.add(OPEN);
    lines.tick();
  }
  expect(written[0]).toBe(OPEN);
  expect(written.slice(1).map((line) => line.slice(OPEN.length))).toEqual([
    " (50 more times in 5 s)",
    " (100 more times in 10 s)",
    " (200 more times in 20 s)",
    " (400 more times in 40 s)",
    " (600 more times in 60 s)",
    " (600 more times in 60 s)",
    " (600 more times in 60 s)",
  ]);
});

test("a line that was not repeated in a window is new", () => {
  lines.add("one");
  lines.add("two");
  lines.add("two");
  now = 5000;
  lines.tick();
  lines.add("one");
  expect(written).toEqual(["one", "two", "two (once more in 5 s)", "one"]);
});

const PAIRS: readonly [string, string, isSame: boolean][] = [
  [`filter "f": request ${ID} fails`, `filter "f": request ${ID.replace("0", "f")} fails`, true],
  [`settled by 0x${ID.repeat(4)}`, `settled by 0x${ID.repeat(4).replace("0", "1")}`, true],
  ["it works again after 1 failure in 2 s", "it works again after 8 failures in 3 s", true],
  ['upstream "u": server 127.0.0.1:80 is unhealthy', 'upstream "u": server 127.0.0.1:81 is unhealthy', false],
  ["Cannot verify on /a", "Cannot verify on /b", false],
];

for (const [one, other, isSame] of PAIRS) {
  test(`${JSON.stringify(other)} ${isSame ? "repeats" : "does not repeat"} ${JSON.stringify(one)}`, () => {
    lines.add(one);
    lines.add(other);
    expect(written).toEqual(isSame ? [one] : [one, other]);
  });
}

test("the lines of several workers are counted together", () => {
  lines.add(OPEN, 1, 1);
  lines.add(OPEN, 1, 2);
  lines.add(OPEN, 99, 2);
  lines.flush();
  expect(written.map((line) => line.replace(OPEN, ""))).toEqual(["", " (100 more times in 1 s)"]);
});

test("lines of many causes share one count, and their text is left out", () => {
  for (let i = 0; i < 10_000; i++) lines.add(`Cannot use the socket "${i}"`);
  expect(written).toHaveLength(MAX_CAUSES + 1);
  now = 5000;
  lines.tick();
  expect(written.at(-1)).toBe(`lines of further causes are left out (${9999 - MAX_CAUSES} more times in 5 s)`);
  now = 20_000;
  lines.tick();
  lines.add("new");
  expect(written.at(-1)).toBe("new");
});
