import { TurnpikeError } from "../../lib/errors.ts";
import { ResponseCache, type Found } from "./response-cache.ts";
import { askProvider, type ProviderResponse } from "./ask-provider.ts";
import { type AttemptOutcome, Breaker, type BreakerState } from "./breaker.ts";
import { fuse } from "./fuse.ts";
import { ProviderError, type SearchProvider } from "./provider.ts";
import { type SearchResult } from "./result.ts";

/** Searches under way at one time; the same one asked for by many counts once. */
const MAX_SEARCHES = 128;
/** Milliseconds in which a provider that works answers; one that had less is not blamed for being late. */
const FAIR_MS = 2_000;
/** Milliseconds that an answer is kept at most where nothing was found, and where a provider failed. */
const EMPTY_TTL_MS = 60_000;
const INCOMPLETE_TTL_MS = 30_000;

export interface SearchDeps {
  /** In the order in which they are asked. */
  readonly providers: readonly SearchProvider[];
  /** Providers that are asked at one time. */
  readonly parallel: number;
  /** Milliseconds for one provider, all its pages included. */
  readonly providerTimeoutMs: number;
  /** Milliseconds that an answer is kept. */
  readonly cacheMs: number;
  readonly log: (message: string) => void;
  /** In milliseconds. */
  readonly now: () => number;
}

export interface SearchQuery {
  readonly query: string;
  /** Results that are wanted. */
  readonly count: number;
  readonly timeoutMs: number;
}

export interface SearchResponse {
  readonly results: readonly SearchResult[];
  /** Results beyond `count` that there were. */
  readonly more: readonly SearchResult[];
  /** The providers that answered. */
  readonly providers: readonly string[];
  readonly cached: boolean;
}

/** One of the chain. */
interface Link {
  readonly provider: SearchProvider;
  readonly breaker: Breaker;
}

/** What a provider came to. */
type Outcome =
  | { readonly name: string; readonly results: readonly SearchResult[] }
  | { readonly name: string; readonly error: ProviderError };

/** A provider's turn in a wave. */
interface Turn {
  readonly link: Link;
  readonly done: (outcome: AttemptOutcome) => void;
}

/** Searches by a chain of providers: some at a time, the next ones where those fail or have too little. */
export class Search {
  readonly #deps: SearchDeps;
  readonly #chain: readonly Link[];
  readonly #cache: ResponseCache;
  readonly #running = new Map<string, Promise<Found>>();

  constructor(deps: SearchDeps) {
    this.#deps = deps;
    this.#chain = deps.providers.map((provider) => ({ provider, breaker: new Breaker(deps.now) }));
    this.#cache = new ResponseCache(deps.now);
  }

  /** Fails with `search-failed`, `search-timeout`, `search-unavailable` or `overloaded`. */
  async search({ query, count, timeoutMs }: SearchQuery): Promise<SearchResponse> {
    const key = query.normalize("NFC").replace(/\s+/g, " ").trim();
    const known = this.#cache.get(key, count);
    const found = known ?? (await this.#once(key, count, timeoutMs));
    const { results, providers } = found;
    return { results: results.slice(0, count), more: results.slice(count), providers, cached: known !== undefined };
  }

  /** Why no search can be answered now; undefined while a provider works, or may. */
  failure(): string | undefined {
    const active = this.#chain.filter(({ provider }) => provider.available());
    // Whoever wants no provider at all has switched search off, and nothing is wrong.
    if (active.length === 0) return this.#chain.length === 0 ? undefined : "Cannot search: no provider is configured";
    // One that may be tried again may work; were it down here, nobody might come to try it.
    if (active.some(({ breaker }) => breaker.state !== "open")) return undefined;
    return `Cannot search: no provider works (${active.map(({ provider }) => provider.name).join(", ")})`;
  }

  /** Each provider that there is to ask, and whether it works. */
  states(): readonly { readonly name: string; readonly state: BreakerState }[] {
    const active = this.#chain.filter(({ provider }) => provider.available());
    return active.map(({ provider, breaker }) => ({ name: provider.name, state: breaker.state }));
  }

  /** The same search that is under way is joined, whoever began it; it ends for all when its own time is over. */
  #once(query: string, count: number, timeoutMs: number): Promise<Found> {
    const key = `${count} ${timeoutMs} ${query}`;
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    if (this.#running.size >= MAX_SEARCHES) {
      return Promise.reject(new TurnpikeError("overloaded", "Cannot search: too many searches are under way"));
    }
    const started = this.#run(query, count, timeoutMs).finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }

  async #run(query: string, count: number, timeoutMs: number): Promise<Found> {
    const waiting = this.#chain.filter(({ provider }) => provider.available());
    const outcomes: Outcome[] = [];
    const endsAt = performance.now() + timeoutMs;
    let results: readonly SearchResult[] = [];
    while (waiting.length > 0 && results.length < count) {
      const left = endsAt - performance.now();
      if (left <= 0) break;
      const wave = this.#nextWave(waiting, outcomes);
      // Those that come next must have time as well.
      const ms = Math.min(this.#deps.providerTimeoutMs, waiting.length === 0 ? left : left / 2);
      outcomes.push(...(await Promise.all(wave.map((turn) => this.#ask(turn, { query, count, ms })))));
      results = fuse(outcomes.flatMap((outcome) => ("results" in outcome ? [outcome.results] : [])));
    }
    const failures = outcomes.flatMap((outcome) => ("error" in outcome ? [outcome] : []));
    const providers = outcomes.flatMap((outcome) => ("results" in outcome ? [outcome.name] : []));
    const complete = failures.length === 0;
    // Nothing from those that answered proves nothing while others, who may know more, do not.
    if (providers.length === 0 || (results.length === 0 && !complete)) throw searchError(failures);
    const found: Found = { results, providers, complete };
    const { cacheMs } = this.#deps;
    const limit = complete ? (results.length === 0 ? EMPTY_TTL_MS : cacheMs) : INCOMPLETE_TTL_MS;
    this.#cache.set(query, count, found, Math.min(cacheMs, limit));
    return found;
  }

  /** Takes the next providers that may be asked; those that may not go to the outcomes. */
  #nextWave(waiting: Link[], outcomes: Outcome[]): Turn[] {
    const wave: Turn[] = [];
    while (wave.length < this.#deps.parallel) {
      const link = waiting.shift();
      if (link === undefined) break;
      const done = link.breaker.attempt();
      if (done !== undefined) wave.push({ link, done });
      else {
        const error = new ProviderError("resting", "it failed too often recently");
        outcomes.push({ name: link.provider.name, error });
      }
    }
    return wave;
  }

  async #ask(
    { link, done }: Turn,
    { query, count, ms }: { readonly query: string; readonly count: number; readonly ms: number },
  ): Promise<Outcome> {
    const { provider, breaker } = link;
    const { name } = provider;
    const before = breaker.state;
    let outcome: Outcome;
    try {
      const { results } = await within(ms, (signal) => askProvider(provider, query, count, signal));
      done("success");
      outcome = { name, results };
    } catch (error) {
      const failed = error instanceof ProviderError ? error : new ProviderError("unreachable", "it failed");
      done(blame(failed, ms));
      outcome = { name, error: failed };
    }
    if (breaker.state !== before) {
      const why = "error" in outcome ? `: ${outcome.error.message}` : "";
      this.#deps.log(`the search provider ${name} went from ${before} to ${breaker.state}${why}`);
    }
    return outcome;
  }
}

function blame({ reason }: ProviderError, ms: number): AttemptOutcome {
  return reason === "timeout" && ms < FAIR_MS ? "void" : "failure";
}

/** Runs `ask` with a signal for its time; a provider that does not heed it is left behind. */
async function within(ms: number, ask: (signal: AbortSignal) => Promise<ProviderResponse>): Promise<ProviderResponse> {
  const controller = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    controller.abort();
    // After what the signal ends: an answer with the pages so far is better.
    setTimeout(() => reject(new ProviderError("timeout", "it did not respond in time")), 0);
  }, ms);
  try {
    return await Promise.race([ask(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

function searchError(failures: readonly { readonly name: string; readonly error: ProviderError }[]): TurnpikeError {
  const detail = failures.map(({ name, error }) => `${name}: ${error.message}`).join("; ");
  if (failures.length === 0) return new TurnpikeError("search-unavailable", "Cannot search: no provider is configured");
  const are = (reason: ProviderError["reason"]) => failures.every(({ error }) => error.reason === reason);
  const code = are("resting") ? "search-unavailable" : are("timeout") ? "search-timeout" : "search-failed";
  return new TurnpikeError(code, `Cannot search: no provider responded (${detail})`);
}
