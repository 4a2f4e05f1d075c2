import { eachField, type Fields } from "../../lib/http/fields.ts";
import { compileWholePattern, type TextMatch } from "../../lib/patterns/linear-pattern.ts";
import { type RouteConfig } from "../config/config.ts";
import { type Conditions, type Matchable, type NamedTest, type Routable } from "./routable.ts";

type MatchConfig = NonNullable<RouteConfig["match"]>;

/** Maximum number of characters that a pattern is matched against, which takes up to 20 ms. A longer text matches no route. */
export const MAX_MATCHED_TEXT = 2048;

/** The path prefix and the conditions of a route. */
export function matchOf(route: RouteConfig): Pick<Routable, "pathPrefix" | "conditions"> {
  const { path_prefix: pathPrefix, match } = route;
  if (match === undefined) return { pathPrefix, conditions: undefined };
  const { service, method } = match.grpc ?? {};
  if (service === undefined) return { pathPrefix, conditions: compileConditions(match, method) };
  const isExact = method !== undefined;
  const conditions = compileConditions({ ...match, exact_path: isExact || match.exact_path }, undefined);
  return { pathPrefix: `/${service}/${method ?? ""}`, conditions };
}

/** Compiles conditions. `grpcMethod`: the name of a gRPC method, in any service. */
export function compileConditions(
  match: Pick<MatchConfig, "exact_path" | "path_pattern" | "methods" | "headers" | "query">,
  grpcMethod?: string,
): Conditions {
  const source = match.path_pattern ?? (grpcMethod === undefined ? undefined : `/[^/]+/${grpcMethod}`);
  return {
    isExact: match.exact_path,
    path: source === undefined ? undefined : compileWholePattern(source),
    pathAnyCase: source === undefined ? undefined : compileWholePattern(source, { ignoresCase: true }),
    isSpelled: source !== undefined && /[A-Z%;]/.test(source),
    methods: match.methods,
    fields: unique(match.headers.map((test) => ({ ...test, name: test.name.toLowerCase() }))).map(compileTest),
    query: unique(match.query).map(compileTest),
  };
}

/** Only the first of several conditions for one name is used, as in the Gateway API. */
function unique<T extends { readonly name: string }>(tests: readonly T[]): T[] {
  const seen = new Set<string>();
  return tests.filter(({ name }) => !seen.has(name) && seen.add(name));
}

function compileTest({ name, value, pattern }: MatchConfig["query"][number]): NamedTest {
  return { name, value, pattern: pattern === undefined ? undefined : compileWholePattern(pattern) };
}

/** Orders two routes of one prefix and host: negative if `a` is tried first. 0 keeps the order of the file. */
export function byPrecedence(a: Conditions | undefined, b: Conditions | undefined): number {
  return (
    rank(b, ({ path }) => (path === undefined ? 0 : 1)) - rank(a, ({ path }) => (path === undefined ? 0 : 1)) ||
    rank(b, ({ methods }) => Math.min(methods.length, 1)) - rank(a, ({ methods }) => Math.min(methods.length, 1)) ||
    rank(b, ({ fields }) => fields.length) - rank(a, ({ fields }) => fields.length) ||
    rank(b, ({ query }) => query.length) - rank(a, ({ query }) => query.length)
  );
}

function rank(conditions: Conditions | undefined, count: (conditions: Conditions) => number): number {
  return conditions === undefined ? 0 : count(conditions);
}

/** A request for comparison with conditions. Values that several conditions need are parsed once. */
export class MatchSubject {
  /** A text was too long to be matched by a pattern. The request then matches no route. */
  isTooLong = false;
  readonly #request: Matchable;
  readonly #path: string;
  #fields: ReadonlyMap<string, string> | undefined;
  #parameters: URLSearchParams | undefined;

  constructor(request: Matchable, path: string) {
    this.#request = request;
    this.#path = path;
  }

  fulfils({ path, methods, fields, query }: Conditions): boolean {
    if (methods.length > 0 && !this.#hasMethod(methods)) return false;
    if (path !== undefined && !this.#matches(path, this.#path)) return false;
    return (
      fields.every((test) => this.#fits(test, this.#field(test.name))) && query.every((test) => this.#fitsQuery(test))
    );
  }

  /** A preflight matches by the method of the actual request (Fetch, "CORS-preflight request"). */
  #hasMethod(methods: readonly string[]): boolean {
    const { method } = this.#request;
    if (methods.includes(method)) return true;
    if (method !== "OPTIONS" || this.#field("origin") === undefined) return false;
    const asked = this.#field("access-control-request-method");
    return asked !== undefined && methods.includes(asked);
  }

  #field(lowerName: string): string | undefined {
    this.#fields ??= valuesByName(this.#request.fields);
    return this.#fields.get(lowerName);
  }

  #fitsQuery(test: NamedTest): boolean {
    this.#parameters ??= new URLSearchParams(this.#request.query);
    return this.#fits(test, this.#parameters.get(test.name) ?? undefined);
  }

  #fits({ value, pattern }: NamedTest, found: string | undefined): boolean {
    if (found === undefined) return false;
    if (pattern !== undefined) return this.#matches(pattern, found);
    return value === undefined || value === found;
  }

  #matches(pattern: TextMatch, text: string): boolean {
    if (text.length <= MAX_MATCHED_TEXT) return pattern(text);
    this.isTooLong = true;
    return false;
  }
}

/** Values by lower-case name; several field lines are joined (RFC 9110 §5.3). */
function valuesByName(fields: Fields): Map<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of eachField(fields)) {
    const lowerName = name.toLowerCase();
    const before = values.get(lowerName);
    values.set(lowerName, before === undefined ? value : `${before}, ${value}`);
  }
  return values;
}
