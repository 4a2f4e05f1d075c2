import { describe, expect, test } from "bun:test";
import { type DeclaredTexts, declareTexts, noTexts } from "./declared-texts.ts";

function textsOf(value: unknown, budget = { nodes: 1000, characters: 10_000 }): Partial<DeclaredTexts> {
  const into = noTexts();
  declareTexts(value, into, budget);
  return Object.fromEntries(Object.entries(into).filter(([, list]) => list.length > 0));
}

describe("the texts that a page declares", () => {
  test.each<[unknown, Partial<DeclaredTexts>]>([
    [
      { articleBody: "a", name: "b" },
      { content: ["a"], names: ["b"] },
    ],
    [{ author: "a" }, { people: ["a"] }],
    [{ author: { name: "a", description: "b" } }, { people: ["a"] }],
    [{ creator: { name: "a" } }, { people: ["a"] }],
    [{ "@type": "Person", name: "a" }, { people: ["a"] }],
    [{ author: { name: "a", worksFor: { name: "b" } } }, { people: ["a"], names: ["b"] }],
    [{ "@type": "BreadcrumbList", itemListElement: [{ name: "a", text: "b" }] }, { crumbs: ["a"] }],
    [{ "@type": "Review", reviewBody: "a", name: "b" }, { reviews: ["a"] }],
    [{ "@type": "Comment", text: "a" }, { reviews: ["a"] }],
    [{ "@type": ["Thing", "UserReview"], text: "a", part: { text: "b" } }, { reviews: ["a", "b"] }],
    [{ "@type": "WebSite", name: "a", description: "b" }, {}],
    [{ "@type": "WebSite", mainEntity: { articleBody: "a" } }, { content: ["a"] }],
    [{ articleBody: "" }, {}],
    [{ articleBody: 5, url: "x" }, {}],
    [[{ articleBody: "a" }, [{ articleBody: "b" }]], { content: ["a", "b"] }],
    ["text", {}],
    [null, {}],
  ])("of %j are %j", (value, texts) => {
    expect(textsOf(value)).toEqual(texts);
  });

  test("are bounded in number, depth, nodes and characters", () => {
    const many = Array.from({ length: 600 }, () => ({ articleBody: "a" }));
    expect(textsOf(many)["content"]).toHaveLength(500);
    expect(textsOf(many, { nodes: 4, characters: 100 })["content"]).toHaveLength(3);
    expect(textsOf([{ articleBody: "aaa" }, { articleBody: "bb" }], { nodes: 9, characters: 4 })).toEqual({
      content: ["aaa"],
    });
    const nested = (depth: number): unknown => (depth === 0 ? { articleBody: "a" } : { part: nested(depth - 1) });
    const deepest = Array.from({ length: 20 }, (_, depth) => depth).findLast(
      (depth) => textsOf(nested(depth))["content"] !== undefined,
    );
    expect(deepest).toBe(12);
  });
});
