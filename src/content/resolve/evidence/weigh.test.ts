import { describe, expect, test } from "bun:test";
import { type Analysis, type Source, type Statement } from "../reading/analysis.ts";
import { planOf } from "./plan.ts";
import { weigh } from "./weigh.ts";

const NOW = Date.parse("2026-06-15T12:00:00Z");
const PLAN = planOf("Did the bridge open?", "According to the Road Office (roads.example.gov).", NOW);

/** A source with a text of its own. */
function source(at: number, more: Partial<Source> = {}): Source {
  return {
    url: `https://s${at}.test/`,
    title: `Site ${at}`,
    text: `Words of site ${at}: ${at * 7} ${at * 13}.`,
    published: undefined,
    language: "en",
    isHint: false,
    ...more,
  };
}

function says(supports: Statement["supports"], at: number, more: Partial<Statement> = {}): Statement {
  return { source: at, quote: `Sentence ${at} that says ${supports}.`, supports, kind: "report", strength: 1, ...more };
}

function judged(
  statements: readonly Statement[],
  sources = [0, 1, 2, 3].map((at) => source(at)),
  more: Partial<Analysis> = {},
) {
  return weigh(PLAN, sources, { statements, ...more }, NOW);
}

describe("confidence", () => {
  test("is high for three sources that agree", () => {
    expect(judged([says("YES", 0), says("YES", 1), says("YES", 2)])).toMatchObject({
      verdict: "YES",
      confidence: "high",
    });
  });
  test("is medium for one source", () => {
    expect(judged([says("YES", 0)]).confidence).toBe("medium");
  });
  test("is high for the resolution source", () => {
    const sources = [source(0, { url: "https://roads.example.gov/1" }), source(1), source(2)];
    const judgement = judged([says("NO", 0), says("YES", 1), says("YES", 2)], sources);
    expect(judgement).toMatchObject({ verdict: "NO", confidence: "high" });
    expect(judgement.evidence[0]).toMatchObject({
      claim: "Sentence 0 that says NO.",
      source: "Site 0",
      supports: "NO",
    });
    expect(judgement.reasoning).toStartWith("The resolution source, Road Office, says NO [1]");
  });
  test("ignores events between two readings of the question's date, and reports it", () => {
    const plan = planOf("Will the bridge open by 03/04/2026?", "", NOW);
    const sources = [source(0)];
    const open = says("NEUTRAL", 0, { isDateOpen: true });
    const { reasoning, verdict } = weigh(plan, sources, { statements: [open] }, NOW);
    expect(verdict).toBe("UNCERTAIN");
    expect(reasoning).toContain("03/04/2026 is ambiguous: it can be 2026-03-04 or 2026-04-03.");
    expect(reasoning).toContain("A date does not show whether the event was in time [1].");
  });
  test.each<[string, readonly Statement[], string, string]>([
    ["two that agree", [says("YES", 0), says("YES", 1)], "YES", "medium"],
    [
      "one that states it, and one with other words that may turn it",
      [says("YES", 0), says("YES", 1, { isLoose: true })],
      "YES",
      "medium",
    ],
    [
      "one, and one that mentions it in passing",
      [says("NO", 0), says("NO", 1, { isAside: true })],
      "LIKELY_NO",
      "medium",
    ],
    ["one and a weak one", [says("NO", 0), says("NO", 1, { strength: 0.4 })], "LIKELY_NO", "medium"],
    ["one, and one in another language", [says("NO", 0), says("NO", 1, { isForeign: true })], "LIKELY_NO", "medium"],
    ["two with other words", [0, 1].map((at) => says("NO", at, { isLoose: true })), "UNCERTAIN", "low"],
    [
      "two whose sentence in the question's language may be turned, and whose other one is in another language",
      [0, 1].flatMap((at) => [says("YES", at, { isLoose: true }), says("YES", at, { isForeign: true })]),
      "LIKELY_YES",
      "medium",
    ],
    [
      "three against a weak voice",
      [0, 1, 2].map((at) => says("YES", at)).concat(says("NO", 3, { strength: 0.4 })),
      "YES",
      "medium",
    ],
    ["one against a weak voice", [says("NO", 0), says("YES", 1, { strength: 0.3 })], "LIKELY_NO", "low"],
  ])("of %s is as expected", (_, statements, verdict, confidence) => {
    const found = judged(statements);
    expect([found.verdict, found.confidence]).toEqual([verdict, confidence] as never);
  });
  test("is low for a contradiction and for silence", () => {
    expect(judged([says("YES", 0), says("NO", 1)])).toMatchObject({ verdict: "UNCERTAIN", confidence: "low" });
    expect(judged([])).toMatchObject({ verdict: "UNCERTAIN", confidence: "low", evidence: [] });
    expect(judged([], [])).toMatchObject({
      verdict: "UNCERTAIN",
      reasoning: "No source was read. Verdict: UNCERTAIN.",
    });
  });
});

test("more independent sources raise the probability, copies do not", () => {
  const one = judged([says("YES", 0)]).probability;
  const two = judged([says("YES", 0), says("YES", 1)]).probability;
  const text =
    "The very same words about the bridge that opened on Monday stand here and there, and nobody wrote any of them anew.";
  const copies = judged([says("YES", 0), says("YES", 1)], [source(0, { text }), source(1, { text })]);
  expect(two).toBeGreaterThan(one);
  expect(copies.probability).toBe(one);
  expect(copies.reasoning).toContain("1 page with the same story counted once");
});

test("no number of sources makes it certain", () => {
  const many = Array.from({ length: 8 }, (_, at) => at);
  const sources = many.map((at) => source(at));
  expect(
    judged(
      many.map((at) => says("YES", at)),
      sources,
      { probability: 1 },
    ).probability,
  ).toBe(0.99);
  expect(
    judged(
      many.map((at) => says("NO", at)),
      sources,
      { probability: 0 },
    ).probability,
  ).toBe(0.01);
});

test("an analyst's own probability decides nothing without statements", () => {
  expect(judged([], undefined, { probability: 0.99 })).toMatchObject({ verdict: "UNCERTAIN", probability: 0.35 });
  expect(judged([says("NEUTRAL", 0)], undefined, { probability: 0.99 }).verdict).toBe("UNCERTAIN");
});

test("announcements and hedges are listed by their numbers", () => {
  const statements = [
    says("YES", 0),
    says("NEUTRAL", 1, { kind: "announcement" }),
    says("NEUTRAL", 2, { kind: "hedged", strength: 0.5 }),
  ];
  const { reasoning } = judged(statements);
  expect(reasoning).toContain("1 independent source says YES [1].");
  expect(reasoning).toContain("Announcements are not reports [2].");
  expect(reasoning).toContain("Hedged sentences decide nothing [3].");
});

test("at most 12 pieces of evidence are given", () => {
  const statements = Array.from({ length: 30 }, (_, at) =>
    says("YES", at % 4, { quote: `Sentence number ${at} says so.` }),
  );
  expect(judged(statements).evidence).toHaveLength(12);
});

test("without a voice that decides, the probability is between 0.25 and 0.6", () => {
  for (const [own, probability] of [
    [0, 0.25],
    [0.4, 0.4],
    [1, 0.6],
  ])
    expect(judged([says("NEUTRAL", 0)], undefined, { probability: own }).probability).toBe(probability ?? 0);
});

test("statements for the verdict come first, then those against it, then the others, by their strength", () => {
  const statements = [
    says("NEUTRAL", 0, { quote: "a" }),
    says("NO", 1, { quote: "b", strength: 0.3 }),
    says("YES", 2, { quote: "c", strength: 0.7 }),
    says("YES", 3, { quote: "d" }),
  ];
  expect(judged(statements).evidence.map(({ claim }) => claim)).toEqual(["d", "c", "b", "a"]);
});

test("statements of the resolution source come before stronger ones", () => {
  const sources = [source(0), source(1), source(2, { url: "https://roads.example.gov/1" })];
  const statements = [says("YES", 0, { quote: "a" }), says("YES", 1, { quote: "b" })];
  const weak = says("YES", 2, { quote: "c", strength: 0.55 });
  expect(judged([...statements, weak], sources).evidence[0]?.claim).toBe("c");
});

test("a piece of evidence without a title has the host of its page", () => {
  const [evidence] = judged([says("YES", 0)], [source(0, { title: " " })]).evidence;
  expect(evidence).toMatchObject({ source: "s0.test", url: "https://s0.test/" });
});
