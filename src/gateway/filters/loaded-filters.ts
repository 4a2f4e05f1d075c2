import { basename } from "node:path";
import { messageOf } from "../../lib/caught.ts";
import { type RespondWithError } from "../local-response.ts";
import { type Config, type RouteConfig } from "../config/config.ts";
import { EventGate } from "../telemetry/event-gate.ts";
import { type CallTargets } from "./calls/call-targets.ts";
import type * as Filters from "./create-filter.ts";
import { type Filter } from "./filter.ts";
import { type FilterModule, type ModuleCache } from "./module/module-cache.ts";
import { RouteFilters } from "./route-filters.ts";
import { type FilterRuntime } from "./runtime.ts";
import { visibleHead } from "./visible-head.ts";

/** Loaded with the first filter (bench start). */
const filterKinds = (): typeof Filters => require("./create-filter.ts");

type Entry = Config["wasm_filters"][number];
/** What of a configuration is for filters. */
export type FilterConfig = Pick<Config, "wasm_filters" | "routes" | "limits" | "server">;

/** What the filters of a worker have in common, whatever configuration it serves by. */
export interface FilterDeps {
  readonly modules: ModuleCache;
  /** `log` is made for each filter. */
  readonly runtime: Omit<FilterRuntime, "respondWithError" | "log">;
  readonly log: (message: string) => void;
  /** Is offered the upstreams of a configuration before its filters start. */
  readonly callTargets: CallTargets;
  /** It speaks for all workers where all of them have the same to say. */
  readonly isFirst: boolean;
}

/** What a configuration adds to them. */
interface Loading {
  readonly config: FilterConfig;
  readonly deps: FilterDeps;
  readonly respondWithError: RespondWithError;
  readonly previous: LoadedFilters | undefined;
}

/** An entry of `wasm_filters` with its place in the file, and its module, or none where it cannot be loaded. */
interface LoadedEntry {
  readonly index: number;
  readonly entry: Entry;
  readonly module: FilterModule | undefined;
}

/** What is wrong with an entry of `wasm_filters`; `unloaded`: its routes are closed, `unmatched`: it never runs. */
export interface FilterDiagnostic {
  readonly kind: "unloaded" | "unmatched";
  /** As `wasm_filters[0].module`. */
  readonly path: string;
  readonly message: string;
}

/**
 * The filters of a configuration: one for each entry and route that it is for. A filter whose entry, file and route are as before
 * goes on with its instances; requests under way end with the filters that they have begun with.
 */
export class LoadedFilters {
  readonly #filters = new Map<string, Filter>();
  readonly #routes = new Map<RouteConfig, RouteFilters | "closed">();
  readonly diagnostics: FilterDiagnostic[] = [];

  /** Reads, checks and compiles the modules, off the event loop. One that cannot be loaded closes its routes. */
  static async load(loading: Loading): Promise<LoadedFilters> {
    const { config, deps } = loading;
    const made = new LoadedFilters();
    if (config.wasm_filters.length === 0) return made;
    const prefixes = new Set(config.routes.map((route) => route.path_prefix));
    const loaded = await Promise.all(
      config.wasm_filters.flatMap((entry, index) => {
        if (prefixes.has(entry.match)) return [made.#loadModule(entry, index, deps)];
        const message = `no route has the path_prefix ${JSON.stringify(entry.match)}; the filter never runs`;
        made.diagnostics.push({ kind: "unmatched", path: `wasm_filters[${index}].match`, message });
        return [];
      }),
    );
    const byPrefix = Map.groupBy(loaded, ({ entry }) => entry.match);
    for (const route of config.routes) {
      const entries = byPrefix.get(route.path_prefix);
      if (entries !== undefined) made.#routes.set(route, made.#createRoute(route, entries, loading));
    }
    made.#tell(loading);
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

  async #loadModule(entry: Entry, index: number, { modules }: FilterDeps): Promise<LoadedEntry> {
    try {
      return { index, entry, module: await modules.load(entry.module, entry.memory_limit_bytes) };
    } catch (error) {
      this.#unloaded(index, entry, error);
      return { index, entry, module: undefined };
    }
  }

  /** Said once of an entry that several routes, for different hosts, are closed by. */
  #unloaded(index: number, { match }: Entry, error: unknown): void {
    const message = `${messageOf(error)}; the route ${JSON.stringify(match)} gets 503`;
    const path = `wasm_filters[${index}].module`;
    if (this.diagnostics.some((diagnostic) => diagnostic.path === path)) return;
    this.diagnostics.push({ kind: "unloaded", path, message });
  }

  /** Says in the log what has not been said of the configuration before. */
  #tell({ deps, previous }: Loading): void {
    const said = new Set(previous?.diagnostics.map(({ message }) => message));
    for (const { kind, path, message } of this.diagnostics) {
      if (kind === "unmatched" && (!deps.isFirst || said.has(message))) continue;
      deps.log(`${path}: ${message}`);
    }
  }

  #createRoute(route: RouteConfig, entries: readonly LoadedEntry[], loading: Loading): RouteFilters | "closed" {
    const filters: Filter[] = [];
    for (const { index, entry, module } of entries) {
      if (module === undefined) return "closed";
      try {
        filters.push(this.#filterOf(route, entry, module, loading));
      } catch (error) {
        this.#unloaded(index, entry, error);
        return "closed";
      }
    }
    return new RouteFilters(filters);
  }

  #filterOf(route: RouteConfig, entry: Entry, module: FilterModule, loading: Loading): Filter {
    const { config, deps, respondWithError, previous } = loading;
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
      config: textOf(entry.config),
      vmConfig: textOf(entry.vm_config),
      vmId: entry.vm_id,
      rootId: entry.root_id,
      maxBodyBytes,
      ...visibleHead(auth),
    };
    const filter = filterKinds().createFilter(module, settings, {
      ...deps.runtime,
      respondWithError,
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

/** An object of the configuration file is passed on as JSON. */
function textOf(value: Entry["config"]): string {
  return typeof value === "string" ? value : JSON.stringify(value);
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
