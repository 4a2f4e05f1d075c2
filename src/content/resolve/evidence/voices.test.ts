import { describe, expect, test } from "bun:test";
import { type Source, type Statement } from "../reading/analysis.ts";
import { planOf } from "./plan.ts";
import { decides, speaks, voicesOf } from "./voices.ts";

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 15);
const PLAN = planOf("Did the bridge open?", "According to the Road Office (roads.example.gov).", NOW);
const NEGATED = { ...PLAN, negated: true };

function source(at: number, more: Partial<Source> = {}): Source {
  const url = `https://s${at}.example/`;
  return { url, title: "", text: `Words of site ${at}.`, published: undefined, language: "en", isHint: false, ...more };
}

function says(supports: Statement["supports"], at: number, more: Partial<Statement> = {}): Statement {
  return { source: at, quote: `Sentence ${at}.`, supports, kind: "report", strength: 1, ...more };
}

/** The voices as "YES 0.8" with their sources, in order. */
function voices(statements: readonly Statement[], more: readonly Partial<Source>[] = [], plan = PLAN): string[] {
  const sources = [0, 1, 2, 3].map((at) => source(at, more[at]));
  return voicesOf(plan, sources, statements).map(
    ({ sign, strength, sources: own }) => `${sign === 1 ? "YES" : "NO"} ${strength.toFixed(2)} ${own.join("+")}`,
  );
}

describe("a page that supports both sides", () => {
  test.each<[yes: Partial<Statement>, no: Partial<Statement>, said: string[]]>([
    [{ strength: 0.9 }, { strength: 0.76 }, []],
    [{ strength: 0.9 }, { strength: 0.74 }, ["YES 0.54 0"]],
    [{ strength: 0.9 }, { strength: 0.45 }, ["YES 0.54 0"]],
    [{ strength: 0.9 }, { strength: 0.44 }, ["YES 0.90 0"]],
    [{ strength: 0.4 }, { strength: 0.9 }, ["NO 0.90 0"]],
    [{ date: NOW }, { date: NOW - DAY }, ["YES 1.00 0"]],
    [{ date: NOW - DAY }, { date: NOW }, ["NO 1.00 0"]],
    [{ date: NOW }, { date: NOW }, []],
    [{ date: NOW }, {}, []],
  ])("%p and %p say %p", (yes, no, said) => {
    expect(voices([says("YES", 0, yes), says("NO", 0, no)])).toEqual(said);
  });

  test("speaks by the strongest statement of a side", () => {
    expect(voices([says("YES", 0, { strength: 0.3 }), says("YES", 0, { strength: 0.8 })])).toEqual(["YES 0.80 0"]);
  });
});

describe("one voice", () => {
  const quote = "The bridge over the river was opened to traffic by the mayor today.";
  test.each<[what: string, statements: readonly Statement[], more: readonly Partial<Source>[], said: string[]]>([
    ["two owners", [says("YES", 0), says("YES", 1)], [], ["YES 1.00 0", "YES 1.00 1"]],
    [
      "pages of one owner",
      [says("YES", 0, { strength: 0.6 }), says("YES", 1)],
      [{ url: "https://a.s.example/" }, { url: "https://b.s.example/" }],
      ["YES 1.00 1"],
    ],
    ["pages with one long sentence", [says("YES", 0, { quote }), says("YES", 1, { quote })], [], ["YES 1.00 0"]],
    [
      "pages with one short sentence",
      [says("YES", 0, { quote: "It opened." }), says("YES", 1, { quote: "It opened." })],
      [],
      ["YES 1.00 0", "YES 1.00 1"],
    ],
    [
      "pages of one owner on both sides",
      [says("YES", 0), says("NO", 1)],
      [{ url: "https://a.s.example/" }, { url: "https://b.s.example/" }],
      ["YES 1.00 0", "NO 1.00 1"],
    ],
    [
      "pages that cite one origin",
      [says("YES", 0), says("YES", 1)],
      [{ text: "It opened, first reported by Dock Wire." }, { text: "It is open, first reported by Dock Wire." }],
      ["YES 1.00 0"],
    ],
  ])("%s", (_what, statements, more, said) => {
    expect(voices(statements, more)).toEqual(said);
  });
});

describe("the resolution source", () => {
  const roads = [{}, {}, { url: "https://roads.example.gov/1" }];

  test("comes first, and the others count little", () => {
    expect(voices([says("YES", 0), says("NO", 2)], roads)).toEqual(["NO 1.00 2", "YES 0.15 0"]);
  });

  test("overrules from half of the strength on", () => {
    expect(voices([says("YES", 0), says("NO", 2, { strength: 0.5 })], roads)).toEqual(["NO 0.50 2", "YES 0.15 0"]);
    expect(voices([says("YES", 0), says("NO", 2, { strength: 0.49 })], roads)).toEqual(["NO 0.49 2", "YES 1.00 0"]);
  });
});

describe("a report that the event happened", () => {
  test.each<[what: string, days: (number | undefined)[], strength: number, said: string[]]>([
    ["outdates an older denial", [0, -1], 1, ["YES 1.00 0", "NO 0.25 1"]],
    ["does not outdate one of the same day", [0, -0.5], 1, ["YES 1.00 0", "NO 1.00 1"]],
    ["does not outdate a later one", [0, 1], 1, ["YES 1.00 0", "NO 1.00 1"]],
    ["weakens one without a date", [0, undefined], 1, ["YES 1.00 0", "NO 0.60 1"]],
    ["without a date outdates none", [undefined, -1], 1, ["YES 1.00 0", "NO 1.00 1"]],
    ["outdates from half of the strength on", [0, -1], 0.5, ["YES 0.50 0", "NO 0.25 1"]],
    ["does not outdate if it is weak", [0, -1], 0.49, ["NO 1.00 1", "YES 0.49 0"]],
  ])("%s", (_what, published, strength, said) => {
    const more = published.map((days) => ({ published: days === undefined ? undefined : NOW + days * DAY }));
    expect(voices([says("YES", 0, { strength }), says("NO", 1)], more).toSorted()).toEqual(said.toSorted());
  });

  test("says NO to a negated question", () => {
    const more = [{ published: NOW }, { published: NOW - DAY }];
    expect(voices([says("NO", 0), says("YES", 1)], more, NEGATED)).toEqual(["NO 1.00 0", "YES 0.25 1"]);
    expect(voices([says("YES", 0), says("NO", 1)], more, NEGATED)).toEqual(["YES 1.00 0", "NO 1.00 1"]);
  });
});

test("a mention in passing counts beside a report that decides, and not alone", () => {
  const aside = says("YES", 0, { isAside: true });
  expect(voices([aside])).toEqual([]);
  expect(voices([aside, says("YES", 1, { strength: 0.4 })])).toEqual(["YES 0.40 1"]);
  expect(voices([aside, says("YES", 1)])).toEqual(["YES 1.00 0", "YES 1.00 1"]);
});

test("a voice speaks from half of the strength on, and decides if one of its statements is exact", () => {
  const verdicts = [{ strength: 0.49 }, { strength: 0.5 }, { isLoose: true }, { isTurnable: true }].map((more) => {
    const [voice] = voicesOf(PLAN, [source(0)], [says("YES", 0, more)]);
    return voice === undefined ? undefined : [speaks(voice), decides(voice)];
  });
  expect(verdicts).toEqual([
    [false, false],
    [true, true],
    [true, false],
    [true, false],
  ]);
});

test("a voice has the newest date of its pages, or that of its statement", () => {
  const text = `${"The very same words about the bridge stand here and there. ".repeat(3)} It opened on Monday at noon.`;
  const copies = [source(0, { text, published: NOW - DAY }), source(1, { text, published: NOW })];
  expect(voicesOf(PLAN, copies, [says("YES", 1)])).toMatchObject([{ sources: [0, 1], date: NOW }]);
  expect(voicesOf(PLAN, [source(0)], [says("YES", 0, { date: NOW - DAY })])).toMatchObject([{ date: NOW - DAY }]);
});
