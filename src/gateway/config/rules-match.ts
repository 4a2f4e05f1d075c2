import { messageOf } from "../../lib/caught.ts";
import { compileWholePattern } from "../../lib/patterns/linear-pattern.ts";
import { type RouteConfig } from "./config.ts";
import { type Condition, conditionOfMatch, covers } from "./covers.ts";
import { firstWith, type Report } from "./draft.ts";
import { unservedMethod } from "../../lib/http/http-method.ts";
import { FIELD_ROLES, hasForwardedPrefix, HOP_BY_HOP_FIELDS } from "../../lib/http/field-roles.ts";

/**
 * Routes with the same path prefix and host; the configuration is refused with more. @operator A request may be compared
 * with each of them.
 */
const MAX_ALTERNATIVES = 256;

/** Fields that the gateway removes from requests before it chooses a route. */
const UNSEEN = new Set([
  ...HOP_BY_HOP_FIELDS,
  ...FIELD_ROLES.proxy,
  ...FIELD_ROLES.trusted,
  ...FIELD_ROLES.forwarded,
  ...FIELD_ROLES.payment,
]);

/** True if no policy sees this field of a client's request: the gateway has removed it. */
export function isUnseen(name: string): boolean {
  const lower = name.toLowerCase();
  return UNSEEN.has(lower) || hasForwardedPrefix(lower);
}

/** Checks `routes[].match`. A match must have a condition, and its conditions must not exclude each other. */
export function checkMatch({ match, path_prefix: prefix }: RouteConfig, path: string, report: Report): void {
  if (match === undefined) return;
  const { exact_path: isExact, path_pattern: pattern, methods, headers, query, grpc } = match;
  const hasOther = isExact || pattern !== undefined || grpc !== undefined;
  if (!hasOther && methods.length + headers.length + query.length === 0) report.problem(path, "expected a condition");
  if (isExact && pattern !== undefined) report.problem(`${path}.path_pattern`, "excluded by exact_path");
  checkConditions(match, path, report);
  if (grpc !== undefined) checkGrpc({ ...match, grpc }, prefix, { path: `${path}.grpc`, report });
}

type Conditions = Pick<NonNullable<RouteConfig["match"]>, "methods" | "headers" | "query"> & {
  readonly path_pattern?: string;
};

/** A pattern without alternatives that begins with a letter or digit, as no path does. */
const NO_PATH = /^\w(?![?*{])[^|]*$/;

/** Checks the patterns and names of conditions. */
export function checkConditions(
  { path_pattern: pattern, methods, headers, query }: Conditions,
  path: string,
  report: Report,
): void {
  if (pattern !== undefined) checkPattern(pattern, `${path}.path_pattern`, report);
  if (pattern !== undefined && NO_PATH.test(pattern))
    report.warning(`${path}.path_pattern`, "matches no path, because a path begins with /");
  for (const [i, method] of methods.entries()) {
    const reason = unservedMethod(method);
    if (reason !== "") report.warning(`${path}.methods[${i}]`, `matches no request: ${reason}`);
  }
  for (const [i, condition] of headers.entries()) {
    checkField(condition.name, `${path}.headers[${i}].name`, report);
    checkTest(condition, `${path}.headers[${i}]`, report);
  }
  for (const [i, condition] of query.entries()) checkTest(condition, `${path}.query[${i}]`, report);
  const names = { headers: headers.map(({ name }) => name.toLowerCase()), query: query.map(({ name }) => name) };
  for (const [kind, list] of Object.entries(names)) {
    for (const [i, name] of list.entries()) {
      const first = list.indexOf(name);
      if (first < i) report.warning(`${path}.${kind}[${i}]`, `has no effect, because ${kind}[${first}] has this name`);
    }
  }
}

function checkPattern(pattern: string, path: string, report: Report): void {
  try {
    compileWholePattern(pattern);
  } catch (error) {
    report.problem(path, `expected a regular expression: ${messageOf(error)}`);
  }
}

interface Test {
  readonly value?: string;
  readonly pattern?: string;
}

function checkTest({ value, pattern }: Test, path: string, report: Report): void {
  if (pattern === undefined) return;
  if (value !== undefined) report.problem(path, '"value" excludes "pattern"');
  checkPattern(pattern, `${path}.pattern`, report);
}

function checkField(name: string, path: string, report: Report): void {
  const lower = name.toLowerCase();
  if (lower === "host") report.problem(path, '"host" of the route matches the Host of requests');
  else if (isUnseen(lower)) {
    report.problem(path, `${JSON.stringify(name)} of clients is removed before routes are matched`);
  }
}

function checkGrpc(
  { grpc, exact_path: isExact, path_pattern: pattern }: NonNullable<RouteConfig["match"]>,
  prefix: string,
  { path, report }: { readonly path: string; readonly report: Report },
): void {
  const { service, method } = grpc ?? {};
  if (service === undefined && method === undefined) report.problem(path, 'expected "service", "method" or both');
  if (isExact || pattern !== undefined) report.problem(path, "excludes exact_path and path_pattern");
  const called = `/${service ?? ""}${service === undefined ? "" : "/"}${service === undefined ? "" : (method ?? "")}`;
  const isCovered = prefix === called || called.startsWith(prefix.endsWith("/") ? prefix : `${prefix}/`);
  if (!isCovered) {
    report.problem(path, `path_prefix ${JSON.stringify(prefix)} does not cover ${JSON.stringify(called)}; use "/"`);
  }
}

interface Alternative {
  readonly i: number;
  readonly rank: string;
  readonly condition: Condition;
}

/** Differs if one of two matches with the same conditions is tried first (`routing/conditions.ts`). */
function rankOf(match: RouteConfig["match"]): string {
  const { exact_path: isExact = false, methods = [], headers = [], query = [] } = match ?? {};
  return JSON.stringify([match?.grpc, isExact, match?.path_pattern, methods.length > 0, headers.length, query.length]);
}

/** Finds routes that never get a request, because another route has the same prefix, host and conditions. */
export class Repetitions {
  readonly #report: Report;
  readonly #names = new Map<string, number>();
  readonly #matches = new Map<string, number>();
  readonly #alternatives = new Map<string, Alternative[]>();

  constructor(report: Report) {
    this.#report = report;
  }

  check({ host = "", path_prefix: prefix, name, match }: RouteConfig, i: number): void {
    const key = `${host} ${prefix}`;
    const sameName = firstWith(this.#names, name === undefined ? key : `${key} ${name}`, i);
    if (sameName !== undefined) {
      const what = name === undefined ? "path_prefix and host" : "path_prefix, host and name";
      const hint = match === undefined ? "" : "; give it a name of its own";
      this.#report.problem(`routes[${i}]`, `${what} are those of routes[${sameName}]${hint}`);
    }
    const sameMatch = firstWith(this.#matches, match === undefined ? key : `${key} ${JSON.stringify(match)}`, i);
    if (sameMatch !== undefined && sameName === undefined) {
      this.#report.problem(`routes[${i}]`, `path_prefix, host and match are those of routes[${sameMatch}]`);
    }
    if (name === undefined && match === undefined) return;
    const others = this.#alternatives.get(key) ?? [];
    this.#alternatives.set(key, others);
    if (others.length === MAX_ALTERNATIVES) {
      const message = `expected at most ${MAX_ALTERNATIVES} routes with one path_prefix and host`;
      this.#report.problem(`routes[${i}]`, message);
    }
    const own = { i, rank: rankOf(match), condition: match === undefined ? [] : conditionOfMatch(match) };
    // Of routes with the same rank, the first in the file is tried first.
    const first = others.find(({ rank, condition }) => rank === own.rank && covers(condition, own.condition));
    if (others.length <= MAX_ALTERNATIVES) others.push(own);
    if (first === undefined || (sameName ?? sameMatch) !== undefined) return;
    this.#report.warning(`routes[${i}]`, `has no effect, because routes[${first.i}] takes all its requests`);
  }
}
