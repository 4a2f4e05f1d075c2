import { describe, expect, test } from "bun:test";
import { Story } from "./story.ts";

const WIRE = Array.from(
  { length: 20 },
  (_, at) => `The harbour master said in sentence ${at} that ferry number ${at * 7} left at ${at} past noon.`,
).join(" ");
const OTHER = Array.from(
  { length: 20 },
  (_, at) => `Sentence ${at} of another paper tells of ${at * 3} cows, a fence and the weather of day ${at}.`,
).join(" ");

function same(a: string, b: string): boolean {
  const [first, second] = [new Story(a), new Story(b)];
  expect(first.isSameAs(second)).toBe(second.isSameAs(first));
  return first.isSameAs(second);
}

describe("one story", () => {
  test.each([
    ["itself", WIRE],
    ["with a paper's own words around it", `Our reporter adds this. ${WIRE} Subscribe to our paper.`],
    ["in other white space and marks", WIRE.replaceAll(" ", "\n ").replaceAll(".", " —").toUpperCase()],
    ["its first half", WIRE.slice(0, WIRE.length / 2)],
    ["within a longer page", `${OTHER} ${WIRE}`],
  ])("%s", (_, text) => expect(same(WIRE, text)).toBe(true));

  test("in a script without spaces", () => {
    const text = "港务局周一表示渡轮已于中午离港前往对岸并将在傍晚返回码头乘客可以凭票登船";
    expect(same(text, `本报讯${text}订阅本报`)).toBe(true);
    expect(same(text, "另一家报纸报道了完全不同的事情关于天气奶牛和篱笆以及昨天晚上的比赛结果如何")).toBe(false);
  });

  test("of a few words", () => expect(same("It left at noon.", "It left at noon")).toBe(true));
});

describe("two stories", () => {
  test.each([
    ["of different words", OTHER],
    ["with one sentence of the other", `${OTHER} ${WIRE.slice(0, 90)}`],
    ["of a few other words", "It left at one."],
    ["without words", ""],
  ])("%s", (_, text) => expect(same(WIRE, text)).toBe(false));

  test("if both have no words", () => expect(same("", "...")).toBe(false));
});

/** A text of numbered words: "w0 w1 w2". */
function words(from: number, to: number): string {
  return Array.from({ length: to - from }, (_, at) => `w${from + at}`).join(" ");
}

describe("of 17 words, which have 12 groups of six", () => {
  test.each<[isSame: boolean, text: string]>([
    [true, words(0, 17)],
    [true, `${words(0, 11)} ${words(100, 150)}`],
    [false, `${words(0, 10)} ${words(100, 150)}`],
    [true, `${words(100, 150)} ${words(6, 17)}`],
    [false, `${words(100, 150)} ${words(7, 17)}`],
  ])("%p: half of the groups are in %j", (isSame, text) => {
    expect(same(words(0, 17), text)).toBe(isSame);
  });

  test("one word fewer must be the whole text", () => {
    expect(same(words(0, 16), words(0, 16))).toBe(true);
    expect(same(words(0, 16), words(0, 50))).toBe(false);
  });
});
