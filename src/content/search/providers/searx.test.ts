import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { PUBLIC_WEB } from "../../egress/guard.ts";
import { askProvider } from "../ask-provider.ts";
import { Search } from "../search.ts";
import { HAS_SEARX, type Searx, startSearx } from "../testing/searx.ts";
import { createSearxng } from "./searxng.ts";
import { patient } from "../../../lib/testing/patience.ts";

// Python on a busy machine can be slow.
setDefaultTimeout(patient(60_000));

const TITLE = HAS_SEARX ? "Debian's searx" : "Debian's searx, which is not installed here (apt-get install searx)";

/** An engine behind searx: thirty results, ten per page. Some queries trigger other behaviour. */
function startBackEnd() {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { searchParams } = new URL(request.url);
      const query = searchParams.get("q") ?? "";
      const page = Number(searchParams.get("page"));
      if (query === "broken") return new Response("broken", { status: 500 });
      const count = query === "nothing" || page > 3 ? 0 : 10;
      const results = Array.from({ length: count }, (_, n) => ({
        url: `https://made.test/${page}/${n}?utm_source=searx`,
        title: `${query} & <b>more</b> ${n}`,
        content: `About   ${query}`,
      }));
      return Response.json({ results });
    },
  });
}

describe.skipIf(!HAS_SEARX)(TITLE, () => {
  let searx: Searx;
  let backEnd: ReturnType<typeof startBackEnd>;

  beforeAll(async () => {
    backEnd = startBackEnd();
    searx = await startSearx(`http://127.0.0.1:${backEnd.port}/`);
  });
  afterAll(async () => {
    await searx.close();
    await backEnd.stop(true);
  });

  const ask = (query: string, count: number) =>
    askProvider(createSearxng(searx.url), {
      query,
      count,
      filters: {},
      policy: PUBLIC_WEB,
      signal: AbortSignal.timeout(patient(30_000)),
    });

  test("is requested page by page until there are enough results, in clean text", async () => {
    const { results, complete } = await ask("tides 東京", 25);
    expect([results.length, complete]).toEqual([30, true]);
    const first = results.find(({ url }) => url.startsWith("https://made.test/1/0"));
    expect(first).toEqual({ title: "tides 東京 & more 0", url: "https://made.test/1/0", snippet: "About tides 東京" });
  });

  test("finds nothing if its engine finds nothing", async () => {
    expect((await ask("nothing", 10)).results).toEqual([]);
  });

  test("fails if its engine fails", async () => {
    expect(await ask("broken", 10).catch((error: unknown) => String(error))).toContain("its engines do not respond");
  });

  test("gets no commands: bangs, languages, categories and timeouts are plain words", async () => {
    for (const query of ["!!g tides", "!md tides", ":fr tides", "?general tides", "<1 tides", "tides !!wp"]) {
      const [first] = (await ask(query, 1)).results;
      expect([query, first?.title]).toEqual([query, expect.stringMatching(/\btides\b/)]);
    }
    expect((await ask("!!", 1)).results).toEqual([]);
  });

  test("serves others while hostile queries arrive, and its breaker stays closed", async () => {
    const search = new Search({
      providers: [createSearxng(searx.url)],
      policy: PUBLIC_WEB,
      parallel: 1,
      providerTimeoutMs: patient(20_000),
      cacheMs: 0,
      log: () => undefined,
      now: () => performance.now(),
    });
    const look = async (query: string) =>
      await search.search({ query, count: 5, timeoutMs: patient(30_000) }).then(
        ({ results }) => results.length,
        () => "failed",
      );
    const hostile = [
      "!!g a",
      "!!wp",
      ":xx !!ddg b",
      "broken",
      "<99999 c",
      "\u0000",
      "!! d",
      "x".repeat(5_000),
      "broken",
    ];
    for (let round = 0; round < 4; round += 1) {
      const outcomes = await Promise.all([
        ...hostile.map((query) => look(query)),
        look(`tides ${round}`),
        look(`harbours ${round}`),
      ]);
      expect(outcomes.slice(hostile.length)).toEqual([5, 5]);
      expect(search.states()).toMatchObject([{ name: "searxng", state: "closed" }]);
    }
    expect(search.failure()).toBeUndefined();
  });
});
