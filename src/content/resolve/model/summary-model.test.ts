import { expect, test } from "bun:test";
import { SummaryModel } from "./summary-model.ts";

const PAGE = { url: "https://site.test/", title: "Lamp", text: "The lamp is lit. ".repeat(10_000) };

/** The summary of a model that responds with `text`, and its prompt. */
async function summarise(text: string) {
  let asked = "";
  const analyst = {
    ask: async ({ prompt }: { readonly prompt: { readonly user: string } }) => {
      asked = prompt.user;
      return { text, tokens: 1, finish: "stop", inputTokens: 1, outputTokens: 1 };
    },
  };
  const summary = await new SummaryModel(analyst, { maxOutputTokens: 100 }).summarise(
    PAGE,
    new AbortController().signal,
  );
  return { summary, asked };
}

/** Why the response of a model is refused. */
const refusal = (text: string) => summarise(text).then(({ summary }) => `accepted: ${summary}`, String);

const written = (summary: string) => JSON.stringify({ summary });

test("a summary is one line without control characters, and the text of the page is bounded", async () => {
  const { summary, asked } = await summarise(
    `<think>{"summary":"x"}</think>${written(" A \u202elamp\u0007\n burns,\u2028 2 of 3. ")}`,
  );
  expect(summary).toBe("A lamp burns, 2 of 3.");
  expect(asked.length).toBeGreaterThan(30_000);
  expect(asked.length).toBeLessThan(40_000);
});

test.each([
  ["", "empty or too long"],
  ["\u200b", "empty or too long"],
  ["x".repeat(1_501), "empty or too long"],
  ["See <b>this</b>", "markup or addresses"],
  ["See [this](//h)", "markup or addresses"],
  ["See [this][1]", "markup or addresses"],
  ["**Bold**", "markup or addresses"],
  ["# Title", "markup or addresses"],
  ["Use `rm`", "markup or addresses"],
  ["Go to https://evil.test", "markup or addresses"],
  ["Go to www.evil.test", "markup or addresses"],
  ["Go to ht\u200btps://evil.test", "markup or addresses"],
])("%j is refused", async (text, why) => {
  expect(await refusal(written(text))).toContain(why);
});

test("a response without a summary is refused", async () => {
  expect(await refusal("The lamp is lit.")).toContain("is not JSON with a summary");
});
