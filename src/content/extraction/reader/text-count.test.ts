import { describe, expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { hashOf, TextCount } from "./text-count.ts";
import { bodyOf, countWords, shortText, wordsIn } from "./words.ts";

function countOf(text: string, inLink = false): TextCount {
  const count = new TextCount();
  count.add(text, inLink);
  count.end();
  return count;
}

describe("a text has", () => {
  test.each<[string, Partial<TextCount>]>([
    ["", { words: 0, characters: 0, letters: 0, sentences: 0, endsSentence: false }],
    ["Two words", { words: 2, characters: 8, letters: 8, capitals: 1, sentences: 0 }],
    ["  two\n\twords  ", { words: 2, characters: 8 }],
    ["It ends.", { sentences: 1, endsSentence: true }],
    ["It ends. ", { sentences: 1, endsSentence: true }],
    ["It ends...", { sentences: 1, endsSentence: true, characters: 9 }],
    ["One. Two! Three?", { sentences: 3, words: 3 }],
    ["Version 1.5 of a.b", { sentences: 0, words: 6, digits: 2, endsSentence: false }],
    ["It ends.Now", { sentences: 0 }],
    ["结束。现在。", { sentences: 2, words: 2, letters: 4 }],
    ["It ends.” Now", { sentences: 1, words: 3 }],
    ["a, b; c: d", { commas: 3, words: 4 }],
    ["€5, $6.50 and 7", { currencies: 2, digits: 5, commas: 1, words: 5 }],
    ["ABC Def gHI Äh", { capitals: 3, words: 4 }],
    ["a1b 22", { digits: 3, letters: 5, words: 2 }],
    ["日本語", { words: 1.5, letters: 3 }],
    ["日本 go", { words: 2 }],
    ["😀", { words: 0, characters: 2, letters: 0 }],
    ["é", { words: 1, letters: 1 }],
  ])("%j: %j", (text, expected) => {
    expect(countOf(text)).toMatchObject(expected);
  });

  test("the words of its links", () => {
    const count = new TextCount();
    count.add("one two ", false);
    count.add("three four five", true);
    count.add(" six", false);
    expect([count.words, count.linkWords]).toEqual([6, 3]);
  });

  test("a word that goes on in the next piece", () => {
    const count = new TextCount();
    count.add("on", false);
    count.add("e", true);
    expect([count.words, count.linkWords]).toEqual([1, 0]);
  });

  test("the hashes of its words in small letters, without numbers", () => {
    const { hashes, last } = countOf("One 12 a1 TWO.");
    expect(hashes).toEqual(["one", "two"].map((word) => countOf(word).last));
    expect(last).toBe(countOf("two").last);
    expect(countOf("one").last).not.toBe(last);
    expect(countOf("12").last).toBe(0);
    expect(countOf("x 12").last).toBe(countOf("x").last);
  });

  test("the hashes of its first words", () => {
    expect(countOf("word ".repeat(101)).hashes).toHaveLength(100);
  });

  test("no last word before it ends", () => {
    const count = new TextCount();
    count.add("one two", false);
    expect(count.last).toBe(countOf("one").last);
    count.end();
    count.end();
    expect(count.hashes).toHaveLength(2);
  });

  test("the same hash with other spaces, signs, capitals and digits", () => {
    const same = ["Page 1 of 20", "page 2  of 35!", "PAGE 9, of 71"].map((text) => countOf(text).hash);
    expect(new Set(same).size).toBe(1);
    expect(countOf("page 10 of 20").hash).not.toBe(same[0] as number);
    expect(countOf("pa ge").hash).not.toBe(countOf("page").hash);
    expect(hashOf("ab")).not.toBe(hashOf("ba"));
    expect(hashOf("")).toBe(0x811c9dc5);
  });
});

describe("the words of a text are counted", () => {
  test.each<[string, number]>([
    ["", 0],
    ["one two\u00a0three\u3000four\u2009five\u200bsix", 6],
    ["one-two, three.", 2],
    ["日本go日 go", 5],
    ["ぁー", 2],
    ["㐀䶿", 2],
    ["一鿿", 2],
    ["豈\ufaff", 2],
    ["ก\u0eff", 2],
    ["កឳ", 2],
    ["က႟", 2],
    ["한국어 말", 2],
    ["\u1fff\u200c", 1],
    ["\u0e00 \u3040 \u3100 \u33ff \u4dc0 \ua000 \uf8ff \ufb00 \u0f00 \u177f \u17b4 \u0fff \u10a0", 13],
  ])("in %j: %d", (text, count) => {
    expect(countWords(text)).toBe(count);
  });

  test("in all texts of a tree", () => {
    expect(wordsIn(parseTree("<title>a b</title><p>c<b>d</b> e"))).toBe(5);
  });
});

const textOf = (html: string, most = 20) => shortText(bodyOf(parseTree(html)), most);

describe("a short text is in one line", () => {
  test.each<[string, string, string | undefined]>([
    ["with spaces between blocks", "a<p>b</p>c<div>d</div>", "a b c d"],
    ["with spaces for breaks", "a<br>b", "a b"],
    ["without spaces for other elements", "a<b>b</b><i>c</i>", "abc"],
    ["with one space for several", " a \n b ", "a b"],
    ["of 20 characters", `<p>${"x".repeat(20)}</p>`, "x".repeat(20)],
    ["not of 21 characters", `<p>${"x".repeat(21)}</p>`, undefined],
    ["of 20 characters without the spaces around texts", `${" ".repeat(20)}<b> ${"x".repeat(20)} </b>`, "x".repeat(20)],
    ["not of several texts that are too long", `${"x".repeat(15)}<b>${"x".repeat(6)}</b>`, undefined],
    ["of 500 nodes", `a${"<b></b>".repeat(498)}`, "a"],
    ["not of more nodes", `a${"<b></b>".repeat(499)}`, undefined],
  ])("%s", (_what, html, text) => {
    expect(textOf(html)).toBe(text as string);
  });
});

test("the body of a document is its body, or the document", () => {
  expect(Reflect.get(bodyOf(parseTree("<p>a")), "name")).toBe("body");
  expect(Reflect.get(bodyOf(parseTree("<frameset>")), "name")).not.toBe("body");
});
