import { expect, test } from "bun:test";
import { planOf } from "../evidence/plan.ts";
import { type Source } from "../reading/analysis.ts";
import { type ModelOptions } from "./model-options.ts";
import { promptOf } from "./prompt.ts";

const NOW = Date.parse("2026-06-15T12:00:00Z");
const PLAN = planOf("Will the bridge over the Marl open by December 31, 2026?", "", NOW);
const INPUT_BYTES = 3000;
const OPTIONS: ModelOptions = {
  protocol: "openai",
  baseUrl: "https://model.test",
  model: "m",
  key: "",
  responseFormat: "text",
  tokensField: "max_tokens",
  maxInputTokens: INPUT_BYTES / 3,
  maxOutputTokens: 100,
  maxTokensPerQuestion: 100_000,
  maxTokensPerDay: 1_000_000,
  timeoutMs: 1000,
  fallback: false,
};

function textsOf(...texts: readonly string[]): string[] {
  const sources = texts.map((text): Source => {
    return { url: "https://a.test/", title: "", text, published: undefined, language: "en", isHint: false };
  });
  // The user's message is JSON that this function has made.
  const { sources: given } = JSON.parse(promptOf(PLAN, sources, NOW, OPTIONS).user) as { sources: { text: string }[] };
  return given.map(({ text }) => text);
}

const LONG = "The bridge over the Marl opens on Monday. ".repeat(400);

test("texts that fit are given whole", () => {
  expect(textsOf("One.", "Two.")).toEqual(["One.", "Two."]);
});

test("space that short texts leave goes to the long ones, in equal parts", () => {
  const [first = "", short, second = ""] = textsOf(LONG, "Short.", LONG);
  expect(short).toBe("Short.");
  const half = (INPUT_BYTES - "Short.".length) / 2;
  for (const { length } of [first, second]) {
    expect(length).toBeLessThanOrEqual(half + 10);
    expect(length).toBeGreaterThan(half * 0.9);
  }
});

test("a shortened text keeps its beginning and the sentences about the question", () => {
  const filler = "Ferries cross the river every hour, and carry no cars on Sundays. ".repeat(200);
  const [text = ""] = textsOf(
    `This page is about ferries. ${filler}The bridge over the Marl opened on June 1. ${filler}`,
  );
  expect(text).toStartWith("This page is about ferries.");
  expect(text).toContain("\n…\nThe bridge over the Marl opened on June 1.");
});
