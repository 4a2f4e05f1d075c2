import { expect, test } from "bun:test";
import { plainQuery } from "./plain-query.ts";

const CASES: readonly (readonly [query: string, plain: string])[] = [
  ["tide tables", "tide tables"],
  [`"high water" -harbour & <b> 東京 😀 #?=%`, `"high water" -harbour & <b> 東京 😀 #?=%`],
  ["C++ std::vector a != b what?", "C++ std::vector a = b what?"],
  ["!!g a", "g a"],
  ["a !g", "a g"],
  ["a g!", "a g"],
  ["!! !  !", ""],
  [":fr tides", "fr tides"],
  ["?news tides", "news tides"],
  ["<5 tides", "5 tides"],
  ["!:?<5 tides", "5 tides"],
  ["\\\\tides", "tides"],
  [`"!g" (!w)`, `"g" (w)`],
  ["a\u0000!!g\u001c:de\u0085!b\u2028!c\u00a0!d\t!e", "a g de b c d e"],
  ["site:example.com tides", "site example.com tides"],
  ["-SITE:example.com", "-SITE example.com"],
  ["site::fr", "site fr"],
  ["site:!!g", "site g"],
  ["allintitle:a filetype:pdf lang:de", "allintitle a filetype pdf lang de"],
  ["website:x", "website:x"],
  ["\ud800", "\ufffd"],
];

test.each(CASES)("%j becomes %j", (query, plain) => {
  expect(plainQuery(query)).toBe(plain);
  expect(plainQuery(plain)).toBe(plain);
});

test("long queries of commands take linear time", () => {
  for (const piece of ["!", "! ", ":", "<1", "site:", "!a", "\\"]) {
    expect(plainQuery(piece.repeat(20_000)).length).toBeLessThanOrEqual(160_000);
  }
});
