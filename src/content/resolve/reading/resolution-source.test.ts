import { describe, expect, test } from "bun:test";
import { isOf, resolutionSourceOf } from "./resolution-source.ts";

describe("the source that decides", () => {
  test.each<[question: string, criteria: string, name: string | undefined, host: string | undefined]>([
    ["Will it open?", "Resolves according to the Road Office.", "Road Office", undefined],
    ["Will it open?", "According to www.Roads.example.gov.", "roads.example.gov", "roads.example.gov"],
    ["Will it open?", "According to https://www.roads.example.gov/x.", "roads.example.gov", "roads.example.gov"],
    ["Will it open?", "See https://www.roads.example.gov/x for more.", "roads.example.gov", "roads.example.gov"],
    ["Will it open?", "According to the Supreme Court (court.example).", "Supreme Court", "court.example"],
    ["Will it open?", "According to the Supreme Court. See other.example.", "Supreme Court", "supremecourt.gov"],
    ["Will it open, according to the Road Office?", "", "Road Office", undefined],
    ["Will it open, according to the Road Office?", "As reported by the Harbour Board.", "Harbour Board", undefined],
    ["Will it open?", "As reported by The Market.", undefined, undefined],
    ["Will it open?", "", undefined, undefined],
  ])("of %j with %j is %p at %p", (question, criteria, name, host) => {
    expect(resolutionSourceOf(question, criteria)).toEqual(name === undefined ? undefined : { name, host });
  });
});

describe("a page is of the source", () => {
  test.each<[isOfIt: boolean, name: string, host: string | undefined, url: string]>([
    [true, "Road Office", undefined, "https://roadoffice.example/"],
    [true, "Road Office", undefined, "https://www.road-office.co.uk/"],
    [true, "Road Office", undefined, "https://ro.example/"],
    [true, "Bank of Corland", undefined, "https://bc.example/"],
    [true, "Corland", undefined, "https://news.corland.example/"],
    [true, "Corland", undefined, "https://corland.gov.uk/"],
    [false, "Corland", undefined, "https://c.example/"],
    [false, "Road Office", undefined, "https://office.example/"],
    [true, "Road Office", "roads.example", "https://roads.example/x"],
    [true, "Road Office", "roads.example", "https://news.roads.example/x"],
    [false, "Road Office", "roads.example", "https://ro.example/"],
    [false, "Road Office", "roads.example", "https://badroads.example/"],
    [false, "nonsense", undefined, "nonsense"],
  ])("%p: %s at %p is that of %s", (isOfIt, name, host, url) => {
    expect(isOf({ name, host }, url)).toBe(isOfIt);
  });
});
