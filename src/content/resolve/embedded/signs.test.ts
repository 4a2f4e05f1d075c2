import { expect, test } from "bun:test";
import { planOf } from "../evidence/plan.ts";
import { type Source } from "../reading/analysis.ts";
import { signsIn } from "./analyst.ts";
import { type Signs } from "./signs.ts";

const NOW = Date.UTC(2026, 5, 15);
const ARSENAL = "Will Arsenal win the Premier League by 10 June 2026?";
const ROBOTS = "Did Acme sell more than 500 robots?";

/** The signs of pages with these texts. Those of `hints` are named by the caller. */
function signsOf(question: string, texts: readonly string[], hints: readonly number[] = []): Signs {
  const sources = texts.map(
    (text, at): Source => ({
      url: `https://s${at}.test/`,
      title: "",
      text,
      published: undefined,
      language: "",
      isHint: hints.includes(at),
    }),
  );
  return signsIn(planOf(question, "", NOW), sources, NOW);
}

test.each<[what: string, question: string, texts: readonly string[], hints: readonly number[], signs: Partial<Signs>]>([
  ["nothing", ARSENAL, [], [], { yes_answers: 0, negations: 0, coverage_of_all: 0, numbers_shared: 0 }],
  ["another subject", ARSENAL, ["It rained."], [], { yes_answers: 0, coverage_of_all: 0 }],
  ["a yes", ARSENAL, ["Arsenal won the Premier League. Yes."], [], { yes_answers: Math.log(2), no_answers: 0 }],
  ["a denial", ARSENAL, ["Arsenal won the Premier League. No."], [], { yes_answers: 0, no_answers: Math.log(2) }],
  [
    "a confirmation",
    ARSENAL,
    ["Arsenal won, officials confirmed: the Premier League passed."],
    [],
    { confirmations: Math.log(4) },
  ],
  [
    "a negation in half of its sentences",
    ARSENAL,
    ["Arsenal did not win the Premier League. Arsenal play on."],
    [],
    { negations: 0.5 },
  ],
  ["the number", ROBOTS, ["Acme sold 500 robots."], [], { numbers_shared: 1 }],
  ["another number", ROBOTS, ["Acme sold 400 robots."], [], { numbers_shared: 0 }],
  ["a question without a number", ARSENAL, ["Arsenal won 3 games in the Premier League."], [], { numbers_shared: 0 }],
  [
    "two of them",
    ARSENAL,
    ["Arsenal won the Premier League. Yes.", "Arsenal won the Premier League, they say. Yes."],
    [],
    { yes_answers: Math.log(3) },
  ],
  [
    "a yes beside one of a hint",
    ARSENAL,
    ["Arsenal won the Premier League. Yes.", "Arsenal won the Premier League, they say. Yes."],
    [0],
    { yes_answers: Math.log(2.25) },
  ],
])("the signs of %s", (...[, question, texts, hints, signs]) => {
  const found = signsOf(question, texts, hints);
  for (const [name, value] of Object.entries(signs)) {
    expect([name, Number(Reflect.get(found, name)).toFixed(6)]).toEqual([name, value.toFixed(6)]);
  }
});

test("a page with few of the question's words counts less, and one with far fewer not at all", () => {
  const whole = "Arsenal won the Premier League. Yes.";
  const share = (text: string): number => Math.expm1(signsOf(ARSENAL, [whole, text]).yes_answers) - 1;
  // Two of the three names, each of which counts twice, of seven.
  expect(share("The Premier League began. Yes.")).toBeGreaterThan(0);
  expect(share("The Premier League began. Yes.")).toBeLessThan(1);
  expect(share("They win. Yes.")).toBe(0);
});
