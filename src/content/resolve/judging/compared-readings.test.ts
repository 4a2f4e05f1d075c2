import { describe, expect, test } from "bun:test";
import { type Analysis, type Source, type Statement, type Support } from "../reading/analysis.ts";
import { comparedAnalysis } from "./compared-analysis.ts";

const SENTENCES = ["Ana won the cup.", "Luis lost the cup.", "Eva saw the cup."];
const SOURCES: readonly Source[] = [0, 1].map((at) => ({
  url: `https://news${at}.example/`,
  title: "",
  text: SENTENCES.join(" "),
  published: undefined,
  language: "en",
  isHint: false,
}));

function says(supports: Support, at = 0, more: Partial<Statement> = {}): Statement {
  return { source: 0, quote: SENTENCES[at] ?? "", supports, kind: "report", strength: 1, ...more };
}

/** The counts of a comparison, and its statements: "YES 0" is one for YES by the first sentence. */
function compared(claims: readonly Statement[], own: readonly Statement[], more: Partial<Analysis> = {}) {
  const { analysis, ...counts } = comparedAnalysis({ statements: claims, ...more }, { statements: own }, SOURCES);
  const statements = analysis.statements.map(({ supports, quote }) => `${supports} ${SENTENCES.indexOf(quote)}`);
  return { ...counts, statements, probability: analysis.probability, reasoning: analysis.reasoning };
}

const COUNTS = { unrelated: 0, unstated: 0, disputed: 0, omitted: 0 };

test("a claim with which the reading agrees counts, with the lesser strength", () => {
  expect(compared([says("YES")], [says("YES")])).toMatchObject({ ...COUNTS, statements: ["YES 0"] });
  for (const [claimed, own] of [
    [0.4, 0.7],
    [0.7, 0.4],
  ] as const) {
    const statements = [says("YES", 0, { strength: claimed })];
    const { analysis } = comparedAnalysis({ statements }, { statements: [says("YES", 0, { strength: own })] }, SOURCES);
    expect(analysis.statements[0]?.strength).toBe(0.4);
  }
});

test("a claim whose sentence the reading leaves open is neutral, and is counted", () => {
  expect(compared([says("YES"), says("NO", 1)], [says("NEUTRAL"), says("NEUTRAL", 1)])).toMatchObject({
    ...COUNTS,
    unstated: 2,
    statements: ["NEUTRAL 0", "NEUTRAL 1"],
  });
});

test("a neutral claim stays neutral, and is not counted", () => {
  expect(compared([says("NEUTRAL"), says("NEUTRAL", 2)], [says("YES"), says("NEUTRAL", 2)])).toMatchObject({
    ...COUNTS,
    statements: ["NEUTRAL 0", "NEUTRAL 2"],
  });
});

test("a claim against the reading makes all statements neutral, and adds none", () => {
  const own = [says("NO"), says("YES", 1), says("NO", 2)];
  expect(compared([says("YES"), says("YES", 1)], own)).toMatchObject({
    ...COUNTS,
    disputed: 1,
    statements: ["NEUTRAL 0", "NEUTRAL 1"],
  });
});

test("a claim without a sentence of its source is dropped", () => {
  expect(compared([says("YES"), says("YES", 1)], [says("YES"), says("YES", 1, { source: 1 })])).toMatchObject({
    ...COUNTS,
    unrelated: 1,
    statements: ["YES 0"],
  });
});

test("of several readings of one sentence, the one that agrees counts, then the opposite one", () => {
  const own = [says("NEUTRAL"), says("NO", 0, { strength: 0.4 }), says("YES")];
  expect(compared([says("YES")], own)).toMatchObject({ ...COUNTS, statements: ["YES 0"] });
  expect(compared([says("YES")], own.slice(0, 2))).toMatchObject({ ...COUNTS, disputed: 1 });
  expect(compared([says("YES")], own.slice(0, 2).toReversed())).toMatchObject({ ...COUNTS, disputed: 1 });
});

describe("a strong sentence against the claims is added", () => {
  test.each<[statements: string[], claims: readonly Statement[], own: readonly Statement[]]>([
    [["YES 0", "NO 1"], [says("YES")], [says("YES"), says("NO", 1)]],
    [["NO 0", "YES 1"], [says("NO")], [says("NO"), says("YES", 1)]],
    [["YES 0", "NO 1"], [says("YES")], [says("YES"), says("NO", 1, { strength: 0.5 })]],
    [["YES 0"], [says("YES")], [says("YES"), says("NO", 1, { strength: 0.49 })]],
    [["YES 0"], [says("YES")], [says("YES"), says("NO", 1, { isAside: true })]],
    [["YES 0"], [says("YES")], [says("YES"), says("YES", 1)]],
    [["NEUTRAL 0"], [says("NEUTRAL")], [says("NEUTRAL"), says("NO", 1)]],
    [
      ["YES 0", "NO 1"],
      [says("YES"), says("NO", 1)],
      [says("YES"), says("NO", 1), says("NO", 2)],
    ],
  ])("%p", (statements, claims, own) => {
    const added = statements.length - claims.length;
    expect(compared(claims, own)).toMatchObject({ ...COUNTS, omitted: added, statements });
  });
});

describe("a model's probability and reasons", () => {
  const reasoning = "It said so.";
  test.each<[claimed: number | undefined, kept: number | undefined]>([
    [0.99, 0.6],
    [0.55, 0.55],
    [0.5, undefined],
    [undefined, undefined],
    [0.3, undefined],
  ])("with a statement for YES, %p is %p", (probability, kept) => {
    const own = probability === undefined ? { reasoning } : { probability, reasoning };
    const found = compared([says("YES")], [says("YES")], own);
    expect([found.probability, found.reasoning]).toEqual([kept, kept === undefined ? undefined : reasoning]);
  });

  test("for NO are bound from below", () => {
    expect(compared([says("NO")], [says("NO")], { probability: 0.01 }).probability).toBe(0.25);
    expect(compared([says("NO")], [says("NO")], { probability: 0.4 }).probability).toBe(0.4);
  });

  test.each<[what: string, claims: readonly Statement[], own: readonly Statement[]]>([
    ["a lost claim", [says("YES"), says("YES", 1)], [says("YES")]],
    ["a claim that nothing states", [says("YES"), says("YES", 1)], [says("YES"), says("NEUTRAL", 1)]],
    ["a sentence that was left out", [says("YES")], [says("YES"), says("NO", 1)]],
    ["a lost and an unstated claim", [says("YES"), says("YES", 1), says("YES", 2)], [says("YES"), says("NEUTRAL", 1)]],
    [
      "an unstated claim and a sentence that was left out",
      [says("YES"), says("YES", 2)],
      [says("YES"), says("NO", 1), says("NEUTRAL", 2)],
    ],
  ])("do not count with %s", (_what, claims, own) => {
    expect(compared(claims, own, { probability: 0.55, reasoning })).toMatchObject({
      probability: undefined,
      reasoning: undefined,
    });
  });

  test("count with a lost neutral claim", () => {
    const claims = [says("YES"), says("NEUTRAL", 1)];
    expect(compared(claims, [says("YES")], { probability: 0.55 })).toMatchObject({ unrelated: 1, probability: 0.55 });
  });
});
