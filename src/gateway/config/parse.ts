/** Reads a configuration section by section and item by item, so that one mistake does not hide what the others say. */
import { type z } from "zod";
import { type Config, configSchema, type RouteConfig, type UpstreamConfig } from "./config.ts";
import { route } from "./schema/routes.ts";
import { upstream } from "./schema/upstreams.ts";
import { type WithoutPlaceholder } from "./secrets.ts";

export type Section = keyof typeof configSchema.shape;
type Issue = z.core.$ZodIssue;

/** What was made of a value: `data` is undefined where it has problems. */
interface Parsed {
  readonly data: unknown;
  readonly issues: readonly Issue[];
}

/**
 * Remembers what became of objects, so that a configuration that shares most of its objects with one before it is read in a
 * fraction of the time. An object must not be changed once it was read with a cache.
 */
export class ParseCache {
  readonly #parsed = new Map<z.ZodType, WeakMap<object, Parsed>>();
  /** Objects and lists without the placeholder of a secret. */
  readonly withoutPlaceholder: WithoutPlaceholder = new WeakSet();
  readonly #depths = new WeakMap<object, number>();
  /** Routes that no rule finds anything in, by what else the rules look at. */
  readonly #clean = new WeakMap<RouteConfig, readonly unknown[]>();

  parse(schema: z.ZodType, value: unknown): Parsed {
    if (typeof value !== "object" || value === null) return parse(schema, value);
    const known = this.#parsed.get(schema) ?? new WeakMap<object, Parsed>();
    this.#parsed.set(schema, known);
    const before = known.get(value);
    if (before !== undefined) return before;
    const parsed = parse(schema, value);
    known.set(value, parsed);
    return parsed;
  }

  /** How many levels of objects and lists a value has; one that has more than `most` counts as having one more than that. */
  depthOf(value: unknown, most: number): number {
    if (typeof value !== "object" || value === null) return 0;
    const known = this.#depths.get(value);
    if (known !== undefined) return known;
    if (most === 0) return 1;
    let deepest = 0;
    for (const member of Object.values(value)) deepest = Math.max(deepest, this.depthOf(member, most - 1));
    // What was cut short may be deeper than it was seen to be.
    if (deepest < most) this.#depths.set(value, deepest + 1);
    return deepest + 1;
  }

  isClean(item: RouteConfig, context: readonly unknown[]): boolean {
    const before = this.#clean.get(item);
    return before !== undefined && context.every((value, i) => value === before[i]);
  }

  setClean(item: RouteConfig, context: readonly unknown[]): void {
    this.#clean.set(item, context);
  }
}

function parse(schema: z.ZodType, value: unknown): Parsed {
  const result = schema.safeParse(value);
  return result.success ? { data: result.data, issues: [] } : { data: undefined, issues: result.error.issues };
}

/** A configuration as far as it can be read. */
export interface ParsedConfig {
  /** With their paths in the whole, in the order of the reference; unknown keys of the root come last. */
  readonly issues: readonly Issue[];
  /** Sections without problems; those that are absent and have no default are not there. */
  readonly sections: { readonly [K in Section]?: Config[K] };
  /** Undefined are those with problems. */
  readonly upstreams: readonly (UpstreamConfig | undefined)[];
  readonly routes: readonly (RouteConfig | undefined)[];
  /** Undefined: there are issues. */
  readonly config: Config | undefined;
}

const ITEMS: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ["upstreams", upstream],
  ["routes", route],
]);

let defaults: Record<string, unknown> | undefined;

export function parseConfig(raw: Readonly<Record<string, unknown>>, cache: ParseCache): ParsedConfig {
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
      item !== undefined && Array.isArray(value) ? parseItems(item, value, cache) : cache.parse(schema, value);
    for (const issue of parsed.issues) issues.push({ ...issue, path: [key, ...issue.path] });
    if (Array.isArray(parsed.data)) lists.set(key, parsed.data);
    if (parsed.issues.length === 0) sections.set(key, parsed.data);
  }
  issues.push(...unknownKeys(raw));
  // Each section has become what its own schema makes of it.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const read = Object.fromEntries(sections) as unknown as Config;
  return {
    issues,
    sections: read,
    // As do the items of a list.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    upstreams: (lists.get("upstreams") ?? []) as ParsedConfig["upstreams"],
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    routes: (lists.get("routes") ?? []) as ParsedConfig["routes"],
    config: issues.length === 0 ? read : undefined,
  };
}

/** A list, whose `data` has undefined for each item with problems. */
function parseItems(schema: z.ZodType, items: readonly unknown[], cache: ParseCache): Parsed {
  const issues: Issue[] = [];
  const data = items.map((item, i) => {
    const parsed = cache.parse(schema, item);
    for (const issue of parsed.issues) issues.push({ ...issue, path: [i, ...issue.path] });
    return parsed.data;
  });
  return { data, issues };
}

function unknownKeys(raw: Readonly<Record<string, unknown>>): Issue[] {
  const keys = Object.keys(raw).filter((key) => !Object.hasOwn(configSchema.shape, key));
  return keys.length === 0 ? [] : [{ code: "unrecognized_keys", keys, path: [], message: "", input: raw }];
}
