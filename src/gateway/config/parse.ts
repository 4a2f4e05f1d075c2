/** Parses a configuration section by section and item by item, so that one mistake does not hide others. */
import { type z } from "zod";
import { type Steps } from "../../lib/slices.ts";
import { type Config, configSchema, type RouteConfig, type UpstreamConfig } from "./config.ts";
import { MAX_DIAGNOSTICS } from "./diagnostic.ts";
import { RecordedSchema } from "./schema/recorded-schema.ts";
import { route } from "./schema/routes.ts";
import { upstream } from "./schema/upstreams.ts";
import { type WithoutPlaceholder } from "./secrets.ts";

/** A top-level key of the configuration. */
export type Section = keyof typeof configSchema.shape;
type Issue = z.core.$ZodIssue;

/**
 * Values within one section, or within one item of `routes` and `upstreams`; a list or object is one value more. More are an
 * error: a running gateway loads each of them at once, between two requests. @internal
 */
export const MAX_VALUES = 50_000;
/** Keys of the whole configuration, with unknown ones. More are an error. @internal */
export const MAX_ROOT_KEYS = 1000;

/** A parsed value. `data` is undefined if the value has problems. */
interface Parsed {
  readonly data: unknown;
  readonly issues: readonly Issue[];
}

/**
 * Caches the results for objects, so that a changed configuration that shares most objects with an earlier one is
 * parsed much faster. An object must not be changed after it was parsed with a cache.
 */
export class ParseCache {
  readonly #parsed = new Map<z.ZodType, WeakMap<object, Parsed>>();
  /** Objects and lists that do not contain the placeholder of a secret. */
  readonly withoutPlaceholder: WithoutPlaceholder = new WeakSet();
  /** The routes that have no errors, with the other value that their rules need. */
  readonly #clean = new WeakMap<RouteConfig, unknown>();

  parse(schema: z.ZodType, value: unknown): Parsed {
    if (typeof value !== "object" || value === null) return parse(schema, value);
    const known = this.#parsed.getOrInsert(schema, new WeakMap<object, Parsed>());
    return known.getOrInsertComputed(value, () => parse(schema, value));
  }

  isClean(item: RouteConfig, x402: Config["x402"] | undefined): boolean {
    return this.#clean.has(item) && this.#clean.get(item) === x402;
  }

  setClean(item: RouteConfig, x402: Config["x402"] | undefined): void {
    this.#clean.set(item, x402);
  }
}

const NO_ISSUES: readonly Issue[] = [];

function parse(schema: z.ZodType, value: unknown): Parsed {
  if (isLarge(value)) return { data: undefined, issues: [tooMany(`${MAX_VALUES} values`, [])] };
  // Thousands of routes share their defaults.
  const isRoute = schema instanceof RecordedSchema && schema === ITEMS.get("routes");
  const result = isRoute ? schema.safeParseInheriting(value) : schema.safeParse(value);
  return result.success ? { data: result.data, issues: NO_ISSUES } : { data: undefined, issues: result.error.issues };
}

/** `most` less the number of values in a value. Below 0, the rest is not counted. */
function valuesLeft(value: unknown, most: number): number {
  let left = most - 1;
  if (typeof value !== "object" || value === null) return left;
  for (const member of Object.values(value)) {
    if (left < 0) break;
    left = valuesLeft(member, left);
  }
  return left;
}

function isLarge(value: unknown): boolean {
  return valuesLeft(value, MAX_VALUES) < 0;
}

function tooMany(what: string, path: PropertyKey[]): Issue {
  return { code: "custom", message: `expected at most ${what}`, path, input: undefined };
}

export interface ParsedConfig {
  /** With paths from the root, in the order of the reference; unknown keys of the root come last. */
  readonly issues: readonly Issue[];
  /** Sections without problems. A section that is absent from the file and has no default is absent here. */
  readonly sections: { readonly [K in Section]?: Config[K] };
  /** An item is undefined if it has problems. */
  readonly upstreams: readonly (UpstreamConfig | undefined)[];
  readonly routes: readonly (RouteConfig | undefined)[];
  /** Undefined if there are issues. */
  readonly config: Config | undefined;
}

const ITEMS: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ["upstreams", upstream],
  ["routes", route],
]);

let defaults: Record<string, unknown> | undefined;

/**
 * Checks a configuration against the schema. `raw` is the file's value, and `cache` has the routes and upstreams of
 * earlier calls. Never throws: `issues` has the problems. After MAX_DIAGNOSTICS of them, no other item is parsed.
 */
export function* parseSteps(raw: Readonly<Record<string, unknown>>, cache: ParseCache): Steps<ParsedConfig> {
  defaults ??= configSchema.parse({});
  const issues: Issue[] = [];
  const sections = new Map<string, unknown>();
  const lists = new Map<string, readonly unknown[]>();
  for (const [key, schema] of Object.entries(configSchema.shape)) {
    if (!Object.hasOwn(raw, key)) {
      if (Object.hasOwn(defaults, key)) sections.set(key, defaults[key]);
      continue;
    }
    const value = raw[key];
    const item = ITEMS.get(key);
    const parsed =
      item !== undefined && Array.isArray(value) ? yield* parseItems(item, value, cache) : cache.parse(schema, value);
    for (const issue of parsed.issues) issues.push({ ...issue, path: [key, ...issue.path] });
    if (Array.isArray(parsed.data)) lists.set(key, parsed.data);
    if (parsed.issues.length === 0) sections.set(key, parsed.data);
  }
  issues.push(...unknownKeys(raw));
  // Each section is the output of its own schema.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const read = Object.fromEntries(sections) as unknown as Config;
  return {
    issues,
    sections: read,
    // Each item is the output of its own schema.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    upstreams: (lists.get("upstreams") ?? []) as ParsedConfig["upstreams"],
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    routes: (lists.get("routes") ?? []) as ParsedConfig["routes"],
    config: issues.length === 0 ? read : undefined,
  };
}

/** Parses a list. In `data`, an item with problems is undefined. */
function* parseItems(schema: z.ZodType, items: readonly unknown[], cache: ParseCache): Steps<Parsed> {
  const issues: Issue[] = [];
  const data: unknown[] = [];
  let problems = 0;
  for (const [i, item] of items.entries()) {
    if (problems > MAX_DIAGNOSTICS) break;
    const parsed = cache.parse(schema, item);
    for (const issue of parsed.issues) issues.push({ ...issue, path: [i, ...issue.path] });
    if (parsed.issues.some(({ code }) => code !== "unrecognized_keys")) problems++;
    data.push(parsed.data);
    yield;
  }
  return { data, issues };
}

function unknownKeys(raw: Readonly<Record<string, unknown>>): Issue[] {
  const keys = Object.keys(raw).filter((key) => !Object.hasOwn(configSchema.shape, key));
  if (keys.length === 0) return [];
  if (keys.length > MAX_ROOT_KEYS) return [tooMany(`${MAX_ROOT_KEYS} keys`, [])];
  const [small, large] = [keys.filter((key) => !isLarge(raw[key])), keys.filter((key) => isLarge(raw[key]))];
  const unknown: Issue = { code: "unrecognized_keys", keys: small, path: [], message: "", input: raw };
  return [...(small.length === 0 ? [] : [unknown]), ...large.map((key) => tooMany(`${MAX_VALUES} values`, [key]))];
}
