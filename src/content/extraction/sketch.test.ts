import { expect, test } from "bun:test";
import { NEARLY_EQUAL, sketchOf } from "./sketch.ts";
import { parseTree } from "./tree/tree.ts";

const sketch = (html: string) => sketchOf(parseTree(`<!doctype html><body>${html}</body>`));
const shared = (a: string, b: string) => {
  const [one, other] = [sketch(a), sketch(b)];
  return one.filter((group, at) => group === other[at]).length;
};
const words = (seed: number, count: number) =>
  Array.from({ length: count }, (_, n) => `w${Math.imul(n + 1, 2 * seed + 1) >>> 16}`).join(" ");
const TEXT = words(7_919_777, 400);

test("a page with another counter, other links and another side column is nearly equal", () => {
  expect(shared(`<p>${TEXT}</p>`, `<nav>${words(3, 300)}</nav><p>${TEXT} 18 readers</p><aside>x</aside>`)).toBe(6);
  const other = TEXT.replace("w2", "w3");
  expect(shared(`<p>${TEXT}</p>`, `<p>${other}</p> <a href="/">${words(9, 200)}</a>`)).toBeGreaterThanOrEqual(
    NEARLY_EQUAL,
  );
});

const longer = (count: number) => shared(`<p>${TEXT}</p>`, `<p>${TEXT} ${words(5_551_119, count)}</p>`);

test("a page of 400 words with 8 further ones is nearly equal, and one with 16 is not", () => {
  expect(longer(8)).toBeGreaterThanOrEqual(NEARLY_EQUAL);
  expect(longer(16)).toBeLessThan(NEARLY_EQUAL);
});

test("pages that share half of their text, or the words in another order, are different", () => {
  expect(shared(`<p>${TEXT}</p>`, `<p>${TEXT}</p><p>${words(5_551_119, 400)}</p>`)).toBeLessThan(NEARLY_EQUAL);
  expect(shared(`<p>${TEXT}</p>`, `<p>${TEXT.split(" ").toReversed().join(" ")}</p>`)).toBe(0);
});

test("a page with few words has no sketch, and characters are words where a script has no spaces", () => {
  expect(sketch(`<p>${words(3, 49)}</p>`)).toEqual([]);
  expect(sketch(`<p>${words(3, 50)}</p>`)).toHaveLength(6);
  const tide = "\u6f6e\u6c50\u6bcf\u5929\u4e24\u6b21".repeat(9);
  expect(sketch(`<p>${tide}</p>`)).toHaveLength(6);
});

test("a long page and a deep one take little time", () => {
  expect(sketch(`<p>${words(11, 300_000)}</p>`)).toHaveLength(6);
  expect(sketch(`${"<b>".repeat(5_000)}${TEXT}`)).toHaveLength(6);
});

test("a text keeps its sketch, because a crawl that goes on compares it with those of earlier pages", () => {
  expect(sketch(`<p>${words(3, 60)} <b>${words(5, 9)}</b></p>`)).toEqual(
    "2u7iqyohctbb6 2bmpwtn19ftvg 38palv79jn57k 2d1l3o56pt8ci uauzhyz7b6t1 kvq3qmixri15".split(" "),
  );
});
