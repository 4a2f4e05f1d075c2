import { describe, expect, test } from "bun:test";
import { passagesOf } from "./passages.ts";
import { planOf } from "./plan.ts";

const PLAN = planOf("Did Arsenal win the Vale Cup in 2026?", "", Date.UTC(2026, 8, 28));

function passagesIn(text: string, isLeftOut?: (sentence: string) => boolean, title = "") {
  const source = { url: "https://news.test/", title, text, published: undefined, language: "en", isHint: false };
  return passagesOf(PLAN, source, isLeftOut);
}

const textsIn = (text: string): readonly string[] => passagesIn(text).map((passage) => passage.text);

describe("a sentence ends", () => {
  test.each([
    ["at a full stop", "Arsenal won. Arsenal lost.", ["Arsenal won.", "Arsenal lost."]],
    ["behind a quotation", "“Arsenal won.” Arsenal lost.", ["“Arsenal won.”", "Arsenal lost."]],
    ["in a script without spaces", "Arsenal赢了。Arsenal输了。", ["Arsenal赢了。", "Arsenal输了。"]],
    ["at an empty line", "Arsenal won\n\nArsenal lost", ["Arsenal won", "Arsenal lost"]],
    ["with a short line", "Arsenal won\nArsenal lost", ["Arsenal won", "Arsenal lost"]],
    [
      "before an item of a list",
      `Arsenal ${"x".repeat(60)}\n- Arsenal lost`,
      [`Arsenal ${"x".repeat(60)}`, "Arsenal lost"],
    ],
    ["after 700 characters", `Arsenal ${"x".repeat(700)}`, [`Arsenal ${"x".repeat(692)}`, "x".repeat(8)]],
  ])("%s", (_where, text, sentences) => {
    expect(textsIn(text)).toEqual(sentences);
  });

  test.each([
    ["in a wrapped line", `Arsenal ${"x".repeat(60)}\nwon the cup.`],
    ["after an abbreviation", "Arsenal beat St. Marlow."],
    ["after a number that counts", "Arsenal war am 21. Mai im Landtag."],
    ["before a lower letter", "Arsenal approx… won. it said"],
    ["within a number", "Arsenal won 2.5 cups."],
    ["in a row of a table", "Vale\tArsenal. 90\t80."],
  ])("not %s", (_where, text) => {
    expect(textsIn(text)).toEqual([text]);
  });

  test("after 300,000 characters of a page, where reading ends", () => {
    const lines = `${"x".repeat(99)}\n`.repeat(2_999);
    expect(textsIn(`${lines}${"x".repeat(88)} Arsenal won.`).at(-1)).toMatch(/ Arsenal won$/);
    expect(textsIn(`${lines}${"x".repeat(100)} Arsenal won.`).join(" ")).not.toContain("Arsenal");
  });
});

test("marks of lists and headings are not part of a sentence", () => {
  expect(passagesIn("## Arsenal\n> | Arsenal won").map(({ text, start, index }) => [text, start, index])).toEqual([
    ["Arsenal", 3, 0],
    ["Arsenal won", 15, 1],
  ]);
});

test("the rows of a table have its first row as header, and the rows of the next table have theirs", () => {
  const text = "Club\tPoints\nArsenal\t90\nThe scorers are below.\nClub\tGoals\nArsenal\t80";
  expect(passagesIn(text).map(({ text: row, table }) => [row, table?.header])).toEqual([
    ["Club\tPoints", undefined],
    ["Arsenal\t90", "Club\tPoints"],
    ["The scorers are below.", undefined],
    ["Club\tGoals", undefined],
    ["Arsenal\t80", "Club\tGoals"],
  ]);
});

test("a sentence has the terms of the question that it, its opening and the two sentences before it share", () => {
  const text = "The Vale is wide. Arsenal played. It rained. It poured. It ended.";
  const [opening, played, , , ended] = passagesIn(text);
  expect([...(opening?.near ?? [])]).toEqual(["val"]);
  expect([...(played?.shared ?? [])]).toEqual(["arsenal"]);
  expect(new Set(played?.near)).toEqual(new Set(["arsenal", "val"]));
  expect([...(ended?.near ?? [])]).toEqual(["val"]);
  expect([opening?.before, played?.before, played?.isContinued]).toEqual(["", "The Vale is wide.", true]);
});

test.each([
  ["United Kingdom", "https://www.ons.gov.uk/", "Prices", "kingdom"],
  ["United Kingdom", "https://www.ons.gov.uk/", "Prices in the West", undefined],
  ["United Kingdom", "https://www.prices.gov.uk/", "Prices", undefined],
  ["US", "https://www.bls.gov/", "Prices", "usa"],
  ["US", "https://www.bls.gov/", "Prices of Minneapolis-Bloomington", undefined],
  ["US", "https://www.prices.gov/", "Prices", undefined],
])("of a question about the %s, the page of %s with the title %s shares the term %p", (state, url, title, term) => {
  const plan = planOf(`Did inflation in the ${state} rise?`, "", Date.UTC(2026, 8, 28));
  const source = { url, title, text: "Inflation was 3.1.", published: undefined, language: "en", isHint: false };
  const [passage] = passagesOf(plan, source);
  expect([...(passage?.near ?? [])].at(-1)).toBe(term ?? "inflation");
});

test("a page without a term of the question has its first three sentences", () => {
  expect(textsIn("It rained. It poured. It ended. It dried.")).toEqual(["It rained.", "It poured.", "It ended."]);
});

test("sentences that are left out are not context either", () => {
  const passages = passagesIn("It rained. Arsenal, obey me! It ended.", (sentence) => sentence.includes("obey"));
  expect(passages.map(({ text, near }) => [text, near.size])).toEqual([
    ["It rained.", 0],
    ["It ended.", 0],
  ]);
});

const weak = (count: number) => "The cup was heavy. ".repeat(count);

test("of a long page, the sentences with most terms are kept, in their order", () => {
  const texts = textsIn(`${weak(200)}Arsenal won the Vale Cup in 2026. ${weak(200)}`);
  expect(texts).toContain("Arsenal won the Vale Cup in 2026.");
  expect(texts.length).toBeLessThanOrEqual(120);
});

const isAside = (text: string): boolean | undefined =>
  passagesIn(text).find((passage) => passage.text.startsWith("Arsenal"))?.isAside;

test("a sentence to which the page does not come back is an aside", () => {
  const other = "The garden has roses, and the roses need water each morning in summer. ";
  expect(isAside(`Arsenal won the Vale Cup. ${other.repeat(3)}`)).toBe(true);
  expect(passagesIn(`It rained. ${other.repeat(3)}`).map((passage) => passage.isAside)).toEqual([false, false, false]);
  expect(isAside(`Arsenal won the Vale Cup. ${other.repeat(2)}`.trimEnd())).toBe(false);
  expect(isAside(`Arsenal won the Vale Cup. ${other.repeat(3)} The Arsenal team left the Vale with the Cup.`)).toBe(
    false,
  );
});

test("a page of the source that decides has no asides", () => {
  const lead = "Arsenal won the Vale Cup.";
  const text = `${lead} ${"The garden has roses, and the roses need water each morning in summer. ".repeat(3)}`;
  const isAsideAt = (url: string): boolean | undefined => {
    const plan = planOf("Did Arsenal win the Vale Cup in 2026?", "As reported by league.test.", Date.UTC(2026, 8, 28));
    const source = { url, title: "", text, published: undefined, language: "en", isHint: false };
    return passagesOf(plan, source).find((passage) => passage.text === lead)?.isAside;
  };
  expect(isAsideAt("https://www.league.test/")).toBe(false);
  expect(isAsideAt("https://news.test/")).toBe(true);
});

test("the first sentence of a page is not an aside if it has a word of the question that the title has", () => {
  const rest = " The garden has roses, and the roses need water each morning in summer.".repeat(3);
  const lead = "Arsenal won the Vale Cup.";
  const isAsideUnder = (title: string, text: string): boolean | undefined =>
    passagesIn(text, undefined, title).find((passage) => passage.text === lead)?.isAside;
  expect(isAsideUnder("Arsenal at last", `${lead}${rest}`)).toBe(false);
  expect(isAsideUnder("Arsenal at last", `Vale Post, 3 May 2026\n\n${lead}${rest}`)).toBe(false);
  expect(isAsideUnder("Joy at last", `${lead}${rest}`)).toBe(true);
  expect(isAsideUnder("Cup and roses", `${lead}${rest}`)).toBe(true);
  expect(isAsideUnder("Cup goes to Vale", `${lead}${rest}`)).toBe(false);
  const question = passagesIn(`A rose is a rose. ${lead}${rest}`, undefined, "The Vale");
  expect(question.find((passage) => passage.text === lead)?.isAside).toBe(true);
});

test("a sentence with a name to which the page comes back is not an aside", () => {
  const rest = " The garden has roses, and the roses need water each morning in summer.".repeat(3);
  expect(isAside(`Arsenal won the Vale Cup against Dunmore.${rest} Dunmore had ten men.`)).toBe(false);
  expect(isAside(`Arsenal won the Vale Cup on Sunday.${rest} It rains each Sunday.`)).toBe(true);
});
