import { type FieldError, TurnpikeError } from "../../lib/errors.ts";
import { within } from "../../lib/time/within.ts";
import { ResponseCache, type Found } from "./response-cache.ts";
import { type EgressPolicy } from "../egress/guard.ts";
import { askProvider, type ProviderResponse } from "./ask-provider.ts";
import { ProviderBreaker, type BreakerState } from "./circuit-breaker.ts";
import { fuse } from "./fuse.ts";
import { type FilterName, ProviderError, type SearchFilters, type SearchProvider } from "./web/provider.ts";
import { type SearchResult } from "./web/result.ts";
import { urlKey } from "./web/result-url.ts";

/** Searches that run at the same time. @operator Equal searches of several callers count once. */
const MAX_SEARCHES = 128;
/** The query that shows whether a provider works. No caller has influence on it. */
const PROBE = "weather";
/** Ranks of the providers' lists that are merged at a time. Deeper lists then change no earlier page of results. */
const MERGED_RANKS = 10;
/** Milliseconds that a response is cached at most if the search found nothing, and if a provider failed. */
const EMPTY_TTL_MS = 60_000;
const INCOMPLETE_TTL_MS = 30_000;

export interface SearchDeps {
  /** In the order in which they are tried. */
  readonly providers: readonly SearchProvider[];
  /** The hosts that may appear in results. */
  readonly policy: EgressPolicy;
  /** Providers that are asked at the same time. */
  readonly parallel: number;
  /** Milliseconds for one provider, all its pages included. */
  readonly providerTimeoutMs: number;
  /** Milliseconds that a response is cached. */
  readonly cacheMs: number;
  readonly log: (message: string) => void;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** A query, and the limits of its search. `timeoutMs` is for all providers together. */
export interface SearchQuery {
  readonly query: string;
  readonly count: number;
  /** The first page is 1. */
  readonly page?: number;
  readonly filters?: SearchFilters;
  readonly timeoutMs: number;
}

/** A search as it runs. `count` includes the results of earlier pages. */
interface Run {
  readonly query: string;
  readonly filters: SearchFilters;
  readonly count: number;
  readonly timeoutMs: number;
}

export interface SearchResponse {
  readonly results: readonly SearchResult[];
  /** Further results, beyond the page. */
  readonly more: readonly SearchResult[];
  readonly providers: readonly string[];
  readonly cached: boolean;
}

/** A provider, as `/health` reports it. */
export interface ProviderState {
  readonly name: string;
  readonly state: BreakerState;
  /** Why its newest request failed; absent if it succeeded. */
  readonly last_failure?: string;
}

interface Link {
  readonly provider: SearchProvider;
  readonly breaker: ProviderBreaker;
  /** Why its newest request failed; undefined if it succeeded. */
  lastFailure?: string | undefined;
}

type Outcome =
  | { readonly name: string; readonly results: readonly SearchResult[] }
  | { readonly name: string; readonly error: ProviderError };

/**
 * Searches with a chain of providers. Some are asked at the same time. The next ones follow if those fail or find too
 * little.
 */
export class Search {
  readonly #deps: SearchDeps;
  readonly #chain: readonly Link[];
  readonly #cache: ResponseCache;
  readonly #running = new Map<string, Promise<Found>>();

  constructor(deps: SearchDeps) {
    this.#deps = deps;
    this.#chain = deps.providers.map((provider) => ({ provider, breaker: this.#breaker(provider) }));
    this.#cache = new ResponseCache(deps.now);
  }

  /** Throws `invalid-parameters`, `search-failed`, `search-timeout`, `search-unavailable` or `overloaded`. */
  async search({ query, count, page = 1, filters = {}, timeoutMs }: SearchQuery): Promise<SearchResponse> {
    const from = count * (page - 1);
    this.#assertSupported(filters, from);
    const run = { query: query.normalize("NFC").replace(/\s+/g, " ").trim(), filters, count: count * page, timeoutMs };
    const known = this.#cache.get(cacheKey(run), run.count);
    const { results, providers } = known ?? (await this.#once(run));
    const [shown, more] = [results.slice(from, run.count), results.slice(run.count)];
    return { results: shown, more, providers, cached: known !== undefined };
  }

  /** Why no search can succeed now. Undefined while a provider works or can be tried again. */
  failure(): string | undefined {
    const active = this.#chain.filter(({ provider }) => provider.available());
    // An operator who configures no provider has switched search off, which is not a failure.
    if (active.length === 0) return this.#chain.length === 0 ? undefined : "Cannot search: no provider is configured";
    // A provider that may be tried again may work. If the service were reported as down, no request would come to try
    // it.
    if (active.some(({ breaker }) => breaker.state !== "open")) return undefined;
    return `Cannot search: no provider works (${active.map(({ provider }) => provider.name).join(", ")})`;
  }

  /** Each available provider, the state of its breaker, and why its newest request failed. */
  states(): readonly ProviderState[] {
    const active = this.#chain.filter(({ provider }) => provider.available());
    return active.map(({ provider, breaker, lastFailure }) => ({
      name: provider.name,
      state: breaker.state,
      ...(lastFailure === undefined ? {} : { last_failure: lastFailure }),
    }));
  }

  /** Throws `invalid-parameters` if no provider can apply the filters, or has as many results. */
  #assertSupported(filters: SearchFilters, from: number): void {
    const active = this.#chain.flatMap(({ provider }) => (provider.available() ? [provider] : []));
    const names = filterNames(filters);
    const able = active.filter((provider) => supports(provider, filters));
    const most = able.reduce((sum, { maxResults }) => sum + maxResults, 0);
    if (active.length === 0 || from < most) return;
    const all = active.map(({ name }) => name).join(", ");
    if (able.length > 0) {
      const message = `is too high: the search providers that can apply the request (${able.map(({ name }) => name).join(", ")}) have at most ${most} results`;
      throw invalid([{ path: "page", message }]);
    }
    const alone = names.filter((name) => !active.some((provider) => provider.filters.has(name)));
    const message =
      alone.length > 0
        ? `is supported by none of the search providers (${all})`
        : `is supported by none of the search providers (${all}) together with the other restrictions`;
    throw invalid((alone.length > 0 ? alone : names).map((path) => ({ path, message })));
  }

  /** Joins an equal search that is already running. It ends for all callers at its own timeout. */
  #once(run: Run): Promise<Found> {
    const key = `${run.count} ${run.timeoutMs} ${cacheKey(run)}`;
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    if (this.#running.size >= MAX_SEARCHES) {
      return Promise.reject(new TurnpikeError("overloaded", "Cannot search: too many searches are under way"));
    }
    const started = this.#run(run).finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }

  async #run(run: Run): Promise<Found> {
    const waiting = this.#inOrder(run.filters);
    const outcomes: Outcome[] = [];
    const endsAt = this.#deps.now() + run.timeoutMs;
    const results = new Map<string, SearchResult>();
    while (waiting.length > 0 && results.size < run.count) {
      const left = endsAt - this.#deps.now();
      if (left <= 0) break;
      const wave = this.#nextWave(waiting, outcomes);
      // Half of the time is kept for the next providers.
      const ms = Math.min(this.#deps.providerTimeoutMs, waiting.length === 0 ? left : left / 2);
      const ended = await Promise.all(wave.map((link) => this.#ask(link, run, ms)));
      outcomes.push(...ended);
      const lists = ended.flatMap((outcome) => ("results" in outcome ? [outcome.results] : []));
      for (const result of merged(lists)) {
        const key = urlKey(result.url);
        if (!results.has(key)) results.set(key, result);
      }
    }
    return this.#found(run, outcomes, [...results.values()]);
  }

  /** Throws if the search has failed. */
  #found(run: Run, outcomes: readonly Outcome[], results: readonly SearchResult[]): Found {
    const failures = outcomes.flatMap((outcome) => ("error" in outcome ? [outcome] : []));
    const providers = outcomes.flatMap((outcome) => ("results" in outcome ? [outcome.name] : []));
    const complete = failures.length === 0;
    // An empty result is not conclusive while another provider, which may know more, has failed.
    if (providers.length === 0 || (results.length === 0 && !complete)) throw searchError(failures);
    const found: Found = { results, providers, complete };
    const { cacheMs } = this.#deps;
    const limit = complete ? (results.length === 0 ? EMPTY_TTL_MS : cacheMs) : INCOMPLETE_TTL_MS;
    this.#cache.set(cacheKey(run), run.count, found, Math.min(cacheMs, limit));
    return found;
  }

  /** The available providers. Those that failed come last, while probes show whether they work again. */
  #inOrder(filters: SearchFilters): Link[] {
    const active = this.#chain.filter(({ provider }) => provider.available() && supports(provider, filters));
    for (const { breaker } of active) void breaker.allows();
    const works = ({ breaker }: Link) => breaker.state === "closed";
    return [...active.filter(works), ...active.filter((link) => !works(link))];
  }

  /** Takes the next providers that are not resting. The others become failed outcomes. */
  #nextWave(waiting: Link[], outcomes: Outcome[]): Link[] {
    const wave: Link[] = [];
    while (wave.length < this.#deps.parallel) {
      const link = waiting.shift();
      if (link === undefined) break;
      if (link.breaker.state === "open") outcomes.push({ name: link.provider.name, error: resting() });
      else wave.push(link);
    }
    return wave;
  }

  async #ask(link: Link, run: Run, ms: number): Promise<Outcome> {
    const { provider, breaker } = link;
    const { name } = provider;
    try {
      const { results } = await askWithin(ms, async (signal) => {
        if (!(await breaker.allows())) throw resting();
        return await askProvider(provider, { ...run, policy: this.#deps.policy, signal });
      });
      breaker.record(true);
      link.lastFailure = undefined;
      return { name, results };
    } catch (error) {
      const failed = error instanceof ProviderError ? error : new ProviderError("unreachable", "it failed");
      if (failed.reason !== "resting") {
        breaker.record(false);
        link.lastFailure = failed.message;
      }
      return { name, error: failed };
    }
  }

  #breaker(provider: SearchProvider): ProviderBreaker {
    const { providerTimeoutMs, policy, now, log } = this.#deps;
    const probe = { query: PROBE, filters: {}, count: 1, policy };
    return new ProviderBreaker({
      now,
      probe: () =>
        askWithin(providerTimeoutMs, (signal) => askProvider(provider, { ...probe, signal })).then(
          () => undefined,
          (error: unknown) => (error instanceof ProviderError ? error.message : "it failed"),
        ),
      onChange: (from, to, reason) =>
        log(
          `the search provider ${provider.name} went from ${from} to ${to}${reason === undefined ? "" : `: ${reason}`}`,
        ),
    });
  }
}

function resting(): ProviderError {
  return new ProviderError("resting", "it failed too often recently");
}

function filterNames(filters: SearchFilters): FilterName[] {
  const names: readonly FilterName[] = ["site", "exclude_site", "after", "before", "lang"];
  return names.filter((name) => filters[name] !== undefined);
}

function supports(provider: SearchProvider, filters: SearchFilters): boolean {
  return filterNames(filters).every((name) => provider.filters.has(name));
}

function cacheKey({ query, filters }: Run): string {
  return JSON.stringify([query, ...filterNames(filters).map((name) => [name, filters[name]])]);
}

/** The lists merged, some ranks at a time. */
function merged(lists: readonly (readonly SearchResult[])[]): SearchResult[] {
  const depth = Math.max(...lists.map((list) => list.length));
  const blocks = Array.from({ length: Math.ceil(depth / MERGED_RANKS) }, (_, block) =>
    fuse(lists.map((list) => list.slice(block * MERGED_RANKS, (block + 1) * MERGED_RANKS))),
  );
  return blocks.flat();
}

function invalid(errors: readonly FieldError[]): TurnpikeError {
  const detail = errors.map(({ path, message }) => `'${path}' ${message}`).join("; ");
  return new TurnpikeError("invalid-parameters", `Cannot search: ${detail}`, errors);
}

/** Runs `ask` with a signal that aborts after `ms`. It does not wait for a provider that ignores the signal. */
async function askWithin(
  ms: number,
  ask: (signal: AbortSignal) => Promise<ProviderResponse>,
): Promise<ProviderResponse> {
  const controller = new AbortController();
  return await within(ms, ask(controller.signal), async () => {
    controller.abort();
    // After the abort has settled `ask`: a response with the pages so far is better than a timeout.
    await Bun.sleep(0);
    throw new ProviderError("timeout", "it did not respond in time");
  });
}

function searchError(failures: readonly { readonly name: string; readonly error: ProviderError }[]): TurnpikeError {
  const detail = failures.map(({ name, error }) => `${name}: ${error.message}`).join("; ");
  if (failures.length === 0) return new TurnpikeError("search-unavailable", "Cannot search: no provider is configured");
  const are = (reason: ProviderError["reason"]) => failures.every(({ error }) => error.reason === reason);
  const code = are("resting") ? "search-unavailable" : are("timeout") ? "search-timeout" : "search-failed";
  return new TurnpikeError(code, `Cannot search: no provider responded (${detail})`);
}
