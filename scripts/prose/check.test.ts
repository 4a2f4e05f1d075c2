import { describe, expect, test } from "bun:test";
import { checkProse } from "./check.ts";

function rulesIn(text: string, path = "page.md"): string[] {
  return checkProse(path, text).map(({ line, rule }) => `${line} ${rule}`);
}

const LONG = Array.from({ length: 31 }, () => "word").join(" or ");

describe("a sentence is objected to when", () => {
  const cases: readonly (readonly [sentence: string, rule: string])[] = [
    ["What no route takes runs at once.", "clause-subject"],
    ["Whoever pays twice is refused.", "vague-person"],
    ["The key is such that nobody reads it.", "vague-person"],
    ["A bucket holds so many tokens.", "archaic"],
    ["Such a one is refused.", "archaic"],
    ["The address is none.", "archaic"],
    ["Files are no data.", "archaic"],
    ["It takes a proxy of yours.", "archaic"],
    ["The client is told the price.", "passive-telling"],
    ["The keys cannot be had.", "passive-telling"],
    ["The client sends it where there is room for him.", "person-for-program"],
    ["It is used where there is no cache.", "where-for-if"],
    ["The time-out is 5 s.", "spelling"],
    ["The gateway holds the answer.", "term"],
    [`It takes a ${LONG}.`, "long-sentence"],
  ];
  for (const [sentence, rule] of cases) {
    test(`"${sentence.slice(0, 50)}"`, () => {
      expect(rulesIn(sentence)).toContain(`1 ${rule}`);
    });
  }
});

test("plain sentences, questions, headings and answers to questions pass", () => {
  const text = `# What a route needs

The gateway closes the connection. What does it cost? The folder where the state is kept has mode 0700.
\`/resolve\` answers the question.
`;
  expect(rulesIn(text)).toEqual([]);
});

test("code counts as one word, and its words are not judged", () => {
  expect(rulesIn(`It takes ${Array.from({ length: 14 }, () => "`nobody and nobody`").join(" and ")}.`)).toEqual([]);
  expect(rulesIn("```sh\necho nobody\n```\n")).toEqual([]);
});

test("table cells, list items and words that stand twice are found at their places", () => {
  const text = "| Key | Use |\n| --- | --- |\n| `a` | for nobody |\n\n- It is is here.\n";
  expect(checkProse("page.md", text)).toEqual([
    { line: 3, column: 13, rule: "vague-person", message: expect.stringContaining("nobody") },
    { line: 5, column: 6, rule: "repeated-word", message: expect.stringContaining("is") },
  ]);
});

test("comments and error texts of TypeScript are judged, code is not", () => {
  const source = `/**
 * Nobody reads \`nobody\`.
 * @param nobody
 */
export const nobody = "nobody";
// A long comment that goes on
// where there is no end.
throw new Error(\`Cannot open \${nobody}: the time-out is over\`);
query("SELECT name, bytes FROM answers WHERE name = ?");
`;
  expect(rulesIn(source, "file.ts")).toEqual(["2 vague-person", "3 vague-person", "7 where-for-if", "8 spelling"]);
});
