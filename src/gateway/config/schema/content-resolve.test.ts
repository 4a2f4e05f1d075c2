import { expect, test } from "bun:test";
import { contentResolve } from "./content-resolve.ts";

const MODEL = { base_url: "http://127.0.0.1:11434/v1", model: "qwen3:32b" };

test("the limits of tokens have defaults", () => {
  const limits = { max_tokens_per_question: 64_000, max_tokens_per_day: 10_000_000 };
  expect(contentResolve.parse({ model: MODEL }).model).toMatchObject(limits);
});

test.each([
  [{ max_output_tokens: 63_000 }, "max_tokens_per_question", "expected at least 2000 more than max_output_tokens"],
  [{ max_tokens_per_day: 63_999 }, "max_tokens_per_day", "expected at least max_tokens_per_question"],
])("limits that leave no room for a question are refused: %p", (limits, key, message) => {
  const { error } = contentResolve.safeParse({ model: { ...MODEL, ...limits } });
  expect(error?.issues).toMatchObject([{ path: ["model", key], message }]);
});
