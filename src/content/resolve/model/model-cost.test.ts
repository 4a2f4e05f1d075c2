/** Tests what a language model costs, and that a model that does not respond is asked no more. */
import { afterAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../../lib/testing/patience.ts";
import { until } from "../../../lib/testing/until.ts";
import { createStateFolder } from "../../testing/state-folder.ts";
import { planOf } from "../evidence/plan.ts";
import { type Plan, type Source } from "../reading/analysis.ts";
import { madeAnalyst, madeModelOptions } from "../testing/made-analyst.ts";
import { firstSentences, type ModelMode, startModelServer } from "../testing/model-server.ts";
import { type ModelAnalysis, type ModelAnalyst } from "./model-analyst.ts";
import { ModelError } from "./model-error.ts";
import { type ModelOptions } from "./model-options.ts";
import { tokensOf } from "./prompt.ts";

setDefaultTimeout(patient(20_000));

const NOW = Date.parse("2026-06-01T12:00:00Z");
const model = startModelServer();
const state = createStateFolder();
const clock = { now: 0 };
const free = new AbortController().signal;
const plan = planOf("Did the ferry sail?", "YES if it sailed.", NOW);
const sources = [source("The ferry sailed at noon. It was full.")];

afterAll(async () => {
  await model.close();
  state.remove();
});
beforeEach(() => {
  model.mode = "well";
  model.answer = firstSentences;
  model.usage = undefined;
  model.asked.length = 0;
  model.checks.length = 0;
});

function source(text: string): Source {
  return { url: "https://example.com/ferry", title: "Ferry", text, published: NOW, language: "en", isHint: false };
}

function analyst(options: Partial<ModelOptions> = {}, stateDir?: string): ModelAnalyst {
  return madeAnalyst(madeModelOptions(model.url, options), { stateDir, clock: () => clock.now, now: () => NOW });
}

function ask(made: ModelAnalyst, about: Plan = plan, read: readonly Source[] = sources): Promise<ModelAnalysis> {
  return made.analyse(about, read, { now: NOW, signal: free });
}

async function failureOf(asking: Promise<unknown>): Promise<ModelError> {
  const failed: unknown = await asking.then(
    () => new Error("it did not fail"),
    (error: unknown) => error,
  );
  if (!(failed instanceof ModelError)) throw failed;
  return failed;
}

test.each<[ModelMode, number]>([
  ["busy", 0],
  ["fails", 0],
  ["redirects", 0],
  ["broken", 29],
  ["off-schema", 29],
  ["cut", 29],
])("a failure says what it cost: %s", async (mode, tokens) => {
  model.mode = mode;
  const made = analyst();
  const failed = await failureOf(ask(made));
  expect([failed.cost, failed.account]).toEqual([{ calls: 1, tokens }, `${failed.message} (1 call, ${tokens} tokens)`]);
});

test.each<ModelMode>(["slowly", "stalls", "drips", "huge", "garbage"])(
  "a failure without a count costs the most that its request allowed: %s",
  async (mode) => {
    model.mode = mode;
    const made = analyst();
    const ends = new AbortController();
    const failing = failureOf(made.analyse(plan, sources, { now: NOW, signal: ends.signal }));
    await until(() => model.asked.length === 1);
    if (mode !== "huge" && mode !== "garbage") ends.abort();
    const { cost } = await failing;
    const { messages } = model.asked[0]?.body ?? {};
    const texts = Array.isArray(messages)
      ? messages.map(({ content }) => (Array.isArray(content) ? content[0].text : content))
      : [];
    const prompt = texts.reduce((sum: number, text: string) => sum + tokensOf(text), 0);
    expect(cost).toEqual({ calls: 1, tokens: prompt + 4_096 });
    expect(made.figures).toMatchObject({ failures: expect.any(Number), largest_call: prompt + 4_096 });
    await until(() => model.checks.length === 1);
  },
);

test.each<[string, object]>([
  ["no number", {}],
  ["negative", { prompt_tokens: -5_000, completion_tokens: -1 }],
  ["zero", { prompt_tokens: 0, completion_tokens: 0 }],
  ["larger than any text", { prompt_tokens: 1e300, completion_tokens: 1e15 }],
  ["no whole number", { prompt_tokens: 0.5, completion_tokens: 0.1 }],
])("a response without a plausible count costs its bytes: %s", async (_kind, usage) => {
  model.usage = usage;
  const { cost } = await ask(analyst());
  const text = JSON.stringify(
    firstSentences({ question: "", sources: [{ source: 1, url: "", text: sources[0]?.text ?? "" }] }),
  );
  expect(cost.tokens).toBeGreaterThan(tokensOf(text));
  expect(cost.tokens).toBeLessThan(10_000);
});

test("the day's tokens are limited for all analysts of a state folder, also after a restart", async () => {
  model.usage = { prompt_tokens: 30_000, completion_tokens: 10_000 };
  const options = { maxTokensPerDay: 64_000 };
  const [one, other] = [analyst(options, state.path), analyst(options, state.path)];
  await ask(one);
  await ask(other);
  const refused = await failureOf(ask(one));
  expect([refused.kind, refused.message, refused.cost]).toEqual([
    "budget",
    "max_tokens_per_day is used up",
    { calls: 0, tokens: 0 },
  ]);
  one.close();
  other.close();
  const restarted = analyst(options, state.path);
  expect((await failureOf(ask(restarted))).kind).toBe("budget");
  expect(restarted.figures).toMatchObject({ calls: 0, tokens_of_day: 80_000, max_tokens_per_day: 64_000 });
  restarted.close();
  expect([model.asked.length, model.checks.length]).toEqual([2, 0]);
});

test("concurrent questions reserve their tokens, so that together they stay within the day's", async () => {
  const made = analyst({ maxTokensPerDay: 64_000, maxOutputTokens: 40_000 });
  const all = await Promise.allSettled(Array.from({ length: 8 }, () => ask(made)));
  expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(model.asked).toHaveLength(1);
});

test("a question's tokens are limited, also if its sources consist of characters that JSON escapes", async () => {
  const hostile = [source("\u0001".repeat(100_000)), source('"\\'.repeat(50_000)), ...sources];
  const made = analyst({ maxTokensPerQuestion: 8_000 });
  await ask(made, { ...plan, criteria: "é".repeat(500) }, hostile);
  expect(tokensOf(JSON.stringify(model.asked[0]?.body["messages"]))).toBeLessThan(8_000);
  expect(model.asked[0]?.task.sources.at(-1)?.text).toBe(sources[0]?.text ?? "");
  const refused = await failureOf(ask(made, { ...plan, criteria: "é".repeat(20_000) }));
  expect([refused.kind, refused.message]).toEqual(["budget", "the question takes more than max_tokens_per_question"]);
});

test("only the first question waits for a dead model, and one check finds out that it works again", async () => {
  const made = analyst();
  model.mode = "slowly";
  const ends = new AbortController();
  const first = failureOf(made.analyse(plan, sources, { now: NOW, signal: ends.signal }));
  await until(() => model.asked.length === 1);
  model.mode = "fails";
  ends.abort();
  expect((await first).kind).toBe("timeout");
  const others = await Promise.all(Array.from({ length: 20 }, () => failureOf(ask(made))));
  expect(new Set(others.map(({ message }) => message))).toEqual(
    new Set(["it is not asked until it works again: it responded with 500"]),
  );
  expect([model.asked.length, model.checks.length, made.figures.is_stopped]).toEqual([1, 1, true]);
  model.mode = "well";
  clock.now += 2_000;
  await Promise.all(Array.from({ length: 3 }, () => ask(made)));
  expect([model.asked.length, model.checks.length, made.figures.is_stopped]).toEqual([4, 2, false]);
});

test("a question that the model cannot answer in time does not stop it for others", async () => {
  const made = analyst();
  for (let round = 0; round < 5; round += 1) {
    model.mode = "slowly";
    const hurried = AbortSignal.timeout(20);
    await failureOf(made.analyse(plan, sources, { now: NOW, signal: hurried }));
    model.mode = "well";
    await until(() => model.checks.length > 0);
    await ask(made);
  }
  expect(made.figures.is_stopped).toBe(false);
});
