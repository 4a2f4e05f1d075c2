import { basename } from "node:path";
import { messageOf } from "../../lib/caught.ts";
import { type AnswerError } from "../answer.ts";
import { type Config, type RouteConfig } from "../config/config.ts";
import { EventGate } from "../telemetry/event-gate.ts";
import { createFilter } from "./create-filter.ts";
import { type Filter } from "./filter.ts";
import { type FilterModule, type ModuleCache } from "./module/module-cache.ts";
import { RouteFilters } from "./route-filters.ts";
import { type FilterRuntime } from "./runtime.ts";
import { visibleHead } from "./visible-head.ts";

type Entry = Config["wasm_filters"][number];
type FilterConfig = Pick<Config, "wasm_filters" | "routes" | "limits" | "server">;

/** What the filters of a worker have in common, whatever configuration it serves by. */
export interface FilterDeps {
  readonly modules: ModuleCache;
  /** `log` is made for each filter. */
  readonly runtime: Omit<FilterRuntime, "answerError" | "log">;
  readonly log: (message: string) => void;
  /** It speaks for all workers where all of them have the same to say. */
  readonly isFirst: boolean;
}

/** What a configuration adds to them. */
interface Loading {
  readonly config: FilterConfig;
  readonly deps: FilterDeps;
  readonly answerError: AnswerError;
  readonly previous: LoadedFilters | undefined;
}

/** A module, or why there is none. */
type Loaded = FilterModule | Error;
type LoadedEntry = readonly [Entry, Loaded];

/**
 * The filters of a configuration: one for each entry and route that it is for. A filter whose entry, file and route are as before
 * goes on with its instances; requests under way end with the filters that they have begun with.
 */
export class LoadedFilters {
  readonly #filters = new Map<string, Filter>();
  readonly #routes = new Map<RouteConfig, RouteFilters | "closed">();
  /** Entries that are for no route; they are told of once. */
  readonly #unmatched: ReadonlySet<string>;

  private constructor(unmatched: ReadonlySet<string>) {
    this.#unmatched = unmatched;
  }

  /** Reads, checks and compiles the modules, off the event loop. One that cannot be loaded closes its routes, and is logged. */
  static async load(loading: Loading): Promise<LoadedFilters> {
    const { config, deps, previous } = loading;
    const prefixes = new Set(config.routes.map((route) => route.path_prefix));
    const unmatched = config.wasm_filters.flatMap(({ match }, index) =>
      prefixes.has(match) ? [] : [{ match, index }],
    );
    for (const { match, index } of unmatched) {
      if (!deps.isFirst || (previous !== undefined && previous.#unmatched.has(match))) continue;
      deps.log(`wasm_filters[${index}]: no route has the path_prefix ${JSON.stringify(match)}; the filter never runs`);
    }
    const made = new LoadedFilters(new Set(unmatched.map(({ match }) => match)));
    const entries = config.wasm_filters.filter(({ match }) => prefixes.has(match));
    const loaded = await Promise.all(
      entries.map(async (entry): Promise<LoadedEntry> => [entry, await loadModule(entry, deps)]),
    );
    for (const route of config.routes) {
      const own = loaded.filter(([{ match }]) => match === route.path_prefix);
      if (own.length > 0) made.#routes.set(route, made.#createRoute(route, own, loading));
    }
    return made;
  }

  /** What runs on a route; `closed`: one of its filters cannot be loaded. Undefined: it has none. */
  route(route: RouteConfig): RouteFilters | "closed" | undefined {
    return this.#routes.get(route);
  }

  /** The path prefixes of routes that are closed. */
  get closed(): string[] {
    const found = [...this.#routes].flatMap(([route, filters]) => (filters === "closed" ? [route.path_prefix] : []));
    return [...new Set(found)];
  }

  /** Closes the filters that `other` does not go on with. */
  close(other: LoadedFilters | undefined): void {
    for (const [key, filter] of this.#filters)
      if (other === undefined || other.#filters.get(key) !== filter) filter.close();
  }

  #createRoute(route: RouteConfig, entries: readonly LoadedEntry[], loading: Loading): RouteFilters | "closed" {
    const { deps } = loading;
    const filters: Filter[] = [];
    for (const [entry, module] of entries) {
      if (module instanceof Error) return "closed";
      try {
        filters.push(this.#filterOf(route, entry, module, loading));
      } catch (error) {
        logClosed(deps, entry.match, error);
        return "closed";
      }
    }
    return new RouteFilters(filters);
  }

  #filterOf(route: RouteConfig, entry: Entry, module: FilterModule, loading: Loading): Filter {
    const { config, deps, answerError, previous } = loading;
    const maxBodyBytes = route.max_body_bytes ?? config.limits.max_body_bytes;
    const { host, auth } = route;
    const key = JSON.stringify([entry, module.hash, host, auth, maxBodyBytes, config.server.preencoded]);
    const known = this.#nextOf(key, previous);
    if (known.filter !== undefined) return known.filter;
    const name = basename(entry.module);
    const settings = {
      name,
      route: entry.match,
      instances: entry.instances,
      fuel: entry.fuel,
      responseFailClosed: entry.response_fail_closed,
      config: "",
      vmConfig: "",
      rootId: "",
      maxBodyBytes,
      ...visibleHead(auth),
    };
    const filter = createFilter(module, settings, {
      ...deps.runtime,
      answerError,
      log: limitedLog(deps, `filter ${JSON.stringify(name)} of the route ${JSON.stringify(entry.match)}`),
    });
    this.#filters.set(known.key, filter);
    return filter;
  }

  /** The same filter of the configuration before. An entry may be there twice: then each has a filter of its own. */
  #nextOf(key: string, previous: LoadedFilters | undefined): { readonly key: string; readonly filter?: Filter } {
    let numbered = key;
    for (let i = 1; this.#filters.has(numbered); i++) numbered = `${key}${i}`;
    const filter = previous === undefined ? undefined : previous.#filters.get(numbered);
    if (filter === undefined) return { key: numbered };
    this.#filters.set(numbered, filter);
    return { key: numbered, filter };
  }
}

async function loadModule({ module, memory_limit_bytes: bytes, match }: Entry, deps: FilterDeps): Promise<Loaded> {
  try {
    return await deps.modules.load(module, bytes);
  } catch (error) {
    logClosed(deps, match, error);
    return error instanceof Error ? error : new Error(messageOf(error));
  }
}

function logClosed({ log }: FilterDeps, match: string, error: unknown): void {
  log(`${messageOf(error)}; the route ${JSON.stringify(match)} answers 503`);
}

const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;

/** Lines of one filter. What it says itself ends no line, and a storm of lines costs little. */
function limitedLog({ log }: FilterDeps, filter: string): FilterRuntime["log"] {
  const gate = new EventGate((_, count) => log(`${filter}: ${count} lines were left out`));
  return (_, line) => {
    if (!gate.passes("line")) return;
    const escaped = line.replaceAll(CONTROLS, (code) => `\\x${code.charCodeAt(0).toString(16).padStart(2, "0")}`);
    log(`${filter}: ${escaped}`);
  };
}
