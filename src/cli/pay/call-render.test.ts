import { expect, test } from "bun:test";
import { render } from "./call-render.ts";

const text = (name: string, response: unknown, json = false) => render({ name, json }, response).text;

test("the readable part of each operation's response", () => {
  expect(text("scrape", { content: "a" })).toBe("a");
  expect(text("read", { title: "T", content: "a" })).toBe("# T\n\na");
  expect(text("read", { title: "", content: "a" })).toBe("a");
  expect(text("extract", { data: { a: ["b"] } })).toBe('{\n  "a": [\n    "b"\n  ]\n}');
  const found = [
    { title: "One", url: "http://a.example/", snippet: "S" },
    { title: "Two", url: "http://b.example/", snippet: "" },
  ];
  expect(text("search", { results: found })).toBe("1. One\n   http://a.example/\n   S\n\n2. Two\n   http://b.example/");
  expect(text("search", { results: [] })).toBe("Nothing found");
  const evidence = [{ claim: "It sailed.", source: "News", supports: "YES", url: "http://a.example/" }];
  const judgement = { verdict: "YES", probability: 0.95, confidence: "high", reasoning: "It says so.", evidence };
  expect(text("resolve", judgement)).toBe(
    "YES: probability 0.95, confidence high\n\nIt says so.\n\n1. YES: It sailed.\n   News\n   http://a.example/",
  );
});

test("several formats of a page are printed as JSON, because its content is then empty", () => {
  const results = { markdown: "# A", links: [] };
  const json = JSON.stringify(results, undefined, 2);
  expect(text("scrape", { content: "", results })).toBe(json);
  expect(text("parse", { content: "", results })).toBe(json);
  const page = { url: "http://a.example/", content: "", results };
  expect(text("batch", { results: [page] })).toBe(`==> http://a.example/ <==\n${json}\n`);
});

test("a response of another form is printed as JSON, and so is every response with --json", () => {
  for (const name of ["scrape", "read", "extract", "search", "batch", "resolve", "health"]) {
    expect(JSON.parse(text(name, { results: "odd", content: 1, data: 2 }))).toEqual({
      results: "odd",
      content: 1,
      data: 2,
    });
    expect(JSON.parse(text(name, { content: "a" }, true))).toEqual({ content: "a" });
    expect(text(name, null)).toBe("null");
  }
});
