/** A configuration as it is told to who has another one: of thousands of routes, only those that are new cross to the other process. */
import { type Config, type RouteConfig } from "../config/config.ts";

/** `count` routes of the configuration that is there, from the place `from`; or a route that is new. */
type Run = { readonly from: number; readonly count: number } | { readonly route: RouteConfig };

export interface ConfigDelta {
  /** All but the routes. */
  readonly rest: Config;
  readonly runs: readonly Run[];
}

/** What `next` is for who has `base`. Routes are the same if they are the same objects; undefined: there is nothing yet. @internal */
export function configDelta(base: Config | undefined, next: Config): ConfigDelta {
  const places = new Map(base?.routes.map((route, i) => [route, i]));
  const runs: Run[] = [];
  let last: { from: number; count: number } | undefined;
  for (const route of next.routes) {
    const place = places.get(route);
    if (place === undefined) {
      runs.push({ route });
      last = undefined;
    } else if (last !== undefined && place === last.from + last.count) {
      last.count++;
    } else {
      last = { from: place, count: 1 };
      runs.push(last);
    }
  }
  return { rest: { ...next, routes: [] }, runs };
}

/** What one other process was told last. */
export class ToldConfig {
  #last: Config | undefined;

  /** `next` for that process, which gets it for sure or is gone. */
  tell(next: Config): ConfigDelta {
    const delta = configDelta(this.#last, next);
    this.#last = next;
    return delta;
  }
}

/** The configuration that was told; routes that it shares with `base` are the same objects. */
export function withDelta(base: Config | undefined, { rest, runs }: ConfigDelta): Config {
  const known = base?.routes ?? [];
  const routes = runs.flatMap((run) => ("route" in run ? [run.route] : known.slice(run.from, run.from + run.count)));
  return { ...rest, routes };
}
