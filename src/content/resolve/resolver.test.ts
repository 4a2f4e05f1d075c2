import { afterAll, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { createStateFolder } from "../testing/state-folder.ts";
import { JudgingThreads } from "./judging/judging-threads.ts";
import { Resolver } from "./resolver.ts";
import { startMadeWeb } from "./testing/made-web.ts";

setDefaultTimeout(patient(20_000));

const state = createStateFolder();
const web = startMadeWeb(state.path);
const log: string[] = [];

afterAll(async () => {
  await web.close();
  state.remove();
});

const request = { question: "Did the ferry sail?", criteria: "", maxSources: 1, timeoutMs: 120_000 };
const free = new AbortController().signal;

function resolverWith(judging: JudgingThreads): Resolver {
  return new Resolver({
    pages: web.reader,
    search: web.search,
    judging,
    model: undefined,
    now: Date.now,
    clock: () => performance.now(),
    log: (message) => log.push(message),
  });
}

test("sources that cannot be judged yield an uncertain answer to the question", async () => {
  const judging = new JudgingThreads();
  web.pages.set("/a/x", () => {
    judging.close();
    return new Response("<article><p>The ferry sailed.</p></article>", { headers: { "content-type": "text/html" } });
  });
  const { judgement, sources } = await resolverWith(judging).resolve(
    { ...request, hints: [web.address("/a/x")] },
    free,
  );
  expect([judgement.verdict, judgement.probability, judgement.confidence, sources.length]).toEqual([
    "UNCERTAIN",
    0.5,
    "low",
    1,
  ]);
  expect(judgement.reasoning).toBe("The sources could not be examined in time.");
  expect(log).toEqual(["cannot judge sources: too many are waiting"]);
});

test("the time of plan and judgement is limited by the request's", async () => {
  const limits = spyOn(AbortSignal, "timeout");
  const judging = new JudgingThreads();
  try {
    await resolverWith(judging).resolve({ ...request, hints: [web.address("/a/x")] }, free);
    const [plan = 0] = limits.mock.calls[0] ?? [];
    const [judgement = 0] = limits.mock.calls.at(-1) ?? [];
    // 40 % are kept for gathering, and 3 s for judging.
    expect(plan).toBe(0.6 * request.timeoutMs - 3000);
    expect(judgement).toBeLessThanOrEqual(request.timeoutMs);
  } finally {
    limits.mockRestore();
    judging.close();
  }
});

test("a question that cannot be read now fails with a retryable error", async () => {
  const judging = new JudgingThreads();
  judging.close();
  const failed: unknown = await resolverWith(judging)
    .resolve({ ...request, hints: [] }, free)
    .catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: "overloaded", message: "Cannot read the question: too many are waiting" });
});
