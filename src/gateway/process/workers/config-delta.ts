/** A configuration for a process that has the one before: of thousands of routes, only new ones are sent. */
import { type Config, type RouteConfig } from "../../config/config.ts";

/** Runs in one message. A worker reads a message at once, without serving requests. */
const MAX_RUNS = 50;

/** `count` routes of the previous configuration, from the index `from`; or a new route. */
export type Run = { readonly from: number; readonly count: number } | { readonly route: RouteConfig };

/** A configuration, as the difference from the one that the receiver has. */
export interface ConfigDelta {
  /** Everything except the routes. */
  readonly rest: Config;
  /** The defaults that new routes inherit. A message has only the own members of a route. */
  readonly defaults: object;
  readonly runs: readonly Run[];
}

/**
 * The difference from `base` to `next`; `base` is undefined for a process without a configuration. Routes are the same
 * if they are the same objects. @internal
 */
export function configDelta(base: Config | undefined, next: Config): ConfigDelta {
  const places = new Map(base?.routes.map((route, i) => [route, i]));
  const runs: Run[] = [];
  let defaults: object = {};
  let last: { from: number; count: number } | undefined;
  for (const route of next.routes) {
    const place = places.get(route);
    if (place === undefined) {
      runs.push({ route });
      const inherited: unknown = Object.getPrototypeOf(route);
      // A route that zod has read has all its defaults as own members.
      if (inherited !== Object.prototype) defaults = Object(inherited);
      last = undefined;
    } else if (last !== undefined && place === last.from + last.count) {
      last.count++;
    } else {
      last = { from: place, count: 1 };
      runs.push(last);
    }
  }
  return { rest: { ...next, routes: [] }, defaults, runs };
}

/** The parts in which a difference is sent. The last one has the rest. */
export function* partsOf({ runs, ...others }: ConfigDelta): Generator<readonly Run[], ConfigDelta> {
  let from = 0;
  for (; from + MAX_RUNS < runs.length; from += MAX_RUNS) yield runs.slice(from, from + MAX_RUNS);
  return { ...others, runs: runs.slice(from) };
}

/** The configuration that one other process got last. */
export class ToldConfig {
  #last: Config | undefined;

  /** The message with `next` for that process. It receives the message, unless it has ended. */
  tell(next: Config): ConfigDelta {
    const delta = configDelta(this.#last, next);
    this.#last = next;
    return delta;
  }
}

/** The configuration that the message stands for. The routes that it shares with `base` are the same objects. */
export function withDelta(base: Config | undefined, { rest, defaults, runs }: ConfigDelta): Config {
  const routes: RouteConfig[] = [];
  for (const run of runs) {
    if ("route" in run) routes.push(Object.assign(Object.create(defaults) as object, run.route));
    else routes.push(...(base?.routes.slice(run.from, run.from + run.count) ?? []));
  }
  return { ...rest, routes };
}
