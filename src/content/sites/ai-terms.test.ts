import { describe, expect, test } from "bun:test";
import { deniedUse, termsOfFields } from "../page/ai-terms.ts";
import { parseRobots } from "./robots.ts";
import { deniedUses, readRsl } from "./rsl.ts";

const BASE = "https://a.example/news/1";
const fields = (...headers: [string, string][]) => termsOfFields(headers, BASE);

test("reads content signals of the crawler's group and the licence of robots.txt", () => {
  const text = `License: https://a.example/license.xml
User-agent: *
Content-Signal: search=yes, ai-train=no, other=no, ai-input=maybe
Allow: /
User-agent: turnpike
Content-Signal: AI-Input = no`;
  const { terms } = parseRobots(text, "other");
  expect(terms).toEqual({ signals: { search: true, "ai-train": false }, license: "https://a.example/license.xml" });
  expect(parseRobots(text, "turnpike").terms.signals).toEqual({ "ai-input": false });
  expect(parseRobots("License: license.xml\nUser-agent: *\nDisallow: /x", "turnpike").terms).toEqual({});
});

test("reads the terms of header fields", () => {
  expect(fields(["TDM-Reservation", "1"], ["tdm-policy", "/policy.json"])).toEqual({
    tdm_reserved: true,
    tdm_policy: "https://a.example/policy.json",
  });
  expect(fields(["tdm-reservation", "0"])).toEqual({ tdm_reserved: false });
  expect(fields(["tdm-reservation", "yes"], ["tdm-policy", "javascript:x"])).toEqual({});
  const links = '</style.css>; rel="preload", </l,1.xml>; type="application/rsl+xml"; rel="license"';
  expect(fields(["Link", links])).toEqual({ license: "https://a.example/l,1.xml" });
  expect(fields(["Link", '</cc>; rel="license"'])).toEqual({});
});

test("says which of the operator's uses is denied", () => {
  expect(deniedUse({ signals: { "ai-train": false, search: true } }, ["search", "ai-train"])).toBe("ai-train");
  expect(deniedUse({ signals: { "ai-train": false } }, ["search", "ai-input"])).toBeUndefined();
  expect(deniedUse({ tdm_reserved: true }, ["tdm"])).toBe("tdm");
  expect(deniedUse({ tdm_reserved: true }, ["ai-train"])).toBeUndefined();
  expect(deniedUse({ license_denies: ["ai-input"] }, ["ai-input"])).toBe("ai-input");
});

const denied = (content: string, path = "/news/1") =>
  deniedUses(
    readRsl(`<rsl xmlns="https://rslstandard.org/rsl">${content}</rsl>`, "https://a.example/license.xml"),
    new URL(path, BASE),
  );
const license = (terms: string) => `<content url="/"><license>${terms}</license></content>`;

describe("an RSL licence", () => {
  const CASES: readonly (readonly [what: string, content: string, denied: readonly string[]])[] = [
    ["prohibits a use", license('<prohibits type="usage">ai-train</prohibits>'), ["ai-train"]],
    ["permits some uses alone", license('<permits type="usage">search ai-input</permits>'), ["ai-train"]],
    ["prohibits all uses by AI", license('<prohibits type="usage">ai-all</prohibits>'), ["ai-input", "ai-train"]],
    [
      "costs money",
      license('<payment type="crawl"><amount currency="USD">1</amount></payment>'),
      ["search", "ai-input", "ai-train"],
    ],
    ["asks for a name", license('<payment type="attribution"/>'), []],
    [
      "is about other pages",
      '<content url="/shop/*"><license><prohibits type="usage">all</prohibits></license></content>',
      [],
    ],
    [
      "is about another site",
      '<content url="https://b.example/"><license><prohibits type="usage">all</prohibits></license></content>',
      [],
    ],
    [
      "grants for nothing what another sells",
      `<content url="/"><license><permits type="usage">search</permits></license><license><payment type="purchase"/></license></content>`,
      ["ai-input", "ai-train"],
    ],
    ["is cut", "<content url='/'><license><prohibits type='usage'>all", ["search", "ai-input", "ai-train"]],
  ];
  test.each(CASES)("that %s", (_, content, expected) => expect<readonly string[]>(denied(content)).toEqual(expected));
});
