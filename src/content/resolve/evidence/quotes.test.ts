import { describe, expect, test } from "bun:test";
import { QuotedText } from "./quotes.ts";

const PAGE = new QuotedText(
  "The minister said:\n\n\u201cWe will not sign \u2014 not now,\u201d and left.\nIt\u2019s  the\u00a0**third** refusal since May\u2010June.",
);

describe("a quote stands in its text", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["as it is", "and left"],
    ["with other quotation marks", '"We will not sign'],
    ["with another dash", "not sign - not now"],
    ["with other white space", "It's the third refusal"],
    ["without the emphasis of Markdown", "the third refusal since May-June"],
    ["over lines", 'The minister said: "We will'],
  ];
  for (const [name, quote] of cases) test(name, () => expect(PAGE.has(quote)).toBe(true));
});

describe("a quote does not stand in its text", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["with a word less", "We will sign"],
    ["with a word more", "the third firm refusal"],
    ["in another order", "and left the minister"],
    ["that is empty", ""],
    ["of nothing but white space", "  \n "],
    ["too short to prove anything", "the"],
    ["with an ellipsis over what was left out", "The minister said ... and left"],
  ];
  for (const [name, quote] of cases) test(name, () => expect(PAGE.has(quote)).toBe(false));
});
