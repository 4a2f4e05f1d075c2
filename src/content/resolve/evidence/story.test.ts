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
