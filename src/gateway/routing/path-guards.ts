import { MAX_MATCHED_TEXT } from "./conditions.ts";
import { spellings } from "./readings.ts";
import { type Routable } from "./routable.ts";

/** A path, and a path that some server may read it as. */
export interface Reading {
  /** The request's host, normalised by `hostOf`. */
  readonly host: string;
  readonly path: string;
  readonly reading: string;
}

interface Guard<R> {
  readonly route: R;
  readonly spellings: ReadonlySet<string>;
}

/** A guarded route with the spellings of its prefix. */
export function guardOf<R extends Routable>(route: R): Guard<R> {
  return { route, spellings: spellings(route.pathPrefix) };
}

/** Guarded routes with an exact path or pattern: other spellings of it must not reach another route. */
export class PathGuards<R extends Routable> {
  readonly #guards: readonly Guard<R>[];
  readonly #hasExact: boolean;

  constructor(guards: readonly Guard<R>[]) {
    this.#guards = guards;
    this.#hasExact = guards.some(({ route }) => route.conditions?.isExact === true);
  }

  /** True if a server may take the path for an exact one without characters of `isAmbiguous`: it ends with "/". */
  mayTake(path: string): boolean {
    return this.#hasExact && path.length > 1 && path.endsWith("/");
  }

  /** True if a guarded route covers `reading.path` but not the path itself, and the request matches another route, `taken`. */
  isPassedBy(taken: Routable | undefined, reading: Reading): boolean {
    return this.#guards.some(
      (guard) =>
        guard.route !== taken &&
        isOfHost(guard.route, reading.host) &&
        !isToldApart(guard, taken) &&
        reads(guard, reading),
    );
  }
}

function isOfHost({ host }: Routable, asked: string): boolean {
  if (host === undefined) return true;
  return host.startsWith("*.") ? asked.endsWith(host.slice(1)) : host === asked;
}

/** True if the configuration has a route for exactly this other spelling. */
function isToldApart({ spellings: own }: Guard<Routable>, taken: Routable | undefined): boolean {
  if (taken?.conditions?.isExact !== true) return false;
  const { pathPrefix } = taken;
  return !own.isDisjointFrom(spellings(pathPrefix)) || !own.isDisjointFrom(spellings(withoutSlash(pathPrefix)));
}

/** Many servers ignore a trailing slash. */
function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

function reads({ route, spellings: own }: Guard<Routable>, { path, reading }: Reading): boolean {
  const { conditions, pathPrefix } = route;
  if (conditions === undefined) return false;
  if (conditions.isExact) return path !== pathPrefix && (own.has(reading) || own.has(withoutSlash(reading)));
  if (conditions.path === undefined || conditions.pathAnyCase === undefined) return false;
  if (reading.length > MAX_MATCHED_TEXT || path.length > MAX_MATCHED_TEXT) return true;
  return conditions.pathAnyCase(reading) && !conditions.path(path);
}
