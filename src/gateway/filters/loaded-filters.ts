import { basename } from "node:path";
import { messageOf } from "../../lib/caught.ts";
import { visibleText } from "../../lib/text/visible-text.ts";
import { type RespondWithError } from "../exchange/local-response.ts";
import { type Config, type RouteConfig } from "../config/config.ts";
import { EventGate } from "../telemetry/event-gate.ts";
import { type CallTargets } from "./calls/call-targets.ts";
import type * as Filters from "./create-filter.ts";
import { type Filter } from "./runtime/filter.ts";
import { type FilterModule, type ModuleCache } from "./module/module-cache.ts";
import { RouteFilters } from "./route-filters.ts";
import { type FilterRuntime } from "./runtime/runtime.ts";
import type * as Heads from "./visible-head.ts";

/** Loaded with the first filter, to keep the start fast (bench start). */
const filterKinds = (): typeof Filters => require("./create-filter.ts");
const heads = (): typeof Heads => require("./visible-head.ts");

/** The `match` of a filter without requests. */
const SERVICE = "";
const NO_AUTH = { type: "none" } as const;

type FilterEntry = Config["wasm_filters"][number];
export type FilterConfig = Pick<Config, "wasm_filters" | "routes" | "limits" | "server">;

/** The objects that all filters of a worker share, across its configurations. */
export interface FilterDeps {
  readonly modules: ModuleCache;
  /** Without `log`, which is created for each filter. */
  readonly runtime: Omit<FilterRuntime, "respondWithError" | "log">;
  readonly log: (message: string) => void;
  /** Receives the upstreams of a configuration before its filters start. */
  readonly callTargets: CallTargets;
  /** True for the worker that logs the lines which would be the same for all workers. */
  readonly isFirst: boolean;
}

/** The input for loading the filters of one configuration. */
interface Loading {
  readonly config: FilterConfig;
  readonly deps: FilterDeps;
  readonly respondWithError: RespondWithError;
  readonly previous: LoadedFilters | undefined;
}

/** An entry of `wasm_filters` with its index in the file. `module` is undefined if it cannot be loaded. */
interface LoadedEntry {
  readonly index: number;
  readonly entry: FilterEntry;
  readonly module: FilterModule | undefined;
}

/** A problem of an entry of `wasm_filters`. `unloaded`: its routes are closed. `ineffective`: a part of it never runs. */
export interface FilterDiagnostic {
  readonly kind: "unloaded" | "ineffective";
  /** For example `wasm_filters[0].module`. */
  readonly path: string;
  readonly message: string;
  /** The effect if a gateway serves with it. */
  readonly effect?: string;
}

/**
 * The filters of a configuration: one for each pair of an entry and a route that it matches. A reload keeps a filter
 * and its instances if its entry, file and route are the same. Requests in progress keep the filters with which they
 * began.
 */
export class LoadedFilters {
  readonly #filters = new Map<string, Filter>();
  readonly #routes = new Map<RouteConfig, RouteFilters | "closed">();
  readonly diagnostics: FilterDiagnostic[] = [];

  /** Reads, checks and compiles the modules, off the event loop. A module that cannot be loaded closes its routes. */
  static async load(loading: Loading): Promise<LoadedFilters> {
    const { config, deps } = loading;
    const made = new LoadedFilters();
    if (config.wasm_filters.length === 0) return made;
    const prefixes = new Set(config.routes.map((route) => route.path_prefix));
    const loaded = await Promise.all(
      config.wasm_filters.flatMap((entry, index) => {
        if (entry.match === SERVICE || prefixes.has(entry.match)) return [made.#loadModule(entry, index, deps)];
        const message = `no route has the path_prefix ${JSON.stringify(entry.match)}; the filter never runs`;
        made.diagnostics.push({ kind: "ineffective", path: `wasm_filters[${index}].match`, message });
        return [];
      }),
    );
    const byPrefix = Map.groupBy(loaded, ({ entry }) => entry.match);
    for (const service of byPrefix.get(SERVICE) ?? []) made.#start(service, undefined, loading);
    for (const route of config.routes) {
      const entries = byPrefix.get(route.path_prefix);
      if (entries !== undefined) made.#routes.set(route, made.#createRoute(route, entries, loading));
    }
    made.#tell(loading);
    return made;
  }

  /** The filters of a route; `closed` if one of them cannot be loaded; undefined if the route has no filters. */
  route(route: RouteConfig): RouteFilters | "closed" | undefined {
    return this.#routes.get(route);
  }

  /** The path prefixes of closed routes. */
  get closed(): string[] {
    const found = [...this.#routes].flatMap(([route, filters]) => (filters === "closed" ? [route.path_prefix] : []));
    return [...new Set(found)];
  }

  /** Closes the filters that `other` does not keep. */
  close(other: LoadedFilters | undefined): void {
    for (const [key, filter] of this.#filters)
      if (other === undefined || other.#filters.get(key) !== filter) filter.close();
  }

  async #loadModule(entry: FilterEntry, index: number, { modules }: FilterDeps): Promise<LoadedEntry> {
    try {
      return { index, entry, module: await modules.load(entry.module, entry.memory_limit_bytes) };
    } catch (error) {
      this.#unloaded(index, entry, error);
      return { index, entry, module: undefined };
    }
  }

  /** Adds the diagnostic once, also if the entry closes several routes for different hosts. */
  #unloaded(index: number, { match }: FilterEntry, error: unknown): void {
    const path = `wasm_filters[${index}].module`;
    if (this.diagnostics.some((diagnostic) => diagnostic.path === path)) return;
    const effect = match === SERVICE ? "it does not run" : `the route ${JSON.stringify(match)} gets 503`;
    this.diagnostics.push({ kind: "unloaded", path, message: messageOf(error), effect });
  }

  /** Logs the diagnostics; an `ineffective` entry by one worker, and only if the configuration before had none. */
  #tell({ deps, previous }: Loading): void {
    const said = new Set(previous?.diagnostics.map(({ message }) => message));
    for (const { kind, path, message, effect } of this.diagnostics) {
      if (kind === "ineffective" && (!deps.isFirst || said.has(message))) continue;
      deps.log(`${path}: ${message}${effect === undefined ? "" : `; ${effect}`}`);
    }
  }

  #createRoute(route: RouteConfig, entries: readonly LoadedEntry[], loading: Loading): RouteFilters | "closed" {
    const filters: Filter[] = [];
    for (const loaded of entries) {
      const filter = this.#start(loaded, route, loading);
      if (filter === undefined) return "closed";
      filters.push(filter);
    }
    return new RouteFilters(filters);
  }

  /** Starts the filter of an entry for a route, or without one. Undefined if it does not run. */
  #start(loaded: LoadedEntry, route: RouteConfig | undefined, loading: Loading): Filter | undefined {
    const { index, entry, module } = loaded;
    if (module === undefined) return undefined;
    if (route !== undefined && route.tenant === undefined && module.facts.imports.some(isSetUpstream)) {
      const message = `the route ${JSON.stringify(entry.match)} has no tenant; set_upstream has no effect`;
      this.diagnostics.push({ kind: "ineffective", path: `wasm_filters[${index}].module`, message });
    }
    try {
      return this.#filterOf(entry, module, route, loading);
    } catch (error) {
      this.#unloaded(index, entry, error);
      return undefined;
    }
  }

  #filterOf(entry: FilterEntry, module: FilterModule, route: RouteConfig | undefined, loading: Loading): Filter {
    const { config, deps, respondWithError, previous } = loading;
    const maxBodyBytes = route?.max_body_bytes ?? config.limits.max_body_bytes;
    const { host, auth = NO_AUTH, upstream = "" } = route ?? {};
    const key = JSON.stringify([entry, module.hash, host, auth, upstream, maxBodyBytes, config.server.preencoded]);
    const known = this.#nextOf(key, previous);
    if (known.filter !== undefined) return known.filter;
    const name = basename(entry.module);
    const settings = {
      name,
      route: entry.match,
      upstream,
      instances: entry.instances,
      fuel: entry.fuel,
      responseFailClosed: entry.response_fail_closed,
      config: configText(entry.config),
      vmConfig: configText(entry.vm_config),
      vmId: entry.vm_id,
      rootId: entry.root_id,
      maxBodyBytes,
      ...heads().visibleHead(auth),
    };
    const filter = filterKinds().createFilter(module, settings, {
      ...deps.runtime,
      respondWithError,
      log: limitedLog(
        deps,
        `filter ${JSON.stringify(name)}${route === undefined ? "" : ` of the route ${JSON.stringify(entry.match)}`}`,
      ),
    });
    this.#filters.set(known.key, filter);
    return filter;
  }

  /** The same filter of the previous configuration. If the file repeats an entry, each copy has its own filter. */
  #nextOf(key: string, previous: LoadedFilters | undefined): { readonly key: string; readonly filter?: Filter } {
    let numbered = key;
    for (let i = 1; this.#filters.has(numbered); i++) numbered = `${key}${i}`;
    const filter = previous === undefined ? undefined : previous.#filters.get(numbered);
    if (filter === undefined) return { key: numbered };
    this.#filters.set(numbered, filter);
    return { key: numbered, filter };
  }
}

function isSetUpstream(text: string): boolean {
  return text.startsWith("env.set_upstream ");
}

/** An object in the configuration file is passed to the filter as JSON. */
function configText(value: FilterEntry["config"]): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A log for one filter: without invisible characters, which could end a line, and of limited lines. */
function limitedLog({ log }: FilterDeps, filter: string): FilterRuntime["log"] {
  const gate = new EventGate((_, count) => log(`${filter}: ${count} lines were left out`));
  return (_, line) => {
    if (!gate.passes("line")) return;
    log(`${filter}: ${visibleText(line)}`);
  };
}
