import { expect, test } from "bun:test";
import { summaryForms, summaryOf } from "./summary.ts";

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

test("the text of a summary is beside it on request, up to 200,000 characters", () => {
  expect(summaryForms("one two", { title: "" })).toEqual({ summary: "one two" });
  expect(summaryForms("one two", { title: "", withText: true })).toEqual({
    summary: "one two",
    summaryText: "one two",
  });
  expect(summaryForms("x".repeat(200_001), { title: "", withText: true }).summaryText).toHaveLength(200_000);
});

const sentence = (length: number, end = "."): string =>
  `T${"his is a line about a harbour ".repeat(20).slice(0, length - 2)}${end}`;

test.each<[string, string, boolean]>([
  ["40 characters", sentence(40), true],
  ["39 characters", sentence(39), false],
  ["400 characters", sentence(400), true],
  ["401 characters", sentence(401), false],
  ["a question mark", sentence(50, "?"), true],
  ["a quotation mark behind its end", `${sentence(50)}”`, true],
  ["no mark at its end", sentence(50, "x"), false],
  ["a tab", `${sentence(50)}\t${sentence(50)}`, false],
])("a sentence with %s can stand in a summary: %p", (_what, text, isSo) => {
  const other = "Another short sentence tells of ships, pilots and lights at night.";
  expect(summaryOf(`${other}\n${text}`, "").includes(text.slice(0, 39))).toBe(isSo);
});

test("a summary has at most five sentences and 700 characters", () => {
  const nouns = ["harbour", "lantern", "village", "teacher", "kitchen", "library", "railway"];
  const lines = nouns.map(
    (noun) => `T${noun} ${["ville", "ish", "er", "ed", "ing"].map((end) => noun + end).join(" ")}.`,
  );
  expect(summaryOf(lines.join("\n"), "").split(/(?<=\.) /)).toHaveLength(5);
  const long = nouns.map((noun) => `The ${noun} ${`${noun}s `.repeat(30)}was painted.`);
  expect(summaryOf(long.join("\n"), "").length).toBeLessThanOrEqual(700);
});
