import { afterAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ANYWHERE, PUBLIC_WEB } from "../../egress/guard.ts";
import { Extractor } from "../../extractor/extractor.ts";
import { askProvider } from "../ask-provider.ts";
import { IndexQueries } from "../index/index-queries.ts";
import { PageIndex } from "../index/page-index.ts";
import { ProviderError, type SearchProvider } from "../web/provider.ts";
import { createProviders, PROVIDER_NAMES, type ProviderName } from "../providers.ts";
import { type EngineKind, type MadeEngine, type Mode, RESULTS, startEngine } from "../testing/engines.ts";
import { patient } from "../../../lib/testing/patience.ts";

// Many pages, on a machine that may be busy.
setDefaultTimeout(patient(30_000));

const folder = mkdtempSync(join(tmpdir(), "turnpike-providers-"));
const path = join(folder, "index.db");
const index = PageIndex.open(path);
const queries = new IndexQueries(path);
const extractor = new Extractor();
const engines: Readonly<Record<EngineKind, MadeEngine>> = {
  searxng: startEngine("searxng"),
  brave: startEngine("brave"),
  duckduckgo: startEngine("duckduckgo"),
  mojeek: startEngine("mojeek"),
};
const KEY = "a-secret-key";
const TIDES = { query: "tides", filters: {}, policy: PUBLIC_WEB };

function make(policy = ANYWHERE): Readonly<Record<ProviderName, SearchProvider>> {
  return createProviders({
    egress: { policy },
    extractor,
    userAgent: "Test/1",
    searxngUrl: engines.searxng.endpoint,
    braveKey: KEY,
    index: {
      hasPages: () => index.hasPages(),
      search: (query, signal) => queries.search(query, signal),
    },
    endpoints: Object.fromEntries(Object.entries(engines).map(([name, { endpoint }]) => [name, endpoint])),
  });
}

const providers = make();
const REMOTE = PROVIDER_NAMES.filter((name) => name !== "local");

for (let n = 0; n < RESULTS; n += 1) {
  const url = `https://example-local.test/page/${n}`;
  index.put({ url, title: `tides & ${n}`, text: `About tides, number ${n}`, site: undefined });
}

beforeEach(() => {
  for (const engine of Object.values(engines)) {
    engine.mode = "answers";
    engine.asked.length = 0;
  }
});

afterAll(async () => {
  extractor.close();
  queries.close();
  index.close();
  for (const engine of Object.values(engines)) await engine.close();
  rmSync(folder, { recursive: true });
});

function ask(name: ProviderName, count: number, signal = AbortSignal.timeout(patient(10_000)), from = providers) {
  return askProvider(from[name], { ...TIDES, count, signal });
}

async function failureOf(promise: Promise<unknown>): Promise<ProviderError> {
  const error: unknown = await promise.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (!(error instanceof ProviderError)) throw new Error("expected a ProviderError");
  return error;
}

test("the providers say how many pages and results they have, and which text they mark", () => {
  const limits = Object.values(make()).map(({ name, markup, maxPages, maxResults }) => [
    name,
    markup,
    maxPages,
    maxResults,
  ]);
  expect(limits).toEqual([
    ["local", false, 4, 200],
    ["searxng", true, 5, 50],
    ["brave", true, 10, 200],
    ["duckduckgo", false, 4, 40],
    ["mojeek", false, 5, 50],
  ]);
});

describe.each(PROVIDER_NAMES)("the provider %s", (name) => {
  test("returns titles, addresses and snippets as clean text", async () => {
    expect(providers[name].name).toBe(name);
    expect(providers[name].available()).toBe(true);
    const { results } = await ask(name, 3);
    const first = results.find(({ url }) => url === `https://example-${name}.test/page/0`);
    expect(first?.title).toBe("tides & 0");
    expect(first?.snippet).toBe("About tides, number 0");
  });

  test("requests page after page until there are enough results, each page once", async () => {
    const { results, complete } = await ask(name, 35);
    expect(results.length).toBeGreaterThanOrEqual(35);
    expect(new Set(results.map(({ url }) => url)).size).toBe(results.length);
    expect(complete).toBe(true);
  });

  test("returns all results if more are requested, within its pages", async () => {
    const { results } = await ask(name, 50);
    const bound = name === "duckduckgo" ? 40 : RESULTS;
    expect(results.length).toBe(bound);
  });
});

describe.each([...REMOTE])("the provider %s", (name) => {
  test("returns no results if its server found nothing", async () => {
    engines[name].mode = "nothing";
    expect(await ask(name, 10)).toEqual({ results: [], complete: true });
  });

  const FAILURES: readonly (readonly [Mode, readonly ProviderError["reason"][]])[] = [
    ["limited", ["limited"]],
    ["challenge", ["challenge", "unreachable"]],
    ["garbage", ["unreadable"]],
    ["huge", ["unreadable"]],
    ["redirects", ["challenge"]],
  ];
  test.each(FAILURES)("fails if its server %s", async (mode, reasons) => {
    engines[name].mode = mode;
    const failure = await failureOf(ask(name, 10));
    expect(reasons).toContain(failure.reason);
    if (mode === "huge") expect(failure.message).toContain("more than 1048576 bytes");
    expect(failure.message).not.toContain(KEY);
    expect(failure.message).not.toContain("127.0.0.");
  });

  test("ends when the signal aborts if its server never responds", async () => {
    engines[name].mode = "hangs";
    const controller = new AbortController();
    const asked = failureOf(ask(name, 10, controller.signal));
    while (engines[name].asked.length === 0) await Bun.sleep(1);
    controller.abort();
    expect((await asked).reason).toBe("timeout");
  });

  test("returns only http and https addresses, without users and tracking parameters", async () => {
    engines[name].mode = "strange";
    const { results } = await ask(name, 10);
    expect(results.map(({ url }) => url)).toEqual(["https://strange.test/?a=1"]);
    for (const { title } of results) expect(title).toMatch(/^(?:deep|evil|https:\/\/strange\.test\/\?a=1)$/);
  });

  test("sends a query with any characters unchanged", async () => {
    const query = `"quoted" & <b> 東京 😀 #?=%`;
    await askProvider(providers[name], { ...TIDES, query, count: 1, signal: AbortSignal.timeout(patient(10_000)) });
    expect(engines[name].asked[0]?.parameters.get("q")).toBe(query);
  });
});

test("keyless providers and Brave cannot reach private addresses, but the operator's SearXNG may have one", async () => {
  const guarded = make(PUBLIC_WEB);
  for (const name of ["brave", "duckduckgo", "mojeek"] as const) {
    const failure = await failureOf(ask(name, 10, undefined, guarded));
    expect(failure.message).toBe("its address is refused");
    expect(engines[name].asked.length).toBe(0);
  }
  expect((await ask("searxng", 1, undefined, guarded)).results.length).toBe(10);
});

test("Brave receives its key in a header field, and no query longer than it accepts", async () => {
  const signal = AbortSignal.timeout(patient(10_000));
  await askProvider(providers.brave, { ...TIDES, query: "word ".repeat(200), count: 5, signal });
  const [request] = engines.brave.asked;
  expect(request?.headers.get("x-subscription-token")).toBe(KEY);
  expect(request?.parameters.get("q")?.split(" ").length).toBe(49);
});

test("a page that fails after others keeps their results", async () => {
  const asked = ask("duckduckgo", 30);
  while (engines.duckduckgo.asked.length === 0) await Bun.sleep(0);
  engines.duckduckgo.mode = "limited";
  const { results, complete } = await asked;
  expect([results.length % 10, complete]).toEqual([0, false]);
  expect(results.length).toBeLessThan(30);
});

test("providers without address, key or index are not available", () => {
  const none = createProviders({
    egress: { policy: PUBLIC_WEB },
    extractor,
    userAgent: "",
    searxngUrl: "",
    braveKey: "",
    index: { hasPages: () => false, search: () => Promise.resolve([]) },
  });
  expect(PROVIDER_NAMES.map((name) => none[name].available())).toEqual([false, false, false, true, true]);
});

test("the index runs in its own thread: a query may be refused or aborted, and too many are refused", async () => {
  const never = new AbortController();
  const one = { query: "tides", count: 1 };
  const given = AbortSignal.abort();
  expect((await failureOf(queries.search(one, given))).reason).toBe("timeout");
  const many = Array.from({ length: 200 }, () => queries.search(one, never.signal));
  const settled = await Promise.allSettled(many);
  const refused = settled.filter(({ status }) => status === "rejected");
  expect(refused.length).toBeGreaterThanOrEqual(136);
  expect((await queries.search(one, never.signal)).length).toBe(1);
  const broken = new IndexQueries(join(folder, "absent", "index.db"));
  expect((await failureOf(broken.search(one, never.signal))).message).toBe("its index cannot be read");
  const closed = broken.search(one, never.signal);
  broken.close();
  expect((await failureOf(closed)).reason).toBe("unreachable");
});
