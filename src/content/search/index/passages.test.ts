import { expect, test } from "bun:test";
import { HEADING_MARK as H } from "../../extraction/plain-text.ts";
import { type Passage, passagesOf } from "./passages.ts";

const p = (text: string, heading = ""): Passage => ({ text, heading });

test.each<[what: string, text: string, passages: readonly Passage[]]>([
  ["an empty text", "", [p("")]],
  ["a text as long as a passage", "0123456789", [p("0123456789")]],
  ["a word that is longer than a passage", "0123456789abc", [p("0123456789"), p("abc")]],
  ["words, cut before the last one that does not fit", "one two four", [p("one two"), p(" four")]],
  ["words that end with the passage", "one two456 x", [p("one two456"), p(" x")]],
  ["a space in the first half, at which nothing is cut", "one 56789abcdef", [p("one 56789a"), p("bcdef")]],
  ["a space in the middle, at which nothing is cut either", "01234 6789abcdef", [p("01234 6789"), p("abcdef")]],
  ["a space after the middle", "012345 789abcdef", [p("012345"), p(" 789abcdef")]],
  ["sections that share a passage", `ab${H}A\nx`, [p("ab\nA\nx", " A")]],
  ["sections that are too long to share one", `abcd${H}A\nx`, [p("abcd"), p("A\nx", "A")]],
  ["sections of one heading", `${H}A\nx${H}A\ny`, [p("\nA\nx", " A"), p("A\ny", "A")]],
  ["a section that is cut", `${H}Title\n0123456789`, [p(""), p("Title\n0123", "Title"), p("456789", "Title")]],
])("%s", (_what, text, passages) => {
  expect(passagesOf(text, 10)).toEqual([...passages]);
});

test("a heading is indexed up to 200 characters, and a page up to a thousand passages", () => {
  const [, last] = passagesOf(`0123456789${H}${"t".repeat(201)}\nx`, 10);
  expect(last?.heading).toBe("t".repeat(200));
  expect(passagesOf("0123456789".repeat(1001), 10).length).toBe(1000);
});

test("short sections of one heading name it once", () => {
  expect(passagesOf(`${H}A\nx${H}A\ny`, 20)).toEqual([p("\nA\nx\nA\ny", " A A")]);
});
