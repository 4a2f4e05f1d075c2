import { describe, expect, test } from "bun:test";
import { type Relation, type Source, type Statement, type Verdict } from "../reading/analysis.ts";
import { combine, type Part } from "./combine.ts";
import { planOf } from "./plan.ts";

const NOW = Date.parse("2026-06-15T12:00:00Z");
const SOURCES: readonly Source[] = ["https://one.test/a", "https://two.test/b", "https://three.test/c"].map((url) => ({
  url,
  title: "",
  text: "",
  published: undefined,
  language: "en",
  isHint: false,
}));

interface Made {
  readonly verdict?: Verdict;
  readonly probability?: number;
  /** The days that the sources give, one after the other. */
  readonly days?: readonly (string | undefined)[];
  readonly confidence?: "low" | "medium";
  readonly change?: Partial<Statement>;
  readonly evidence?: number;
}

function partOf(question: string, made: Made): Part {
  const { verdict = "YES", probability = 0.95, days = [], confidence = "medium", change = {}, evidence = 1 } = made;
  const claims = Array.from({ length: evidence }, (_, at) => ({
    url: "https://one.test/a",
    source: "one.test",
    claim: `${question} ${at}`,
    supports: "YES" as const,
  }));
  return {
    plan: planOf(question, "", NOW),
    judgement: { verdict, probability, confidence, reasoning: `Of ${question}`, evidence: claims },
    statements: days.map((day, source) => ({
      source,
      quote: "It happened.",
      supports: "YES",
      kind: "report",
      strength: 0.5,
      date: day === undefined ? undefined : Date.parse(day),
      ...change,
    })),
  };
}

function combined(relation: Relation, first: Made, second: Made): ReturnType<typeof combine> {
  return combine(relation, [partOf("Did it open?", first), partOf("Did it close?", second)], SOURCES);
}

describe("of two events that must both happen, the less likely one decides, and of a choice the more likely one", () => {
  const RANK: readonly Verdict[] = ["NO", "LIKELY_NO", "UNCERTAIN", "LIKELY_YES", "YES"];
  for (const [at, one] of RANK.entries()) {
    for (const other of RANK.slice(at)) {
      test(`${one} and ${other}`, () => {
        expect(combined("and", { verdict: one }, { verdict: other }).verdict).toBe(one);
        expect(combined("and", { verdict: other }, { verdict: one }).verdict).toBe(one);
        expect(combined("or", { verdict: one }, { verdict: other }).verdict).toBe(other);
        expect(combined("or", { verdict: other }, { verdict: one }).verdict).toBe(other);
      });
    }
  }

  test.each([
    ["YES", 0.95, 0.95, 0.903],
    ["YES", 0.5, 0.5, 0.88],
    ["YES", 1, 1, 0.99],
    ["LIKELY_YES", 0.5, 0.5, 0.65],
    ["LIKELY_YES", 1, 1, 0.87],
    ["UNCERTAIN", 0.1, 0.5, 0.25],
    ["UNCERTAIN", 1, 1, 0.6],
    ["LIKELY_NO", 0.1, 0.5, 0.1],
    ["LIKELY_NO", 1, 1, 0.2],
    ["NO", 0, 0.5, 0.01],
    ["NO", 1, 1, 0.1],
  ] as const)("%s of %p and %p has the probability %p", (verdict, one, other, probability) => {
    const both = combined("and", { verdict, probability: one }, { verdict, probability: other });
    expect(both.probability).toBe(probability);
  });

  test("the confidence is the lower one, and low without a verdict", () => {
    expect(combined("and", {}, {}).confidence).toBe("medium");
    expect(combined("and", { confidence: "low" }, {}).confidence).toBe("low");
    expect(combined("and", {}, { confidence: "low" }).confidence).toBe("low");
    expect(combined("and", { verdict: "UNCERTAIN" }, {}).confidence).toBe("low");
  });

  test("the evidence of each has half of the places, and the reasoning names both", () => {
    const { evidence, reasoning } = combined("and", { evidence: 9 }, { evidence: 9 });
    expect(evidence.map(({ claim }) => claim.slice(0, 11))).toEqual([
      ...Array.from({ length: 6 }, () => "Did it open"),
      ...Array.from({ length: 6 }, () => "Did it clos"),
    ]);
    expect(reasoning).toBe(
      'The question asks for two events. First, "Did it open": Of Did it open? Second, "Did it close": Of Did it close? Verdict: YES.',
    );
  });
});

describe("the order of two events", () => {
  const MAY_1 = { days: ["2026-05-01", "2026-05-01"] };
  const MAY_9 = { days: ["2026-05-09", "2026-05-09"] };

  test("is firm if two sources date each event", () => {
    expect(combined("before", MAY_1, MAY_9).verdict).toBe("YES");
    expect(combined("before", MAY_9, MAY_1).verdict).toBe("NO");
    expect(combined("after", MAY_1, MAY_9).verdict).toBe("NO");
    expect(combined("after", MAY_9, MAY_1).verdict).toBe("YES");
  });

  test("is firm if two sources date both events, of which one is only likely", () => {
    const likely = { ...MAY_1, verdict: "LIKELY_YES" as const };
    expect(combined("before", likely, MAY_9).verdict).toBe("YES");
    expect(combined("before", MAY_9, likely).verdict).toBe("NO");
  });

  test.each([
    ["one source dates the first", { days: ["2026-05-01"] }, MAY_9],
    ["one source dates the second", MAY_1, { days: ["2026-05-09"] }],
    [
      "one source dates the first, which is only likely",
      { days: ["2026-05-01"], verdict: "LIKELY_YES" as const },
      MAY_9,
    ],
    [
      "both are only likely",
      { ...MAY_1, verdict: "LIKELY_YES" as const },
      { ...MAY_9, verdict: "LIKELY_YES" as const },
    ],
    [
      "words may turn the dates of a likely one",
      { ...MAY_1, verdict: "LIKELY_YES" as const, change: { isLoose: true } },
      MAY_9,
    ],
  ])("is likely if %s", (_, first, second) => {
    expect(combined("before", first, second).verdict).toBe("LIKELY_YES");
    expect(combined("after", first, second).verdict).toBe("LIKELY_NO");
  });

  test.each([
    ["an event did not happen", { ...MAY_1, verdict: "NO" as const }, MAY_9],
    ["an event may not have happened", MAY_1, { ...MAY_9, verdict: "UNCERTAIN" as const }],
    ["no source dates the first", {}, MAY_9],
    ["no source dates the second", MAY_1, { days: [undefined] }],
    ["they are on one day", MAY_1, MAY_1],
    ["the days overlap", { days: ["2026-05-01", "2026-05-03"] }, { days: ["2026-05-03", "2026-05-04"] }],
    ["the sources differ by more than two days", { days: ["2026-05-01", "2026-05-04"] }, MAY_9],
    ["the statements are weak", { ...MAY_1, change: { strength: 0.4 } }, MAY_9],
    ["the statements are asides", { ...MAY_1, change: { isAside: true } }, MAY_9],
    ["the statements deny it", { ...MAY_1, change: { supports: "NO" as const } }, MAY_9],
  ])("is not known if %s", (_, first, second) => {
    expect(combined("before", first, second).verdict).toBe("UNCERTAIN");
    expect(combined("after", first, second).verdict).toBe("UNCERTAIN");
  });

  test("is known if the sources differ by two days", () => {
    expect(combined("before", { days: ["2026-05-01", "2026-05-03"] }, MAY_9).verdict).toBe("YES");
  });

  test("has the days and their sources in its reason", () => {
    const { reasoning } = combined("before", { days: [undefined, "2026-05-01"] }, {});
    expect(reasoning).toEndWith(
      ' "Did it open" took place on 2026-05-01 (two.test). No source dates "Did it close". Verdict: UNCERTAIN.',
    );
  });
});

describe("a condition and what follows from it", () => {
  test.each([
    ["YES", "NO", "NO"],
    ["YES", "YES", "YES"],
    ["LIKELY_YES", "YES", "LIKELY_YES"],
    ["LIKELY_YES", "NO", "LIKELY_NO"],
    ["LIKELY_YES", "UNCERTAIN", "UNCERTAIN"],
    ["UNCERTAIN", "YES", "UNCERTAIN"],
    ["NO", "NO", "UNCERTAIN"],
  ] as const)("%s and %s: %s", (condition, other, verdict) => {
    expect(combined("if", { verdict: condition }, { verdict: other }).verdict).toBe(verdict);
  });
});

const pending = (change: Partial<Statement> = {}): Made => ({
  verdict: "UNCERTAIN",
  days: [undefined],
  change: { supports: "NEUTRAL", isPending: true, ...change },
});

const told = (quotes: readonly string[], relation: Relation = "before", change: Partial<Statement> = {}): Verdict => {
  const part = partOf("Did Aurel reach orbit?", { days: quotes.map(() => undefined), verdict: "YES" });
  const statements = part.statements.map((one, at) => ({ ...one, quote: quotes[at] ?? "", ...change }));
  const other = partOf("Did Tern reach orbit?", { verdict: "UNCERTAIN" });
  return combine(relation, [{ ...part, statements }, other], SOURCES).verdict;
};

describe("of two events, one is still to come", () => {
  const PAGES = SOURCES.map((source) => ({ ...source, published: Date.parse("2026-05-12") }));
  const done: Made = { days: ["2026-05-10", "2026-05-10"] };
  const judged = (relation: Relation, first: Made, second: Made, sources: readonly Source[] = PAGES): Verdict =>
    combine(relation, [partOf("Did it open?", first), partOf("Did it close?", second)], sources).verdict;

  test("the one that happened is likely the first", () => {
    expect(judged("before", done, pending())).toBe("LIKELY_YES");
    expect(judged("before", pending(), done)).toBe("LIKELY_NO");
  });

  test("nothing follows for a question with after, without a pending event, or from a page older than the event", () => {
    expect(judged("after", done, pending())).toBe("UNCERTAIN");
    expect(judged("before", done, pending({ isPending: false }))).toBe("UNCERTAIN");
    expect(judged("before", done, pending({ isAside: true }))).toBe("UNCERTAIN");
    expect(judged("before", done, pending({ supports: "YES" }))).toBe("UNCERTAIN");
    const old = PAGES.map((page) => ({ ...page, published: Date.parse("2026-05-01") }));
    expect(judged("before", done, pending(), old)).toBe("UNCERTAIN");
    expect(judged("before", done, pending(), SOURCES)).toBe("UNCERTAIN");
  });
});

describe("a sentence that states the order", () => {
  test("decides, and firmly on two pages", () => {
    expect(told(["Aurel reached orbit before Tern."])).toBe("LIKELY_YES");
    expect(told(["Aurel reached orbit before Tern.", "Aurel was in orbit ahead of Tern."])).toBe("YES");
    expect(told(["Aurel reached orbit before Tern."], "after")).toBe("LIKELY_NO");
  });

  test("does not decide if it denies the order, names another event, or is not firm", () => {
    expect(told(["Aurel reached orbit, and not before Tern."])).toBe("UNCERTAIN");
    expect(told(["Aurel reached orbit before Wren."])).toBe("UNCERTAIN");
    expect(told(["Aurel reached orbit before the Tern museum opened."])).toBe("UNCERTAIN");
    expect(told(["Aurel reached orbit before Tern."], "before", { isLoose: true })).toBe("UNCERTAIN");
    expect(told(["Aurel reached orbit before Tern."], "before", { isAside: true })).toBe("UNCERTAIN");
  });
});
