import { expect, test } from "bun:test";
import { planOf } from "../evidence/plan.ts";
import { judge } from "./judge.ts";

const NOW = Date.parse("2026-06-10T12:00:00Z");
const plan = planOf("Did Governor Marlow sign the Water Act?", "", NOW);

function judged(text: string) {
  const source = { url: "https://a.test/", title: "", text, published: undefined, language: "", isHint: false };
  return judge({ plan, sources: [source], analysis: undefined, now: NOW });
}

test("an answer of one word is a statement of the embedded analyst, too short for a check of its quote", async () => {
  const { judgement, invented } = await judged("Did Governor Marlow sign the Water Act? No.");
  expect(judgement.verdict).toBe("LIKELY_NO");
  expect(judgement.evidence[0]).toMatchObject({ claim: "No.", supports: "NO" });
  expect(invented).toBe(0);
});

test("the reasoning says how many sources are in a language that the embedded analyst does not read", async () => {
  const { judgement } = await judged("De gouverneur van het district heeft de wet van Marlow niet getekend, zegt men.");
  expect(judgement.reasoning).toContain("1 source is in a language that the embedded analyst does not read.");
});
