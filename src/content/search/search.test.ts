import { describe, expect, test } from "bun:test";
import { type ErrorCode, TurnpikeError } from "../../lib/errors.ts";
import {
  type FilterName,
  ProviderError,
  type ProviderRequest,
  type SearchFilters,
  type SearchProvider,
} from "./web/provider.ts";
import { type RawResult } from "./web/result.ts";
import { PUBLIC_WEB } from "../egress/guard.ts";
import { Search, type SearchDeps } from "./search.ts";

type Behaviour = (request: ProviderRequest) => Promise<readonly RawResult[]>;

interface Made extends SearchProvider {
  behaviour: Behaviour;
  calls: number;
}

function raw(letters: string): RawResult[] {
  return Array.from(letters).map((letter) => ({
    title: letter,
    url: `https://${letter}.test/`,
    snippet: `about ${letter}`,
  }));
}

const fails = (reason: ProviderError["reason"]) => () => Promise.reject(new ProviderError(reason, `it is ${reason}`));
const hangs: Behaviour = ({ signal }) =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new ProviderError("timeout", "it did not respond in time")));
  });
const never: Behaviour = () => new Promise(() => undefined);

function provider(name: string, behaviour: string | Behaviour): Made {
  const made: Made = {
    name,
    markup: false,
    base: "https://engine.test/",
    maxPages: 1,
    maxResults: 100,
    filters: new Set(),
    behaviour: typeof behaviour === "string" ? () => Promise.resolve(raw(behaviour)) : behaviour,
    calls: 0,
    available: () => true,
    async page(request) {
      made.calls += 1;
      return { results: await made.behaviour(request), next: undefined };
    },
  };
  return made;
}

function setUp(providers: readonly SearchProvider[], more: Partial<SearchDeps> = {}) {
  const clock = { now: 0 };
  const log: string[] = [];
  const search = new Search({
    providers,
    policy: PUBLIC_WEB,
    parallel: 2,
    providerTimeoutMs: 5_000,
    cacheMs: 300_000,
    log: (message) => log.push(message),
    now: () => clock.now,
    ...more,
  });
  const ask = async (query: string, count = 10, timeoutMs = 10_000) => {
    const { results, providers: names, cached } = await search.search({ query, count, timeoutMs });
    return { letters: results.map(({ title }) => title).join(""), names: names.join(), cached };
  };
  return { search, ask, clock, log };
}

/** Lets probes end, which run in the background. */
const settled = () => Bun.sleep(0);

/** A provider that can apply these restrictions. */
const able = (name: string, behaviour: string | Behaviour, filters: readonly FilterName[]): Made => ({
  ...provider(name, behaviour),
  filters: new Set(filters),
});

async function codeOf(promise: Promise<unknown>): Promise<ErrorCode | undefined> {
  return await promise.then(
    () => undefined,
    (error: unknown) => (error instanceof TurnpikeError ? error.code : undefined),
  );
}

describe("the chain", () => {
  test("merges the results of one wave, and asks no further provider if they are enough", async () => {
    const [one, two, three] = [provider("one", "abc"), provider("two", "dbe"), provider("three", "x")];
    const { ask } = setUp([one, two, three]);
    expect(await ask("q", 5)).toEqual({ letters: "badce", names: "one,two", cached: false });
    expect(three.calls).toBe(0);
  });

  test("continues if there are too few results", async () => {
    const { ask } = setUp([provider("one", "a"), provider("two", ""), provider("three", "b"), provider("four", "c")]);
    expect(await ask("q", 3)).toEqual({ letters: "abc", names: "one,two,three,four", cached: false });
  });

  test("continues if providers fail", async () => {
    const { ask } = setUp([provider("one", fails("limited")), provider("two", hangs), provider("three", "abc")], {
      providerTimeoutMs: 50,
    });
    expect(await ask("q")).toEqual({ letters: "abc", names: "three", cached: false });
  });

  test("skips providers that are not available", async () => {
    const idle = { ...provider("idle", "x"), available: () => false };
    const { ask, search } = setUp([idle, provider("one", "a")]);
    expect(await ask("q")).toMatchObject({ letters: "a", names: "one" });
    expect(search.states()).toEqual([{ name: "one", state: "closed" }]);
  });

  test("does not wait for a provider that ignores its timeout, within the request's", async () => {
    const { ask } = setUp([provider("one", never), provider("two", "abc")], { parallel: 1 });
    expect((await ask("q", 10, 200)).letters).toBe("abc");
  });

  test("an empty result from all providers is a response", async () => {
    const { ask } = setUp([provider("one", ""), provider("two", "")]);
    expect(await ask("q")).toEqual({ letters: "", names: "one,two", cached: false });
  });
});

describe("a search fails", () => {
  const CASES: readonly (readonly [string, readonly SearchProvider[], ErrorCode])[] = [
    [
      "if every provider fails",
      [provider("a", fails("challenge")), provider("b", fails("unreachable"))],
      "search-failed",
    ],
    ["with a timeout if every provider is late", [provider("a", hangs), provider("b", never)], "search-timeout"],
    ["if some fail and the others find nothing", [provider("a", ""), provider("b", fails("limited"))], "search-failed"],
    ["if no provider is configured", [], "search-unavailable"],
    [
      "if the results have no addresses",
      [provider("a", () => Promise.resolve([{ title: 1, url: 2, snippet: 3 }]))],
      "search-failed",
    ],
    [
      "if a provider throws an error",
      [provider("a", () => Promise.reject(new TypeError("broken /etc/secret")))],
      "search-failed",
    ],
  ];
  test.each(CASES)("%s", async (_, providers, code) => {
    const { ask } = setUp(providers, { providerTimeoutMs: 50 });
    expect(await codeOf(ask("q"))).toBe(code);
  });

  test("and reports why each provider failed, without internal details", async () => {
    const { ask } = setUp([
      provider("one", fails("limited")),
      provider("two", () => Promise.reject(new TypeError("/secret"))),
    ]);
    const message = await ask("q").catch((error: unknown) => String(error));
    expect(message).toContain("(one: it is limited; two: it failed)");
  });
});

describe("the cache", () => {
  test("serves the same words again for its time, with any spacing", async () => {
    const one = provider("one", "ab");
    const { ask, clock } = setUp([one]);
    await ask("tide tables");
    expect(await ask(" tide \n tables ")).toEqual({ letters: "ab", names: "one", cached: true });
    expect((await ask("Tide tables")).cached).toBe(false);
    clock.now = 299_999;
    expect((await ask("tide tables")).cached).toBe(true);
    clock.now = 300_000;
    expect((await ask("tide tables")).cached).toBe(false);
    expect(one.calls).toBe(3);
  });

  test("keeps a response that lacks a provider, or has no results, for less time", async () => {
    const { ask, clock } = setUp([provider("one", "a"), provider("two", fails("limited"))]);
    const empty = setUp([provider("one", "")]);
    await ask("q");
    await empty.ask("q");
    clock.now = 29_999;
    expect((await ask("q")).cached).toBe(true);
    clock.now = 30_000;
    expect((await ask("q")).cached).toBe(false);
    empty.clock.now = 60_000;
    expect((await empty.ask("q")).cached).toBe(false);
  });

  test("keeps no failures", async () => {
    const one = provider("one", fails("unreachable"));
    const { ask } = setUp([one]);
    expect(await codeOf(ask("q"))).toBe("search-failed");
    one.behaviour = () => Promise.resolve(raw("a"));
    expect((await ask("q")).letters).toBe("a");
  });

  test("sends one search for many equal requests at the same time", async () => {
    const gate = Promise.withResolvers<readonly RawResult[]>();
    const one = provider("one", () => gate.promise);
    const { ask } = setUp([one]);
    const all = Array.from({ length: 20 }, () => ask("q"));
    gate.resolve(raw("ab"));
    expect((await Promise.all(all)).map(({ letters }) => letters)).toEqual(Array.from({ length: 20 }, () => "ab"));
    expect(one.calls).toBe(1);
  });
});

test("a search beyond 128 that are under way is refused, and an equal one joins", async () => {
  const gate = Promise.withResolvers<readonly RawResult[]>();
  const { ask } = setUp([provider("one", () => gate.promise)]);
  const all = Array.from({ length: 128 }, (_, n) => ask(`q${n}`));
  expect(await codeOf(ask("one more"))).toBe("overloaded");
  const joined = ask("q0");
  gate.resolve(raw("a"));
  expect((await Promise.all([...all, joined])).map(({ letters }) => letters)).toEqual(Array<string>(129).fill("a"));
  expect((await ask("one more")).letters).toBe("a");
});

test("no further provider is asked when the request's time is used up", async () => {
  const two = provider("two", "b");
  const clock = { now: 0 };
  const one = provider("one", () => {
    clock.now += 10_000;
    return Promise.resolve([]);
  });
  const { ask } = setUp([one, two], { parallel: 1, now: () => clock.now });
  expect(await ask("q", 10, 10_000)).toEqual({ letters: "", names: "one", cached: false });
  expect(two.calls).toBe(0);
});

describe("the breakers", () => {
  test("count failures in a row: a success begins again", async () => {
    const queries: string[] = [];
    const one = provider("one", ({ query }) => {
      queries.push(query);
      return query.startsWith("bad") ? fails("challenge")() : Promise.resolve(raw("a"));
    });
    const { ask } = setUp([one]);
    const asked = ["bad 1", "bad 2", "good 1", "bad 3", "bad 4", "good 2"];
    for (const query of asked) {
      await codeOf(ask(query));
      await settled();
    }
    expect(queries).toEqual(asked);
  });

  test("skip a provider that failed three times and fails a probe, and send another probe after a while", async () => {
    const one = provider("one", fails("challenge"));
    const queries: string[] = [];
    one.behaviour = (request) => {
      queries.push(request.query);
      return fails("challenge")();
    };
    const { ask, clock, search, log } = setUp([one, provider("two", "ab")]);
    for (let n = 0; n < 5; n += 1) {
      await ask(`q${n}`);
      await settled();
    }
    expect(queries).toEqual(["q0", "q1", "q2", "weather"]);
    expect(search.failure()).toBeUndefined();
    expect(log).toEqual(["the search provider one went from closed to open: it is challenge"]);
    clock.now = 30_000;
    one.behaviour = () => Promise.resolve(raw("c"));
    // While the probe runs, the others are asked first.
    expect((await ask("again")).names).toBe("two,one");
    expect(search.states()[0]?.state).toBe("closed");
    expect((await ask("and again")).names).toBe("one,two");
  });

  test("stay closed however many queries fail, if the probe succeeds", async () => {
    const one = provider("one", ({ query }) =>
      query.startsWith("bad") ? fails("challenge")() : Promise.resolve(raw("a")),
    );
    const { ask, search, log } = setUp([one]);
    for (let n = 0; n < 50; n += 1) {
      const outcomes = [ask(`bad ${n}`), ask(`bad ${n}!`), ask(`bad ${n}?`)].map(codeOf);
      expect(await Promise.all(outcomes)).toEqual(["search-failed", "search-failed", "search-failed"]);
      await settled();
      expect(search.states()).toEqual([{ name: "one", state: "closed", last_failure: "it is challenge" }]);
    }
    expect([(await ask("good")).letters, log]).toEqual(["a", []]);
    expect(search.states()).toEqual([{ name: "one", state: "closed" }]);
    // One probe in ten seconds.
    expect(one.calls).toBe(152);
  });

  test("report that search is down if all are open, until one may be tried again", async () => {
    const { ask, clock, search } = setUp([provider("one", fails("limited")), provider("two", fails("limited"))]);
    for (let n = 0; n < 3; n += 1) await codeOf(ask(`q${n}`));
    await settled();
    expect(search.failure()).toBe("Cannot search: no provider works (one, two)");
    expect(await codeOf(ask("q"))).toBe("search-unavailable");
    clock.now = 30_000;
    expect(search.failure()).toBeUndefined();
    expect(await codeOf(ask("q"))).toBe("search-unavailable");
    expect(search.failure()).toBeDefined();
  });

  test("do not open because callers give a provider too little time", async () => {
    const one = provider("one", ({ query, ...request }) =>
      query === "weather" ? Promise.resolve([]) : hangs({ query, ...request }),
    );
    const { ask, search } = setUp([one]);
    for (let n = 0; n < 4; n += 1) expect(await codeOf(ask(`q${n}`, 10, 20))).toBe("search-timeout");
    expect(search.states()[0]?.state).toBe("closed");
  });

  test("report nothing if search is switched off", () => {
    expect(setUp([]).search.failure()).toBeUndefined();
  });
});

describe("restrictions", () => {
  test("are for the providers that can apply them, and the others are not asked", async () => {
    const [one, two] = [able("one", "a", []), able("two", "b", ["lang", "site"])];
    const { search } = setUp([one, two]);
    const found = await search.search({ query: "q", count: 5, timeoutMs: 1_000, filters: { lang: "de" } });
    expect([found.providers, one.calls]).toEqual([["two"], 0]);
  });

  test("that no provider can apply are errors that name them", async () => {
    const { search } = setUp([able("one", "a", ["site"]), able("two", "b", ["lang"])]);
    const errorOf = async (filters: SearchFilters, page = 1) =>
      await search.search({ query: "q", count: 10, timeoutMs: 1_000, filters, page }).then(
        () => undefined,
        (error: unknown) => (error instanceof TurnpikeError ? error.errors : undefined),
      );
    const none = "is supported by none of the search providers (one, two)";
    expect(await errorOf({ after: "2026-01-01", lang: "de" })).toEqual([{ path: "after", message: none }]);
    const together = `${none} together with the other restrictions`;
    expect(await errorOf({ site: "a.test", lang: "de" })).toEqual([
      { path: "site", message: together },
      { path: "lang", message: together },
    ]);
    expect(await errorOf({ lang: "de" }, 11)).toEqual([
      {
        path: "page",
        message: "is too high: the search providers that can apply the request (two) have at most 100 results",
      },
    ]);
  });

  test("of sites also hold for results of providers that ignore them", async () => {
    const { search } = setUp([able("one", "abc", ["site", "exclude_site"])]);
    const titles = async (filters: SearchFilters) =>
      (await search.search({ query: "q", count: 9, timeoutMs: 1_000, filters })).results.map(({ title }) => title);
    expect(await titles({ site: "b.test" })).toEqual(["b"]);
    expect(await titles({ exclude_site: ["b.test", "test.test"] })).toEqual(["a", "c"]);
  });

  test("and pages: each result is on one page, whatever the number of providers", async () => {
    const letters = "abcdefghijklmnopqrstuvwxyz";
    const { search } = setUp([provider("one", letters), provider("two", `xyz${letters}`), provider("three", "0123")]);
    const pages = await Promise.all(
      [1, 2, 3, 4].map(async (page) => (await search.search({ query: "q", count: 8, page, timeoutMs: 1_000 })).results),
    );
    const shown = pages.flat().map(({ title }) => title);
    expect(shown.toSorted().join("")).toBe(`0123${letters}`);
    expect(pages.map((page) => page.length)).toEqual([8, 8, 8, 6]);
  });

  test("private hosts are never results", async () => {
    const addresses = [
      "http://127.1/",
      "http://[::1]/",
      "http://router/",
      "http://169.254.169.254/",
      "https://a.test/",
    ];
    const results = addresses.map((url) => ({ title: url, url, snippet: "" }));
    const { search } = setUp([provider("one", () => Promise.resolve(results))]);
    const urls = async (query: string) =>
      (await search.search({ query, count: 9, timeoutMs: 1_000 })).results.map(({ url }) => url);
    expect(await urls("q")).toEqual(["https://a.test/"]);
    results.pop();
    expect(await urls("only private")).toEqual([]);
  });
});
