/** The probability and the explanation of a verdict, in full. */
import { expect, test } from "bun:test";
import { type Analysis, type Plan, type Source, type Statement } from "../reading/analysis.ts";
import { planOf } from "./plan.ts";
import { weigh } from "./weigh.ts";

const NOW = Date.parse("2026-06-15T12:00:00Z");
const DAY = 86_400_000;
const PLAN = planOf("Did the bridge open?", "According to the Road Office (roads.example.gov).", NOW);
const CLAIM = planOf("Is it true that the bridge opened?", "", NOW);
const FUTURE = planOf("Will the bridge open by 1 July 2026?", "", NOW);
const LESS = "it counts for less, being indirect, older, or overruled";
const OPEN = "The sources contradict each other, so the question stays open.";
const SAME =
  "The very same words about the bridge that opened on Monday stand on this page and on that one, and both have them from a third one.";

function source(at: number, more: Partial<Source> = {}): Source {
  const text = `Words of site ${at}: ${at * 7} ${at * 13}.`;
  return { url: `https://s${at}.test/`, title: "", text, published: undefined, language: "en", isHint: false, ...more };
}

function says(supports: Statement["supports"], at: number, more: Partial<Statement> = {}): Statement {
  return { source: at, quote: `Sentence ${at} that says ${supports}.`, supports, kind: "report", strength: 1, ...more };
}

const yes = (at: number, more?: Partial<Statement>): Statement => says("YES", at, more);
const no = (at: number, more?: Partial<Statement>): Statement => says("NO", at, more);
const sites = (count: number, more?: Partial<Source>): Source[] =>
  Array.from({ length: count }, (_, at) => source(at, more));
const OFFICE = [source(0, { url: "https://roads.example.gov/1" }), source(1)];

interface Case {
  readonly sources?: readonly Source[];
  readonly plan?: Plan;
  readonly now?: number;
  readonly analysis?: Partial<Analysis>;
}

/** The verdict's word stands in the sentence after the explanation. */
function judged(statements: readonly Statement[], { sources = sites(6), plan = PLAN, now = NOW, analysis }: Case = {}) {
  const { probability, reasoning } = weigh(plan, sources, { statements, ...analysis }, now);
  return [probability, reasoning.replace("Verdict: ", "")];
}

test.each<[probability: number, why: string, statements: readonly Statement[], change?: Case]>([
  [0.35, "None of the 1 source bears on the question. UNCERTAIN.", [], { sources: sites(1) }],
  [0.35, "None of the 6 sources bears on the question. UNCERTAIN.", []],
  [0.856, "1 independent source says YES [1]. LIKELY_YES.", [yes(0)]],
  [0.641, "1 independent source says YES [1]. UNCERTAIN.", [yes(0, { strength: 0.5 })]],
  [
    0.6,
    `No source states the outcome in words that decide it. 1 source suggests YES [1]; ${LESS}. UNCERTAIN.`,
    [yes(0, { strength: 0.49 })],
  ],
  [0.01, "2 independent sources say NO [1, 2]. NO.", [no(0), no(1)]],
  [0.99, "5 independent sources say YES [1, 2, 3, 4, 5]. YES.", [0, 1, 2, 3, 4].map((at) => yes(at))],
  [
    0.856,
    "1 independent source says YES [1, 2]; 1 page with the same story counted once. LIKELY_YES.",
    [yes(0), yes(1)],
    { sources: sites(2, { text: SAME }) },
  ],
  [
    0.856,
    "1 independent source says YES [1, 2, 3]; 2 pages with the same story counted once. LIKELY_YES.",
    [yes(0), yes(1), yes(2)],
    { sources: sites(3, { text: SAME }) },
  ],
  [
    0.694,
    `1 independent source says YES [1]. 1 source suggests NO [2]; ${LESS}. LIKELY_YES.`,
    [yes(0), no(1, { strength: 0.4 })],
  ],
  [
    0.552,
    `1 independent source says YES [1]. 2 sources suggest NO [2, 3]; they count for less, being indirect, older, or overruled. UNCERTAIN.`,
    [yes(0), no(1, { strength: 0.4 }), no(2, { strength: 0.3 })],
  ],
  [0.35, `1 independent source says YES [1]. 1 independent source says NO [2]. ${OPEN} UNCERTAIN.`, [yes(0), no(1)]],
  [
    0.011,
    `The resolution source, Road Office, says NO [1]; it counts above all others. 1 source suggests YES [2]; ${LESS}. NO.`,
    [no(0), yes(1)],
    { sources: OFFICE },
  ],
  [
    0.98,
    `The resolution source, Road Office, says YES [1]; it counts above all others. 1 source suggests YES [2]; ${LESS}. YES.`,
    [yes(0), yes(1)],
    { sources: OFFICE },
  ],
  [0.979, "2 independent sources say YES [1, 2]. LIKELY_YES.", [yes(0), yes(1, { isAside: true })]],
  [0.35, "No source states the outcome. UNCERTAIN.", [yes(0, { isAside: true })]],
])("%d: %s", (...[probability, why, statements, change]) => {
  expect(judged(statements, change)).toEqual([probability, why]);
});

test.each<[what: string, probability: number, why: string, statements: readonly Statement[]]>([
  [
    "a day older",
    0.765,
    `1 independent source says YES [1]. 1 source suggests NO [2]; ${LESS}. LIKELY_YES.`,
    [yes(0, { date: NOW }), no(1, { date: NOW - DAY })],
  ],
  [
    "almost a day older",
    0.35,
    `1 independent source says YES [1]. 1 independent source says NO [2]. ${OPEN} UNCERTAIN.`,
    [yes(0, { date: NOW }), no(1, { date: NOW - DAY + 1 })],
  ],
  [
    "without a date",
    0.584,
    `1 independent source says YES [1]. 1 independent source says NO [2]. ${OPEN} UNCERTAIN.`,
    [yes(0, { date: NOW }), no(1)],
  ],
  [
    "newer",
    0.35,
    `1 independent source says YES [1]. 1 independent source says NO [2]. ${OPEN} UNCERTAIN.`,
    [yes(0, { date: NOW }), no(1, { date: NOW + 9 * DAY })],
  ],
])("a denial that is %s than the report", (_what, probability, why, statements) => {
  expect(judged(statements)).toEqual([probability, why]);
});

test.each<[what: string, probability: number, says: string, statements: readonly Statement[]]>([
  ["with the same strength", 0.35, "No source states the outcome. UNCERTAIN.", [yes(0), no(0, { strength: 0.86 })]],
  [
    "with a weaker denial",
    0.694,
    "1 independent source says YES [1]. LIKELY_YES.",
    [yes(0), no(0, { strength: 0.85 })],
  ],
  [
    "with a denial of half the strength",
    0.694,
    "1 independent source says YES [1]. LIKELY_YES.",
    [yes(0), no(0, { strength: 0.5 })],
  ],
  [
    "with a denial of less",
    0.856,
    "1 independent source says YES [1]. LIKELY_YES.",
    [yes(0), no(0, { strength: 0.49 })],
  ],
  [
    "with an older denial",
    0.856,
    "1 independent source says YES [1]. LIKELY_YES.",
    [yes(0, { date: NOW }), no(0, { date: NOW - 1 })],
  ],
  [
    "with a newer denial",
    0.047,
    "1 independent source says NO [1]. LIKELY_NO.",
    [yes(0, { date: NOW - 1 }), no(0, { date: NOW })],
  ],
])("a page that says both, %s", (_what, probability, why, statements) => {
  expect(judged(statements)).toEqual([probability, why]);
});

test.each<[kind: Statement["kind"], supports: Statement["supports"], left: string]>([
  ["announcement", "NEUTRAL", "Announcements are not reports [2]. "],
  ["hedged", "NEUTRAL", "Hedged sentences decide nothing [2]. "],
  ["question", "NEUTRAL", "Questions state nothing [2]. "],
  ["satire", "NEUTRAL", "Fiction, satire, games, bets, comments and text to the reader state nothing [2]. "],
  ["retraction", "NEUTRAL", "A source takes back or corrects what it said [2]. "],
  ["report", "NEUTRAL", ""],
])("a statement of the kind %s, %s", (kind, supports, left) => {
  expect(judged([yes(1), says(supports, 0, { kind })])[1]).toBe(
    `1 independent source says YES [1]. ${left}LIKELY_YES.`,
  );
});

test("a retraction is named also if it supports a side, and a hedge is not", () => {
  expect(judged([yes(1), yes(0, { kind: "retraction" })])[1]).toContain(
    "A source takes back or corrects what it said [2].",
  );
  expect(judged([yes(1), yes(0, { kind: "hedged" })])[1]).not.toContain("Hedged");
});

test.each<[what: string, why: string, statement: Statement, now?: number | undefined]>([
  [
    "before it, without the event",
    "No source states the outcome. The deadline, 2026-07-01 23:59 UTC, has not passed, so the absence of the event so far does not mean NO. UNCERTAIN.",
    says("NEUTRAL", 0),
  ],
  [
    "before it, with a denial",
    "1 independent source says NO [1]. The deadline, 2026-07-01 23:59 UTC, has not passed, so the absence of the event so far does not mean NO. LIKELY_NO.",
    no(0),
  ],
  [
    "before it, with the event",
    "1 independent source says YES [1]. The deadline, 2026-07-01 23:59 UTC, has not passed. LIKELY_YES.",
    yes(0),
  ],
  [
    "at its last instant",
    "1 independent source says YES [1]. The deadline, 2026-07-01 23:59 UTC, has not passed. LIKELY_YES.",
    yes(0),
    FUTURE.deadline,
  ],
  [
    "after it",
    "1 independent source says NO [1]. The deadline, 2026-07-01 23:59 UTC, has passed. LIKELY_NO.",
    no(0),
    (FUTURE.deadline ?? 0) + 1,
  ],
])("the deadline, %s", (_what, why, statement, now = NOW) => {
  expect(judged([statement], { plan: FUTURE, now })[1]).toBe(why);
});

test.each<[own: number | undefined, probability: number, why: string, statements: readonly Statement[]]>([
  [
    0.05,
    0.05,
    "No source states the outcome. The other statements of the sources [1] speak against it. LIKELY_NO.",
    [says("NEUTRAL", 0)],
  ],
  [0.95, 0.95, "No source states the outcome. UNCERTAIN.", [says("NEUTRAL", 0)]],
  [undefined, 0.765, "1 independent source says YES [1]. LIKELY_YES.", [yes(0)]],
  [undefined, 0.938, "2 independent sources say YES [1, 2]. YES.", [yes(0), yes(1)]],
  [
    0.9,
    0.982,
    `No source states the outcome in words that decide it. 1 source suggests YES [1]; ${LESS}. UNCERTAIN.`,
    [yes(0, { isLoose: true })],
  ],
])("a claim with the analyst's probability %p", (own, probability, why, statements) => {
  expect(judged(statements, { plan: CLAIM, analysis: own === undefined ? {} : { probability: own } })).toEqual([
    probability,
    why,
  ]);
});

const reasons = (reasoning: string) => judged([yes(0)], { analysis: { reasoning } })[1];

test("the analyst's own reasons are one line of at most a thousand characters", () => {
  const start = "1 independent source says YES [1].";
  expect(reasons("  It\n is   so. ")).toBe(`${start} The analyst's reasons: It is so. LIKELY_YES.`);
  expect(reasons("x".repeat(1001))).toBe(`${start} The analyst's reasons: ${"x".repeat(1000)} LIKELY_YES.`);
  expect(reasons("  ")).toBe(`${start} LIKELY_YES.`);
});
