import { expect, test } from "bun:test";
import { summaryOf } from "./summary.ts";

const LINES = [
  "Menu",
  "The city council has decided to build a new tram line to the harbour. The line costs 40 million euros.",
  "Dr. Smith, who plans the tram line, expects 12,000 passengers on each working day of the week.",
  "The weather in the city was mild, and many people walked along the river in the afternoon.",
  "Work on the tram line to the harbour begins in March and ends after about three years.",
  "Read more about this topic",
];

test("a summary has whole sentences of the text in their order", () => {
  const summary = summaryOf(LINES.join("\n"), "New tram line to the harbour", "en");
  const places = summary.split(/(?<=[a-z]\.) (?=[A-Z])/).map((sentence) => LINES.join("\n").indexOf(sentence));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(summary).toContain("The city council has decided to build a new tram line to the harbour.");
  expect(summary).toContain("Dr. Smith, who plans the tram line");
  expect(summary).not.toMatch(/Menu|Read more/);
});

test("a repeated sentence is there once, and a long text has a short summary", () => {
  const [, line = ""] = LINES;
  expect(summaryOf(`${line}\n${line}\n${line}`, "").match(/city council/g)).toHaveLength(1);
  const long = Array.from(
    { length: 3_000 },
    (_, at) => `Sentence number ${at} of this long text says something about item${at}.`,
  );
  expect(summaryOf(long.join("\n"), "Items").length).toBeLessThan(750);
});

test("a text without sentences gives its beginning, and one in Japanese its sentences", () => {
  expect(summaryOf("one two three", "")).toBe("one two three");
  const japanese = "この都市は港への新しい路面電車の路線を建設することを決定したと市議会が発表したという報告がある。";
  expect(summaryOf(`${japanese}\n見出し`, "", "ja")).toBe(japanese);
  expect(summaryOf(`${LINES[1]}`, "", "no-such language!")).toContain("tram line");
});
