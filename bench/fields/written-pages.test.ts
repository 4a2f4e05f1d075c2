import { expect, test } from "bun:test";
import { planOf } from "../../src/content/extraction/schema-fields/field-plan.ts";
import { fieldsOf } from "../../src/content/extraction/schema-fields/fields-of.ts";
import { parseTree } from "../../src/content/extraction/tree/tree.ts";
import { compare, writtenPages } from "./written-pages.ts";

test("no value of a written page is wrong, and three of four values are found", () => {
  let [stated, right] = [0, 0];
  const wrong: string[] = [];
  for (const page of writtenPages()) {
    const { value } = fieldsOf({ tree: parseTree(page.html), url: page.url }, planOf(page.schema));
    const found = compare(value, page.truth);
    stated += found.stated;
    right += found.right;
    wrong.push(...found.wrong.map((one) => `${page.name}: ${one}`));
  }
  expect(wrong).toEqual([]);
  expect(right / stated).toBeGreaterThan(0.75);
});

test("a value is right if it is one of several right ones, and wrong if it is another or has no place in the truth", () => {
  const truth = { a: { $any: ["x", "y"] }, b: null, c: [1, 2], d: [{ e: 1 }] };
  const own = { a: "y", b: 5, c: [1], d: [{ e: 1 }, { e: 2 }] };
  const { stated, right, wrong } = compare(own, truth);
  expect({ stated, right }).toEqual({ stated: 3, right: 2 });
  expect(wrong.map((one) => one.split(" ")[0])).toEqual(["/b", "/c", "/d/1/e"]);
  expect(compare({}, truth).missing).toEqual(["/a", "/c", "/d/0/e"]);
});
