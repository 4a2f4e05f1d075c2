/** What of a configuration is secret, as the schema tells, and the placeholder that stands for it wherever it is shown. */
import { describedSchema, type JsonSchema } from "./json-schema.ts";
import { type SecretKind } from "./schema/kinds.ts";

/** Stands for a secret in what is shown. Sent back, it means: as it is now. */
export const PLACEHOLDER = "<secret>";

/** Names of request fields whose values are no secrets; all others may be. */
const OPEN_FIELDS =
  /^(?:accept(?:-[a-z]+)?|cache-control|content-language|host|origin|pragma|prefer|priority|range|referer|user-agent|x-forwarded-[a-z]+|x-requested-with|x-scheme)$/i;

/** A segment of a URL's path that may be a key: long, and letters and digits mixed. */
const KEY_SEGMENT = /^(?=.*\d)(?=.*[A-Za-z])[\w.~%-]{16,}$/;

/** What the schema says of the secrets of one value; undefined: it has none. */
interface Plan {
  readonly secret: Exclude<SecretKind, "none"> | undefined;
  readonly members: ReadonlyMap<string, Plan>;
  /** Keys that the schema knows; of all others the values may be anything, misspelt secrets too. Undefined: any key is known. */
  readonly known: ReadonlySet<string> | undefined;
  readonly items: Plan | undefined;
  /** It is a secret, or has some below. */
  readonly holds: boolean;
}

const OPEN = planWith({ secret: undefined, members: new Map(), known: undefined, items: undefined });
const UNKNOWN = planWith({ secret: "whole", members: new Map(), known: undefined, items: undefined });

function planWith(plan: Omit<Plan, "holds">): Plan {
  const { secret, members, items } = plan;
  return {
    ...plan,
    holds: secret !== undefined || items?.holds === true || members.values().some(({ holds }) => holds),
  };
}

let wholePlan: Plan | undefined;

function rootPlan(): Plan {
  if (wholePlan === undefined) {
    const root = describedSchema();
    wholePlan = planOf({ ...root, properties: { ...root.properties, $schema: { type: "string" } } });
  }
  return wholePlan;
}

function planOf(schema: JsonSchema): Plan {
  const schemas = [schema, ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  const members = new Map<string, Plan>();
  const known = new Set<string>();
  for (const { properties = {} } of schemas) {
    for (const [key, member] of Object.entries(properties)) {
      known.add(key);
      members.set(key, joined(members.get(key), planOf(member)));
    }
  }
  const items = schemas.flatMap(({ items: item }) => (item === undefined ? [] : [planOf(item)]));
  const kind = schema.secret;
  return planWith({
    secret: kind === "none" ? undefined : kind,
    members,
    known: known.size === 0 ? undefined : known,
    items: items.length === 0 ? undefined : items.reduce((a, b) => joined(a, b)),
  });
}

/** What is a secret by either. */
function joined(a: Plan | undefined, b: Plan): Plan {
  if (a === undefined) return b;
  const members = new Map(a.members);
  for (const [key, plan] of b.members) members.set(key, joined(members.get(key), plan));
  return planWith({
    secret: a.secret ?? b.secret,
    members,
    known: a.known === undefined || b.known === undefined ? (a.known ?? b.known) : a.known.union(b.known),
    items: b.items === undefined ? a.items : joined(a.items, b.items),
  });
}

/** The plan of what stands at a path of the configuration. */
function planAt(path: readonly (string | number)[]): Plan {
  let plan = rootPlan();
  for (const part of path) {
    if (typeof part === "number") plan = plan.items ?? OPEN;
    else if (plan.known?.has(part) === false) plan = UNKNOWN;
    else plan = plan.members.get(part) ?? OPEN;
  }
  return plan;
}

/** A part of a configuration, at `path` of the whole, with its secrets replaced; values of unknown keys are replaced too. Decision 1105. */
export function withoutSecrets(value: unknown, path: readonly (string | number)[] = []): unknown {
  return hidden(value, planAt(path), undefined);
}

function hidden(value: unknown, plan: Plan, holder: object | undefined): unknown {
  if (plan.secret !== undefined) return hiddenSecret(value, plan.secret, holder);
  if (plan === OPEN || typeof value !== "object" || value === null) return shown(value, plan);
  if (Array.isArray(value)) {
    const { items = OPEN } = plan;
    const list: readonly unknown[] = value;
    const shownList = list.map((item) => hidden(item, items, undefined));
    return shownList.some((item, i) => item !== list[i]) ? shownList : value;
  }
  const changed: (readonly [key: string, value: unknown])[] = [];
  for (const [key, member] of Object.entries(value)) {
    const below = plan.known?.has(key) === false ? UNKNOWN : (plan.members.get(key) ?? OPEN);
    const shownMember = hidden(member, below, value);
    if (shownMember !== member) changed.push([key, shownMember]);
  }
  return changed.length === 0 ? value : replaced(value, changed);
}

/** The object with other values for some of its keys, in their places. */
function replaced(value: object, members: readonly (readonly [key: string, value: unknown])[]): unknown {
  const others = new Map(members);
  return Object.fromEntries(Object.entries(value).map(([key, own]) => [key, others.has(key) ? others.get(key) : own]));
}

/** A value without members: where the schema has an object, it may be a secret in the wrong place. */
function shown(value: unknown, plan: Plan): unknown {
  const isMisplaced = typeof value === "string" && value !== "" && plan.holds;
  return isMisplaced ? PLACEHOLDER : value;
}

function hiddenSecret(value: unknown, kind: Exclude<SecretKind, "none">, holder: object | undefined): unknown {
  if (value === "" || value === null || value === undefined) return value;
  if (typeof value !== "string") return PLACEHOLDER;
  if (kind === "url") return hiddenUrl(value);
  if (kind === "field" && isOpenField(holder)) return value;
  return PLACEHOLDER;
}

function isOpenField(holder: object | undefined): boolean {
  const name: unknown = holder === undefined ? undefined : Reflect.get(holder, "name");
  return typeof name === "string" && OPEN_FIELDS.test(name);
}

/** `https://user:pass@host/path?key=1` as `https://user:<secret>@host/path?<secret>`. */
function hiddenUrl(text: string): string {
  const [, scheme = "", rest = ""] = /^([a-z][a-z\d+.-]*:(?:\/\/)?)?(.*)$/is.exec(text) ?? [];
  const [, authority = "", path = "", query = ""] = /^([^/?#]*)([^?#]*)(.*)$/s.exec(rest) ?? [];
  const at = authority.lastIndexOf("@");
  const colon = authority.indexOf(":");
  const user = at < 0 ? "" : `${authority.slice(0, colon < 0 || colon > at ? at : colon)}:${PLACEHOLDER}@`;
  const segments = path.split("/").map((segment) => (KEY_SEGMENT.test(segment) ? PLACEHOLDER : segment));
  return `${scheme}${user}${authority.slice(at + 1)}${segments.join("/")}${hiddenQuery(query)}`;
}

/** The way to a database is told by its `sslmode`, which is no secret. */
function hiddenQuery(query: string): string {
  return query === "" || /^\?sslmode=[\w-]+$/.test(query) ? query : `?${PLACEHOLDER}`;
}

/**
 * `next` with each placeholder replaced by the secret that `before` has in the same place, at `path` of the whole. Where there is
 * none, the placeholder stays, which the loader refuses. Items of lists are matched by what names them, as `identityOf` says;
 * those without a name by their place.
 */
export function withKeptSecrets(next: unknown, before: unknown, path: readonly (string | number)[] = []): unknown {
  return kept(next, before, { plan: planAt(path), holder: undefined });
}

function kept(
  next: unknown,
  before: unknown,
  { plan, holder }: { readonly plan: Plan; readonly holder: object | undefined },
): unknown {
  if (plan.secret !== undefined) {
    const isPlaceholder = typeof next === "string" && next.includes(PLACEHOLDER) && before !== undefined;
    return isPlaceholder && hiddenSecret(before, plan.secret, holder) === next ? before : next;
  }
  if (typeof next !== "object" || next === null) return next;
  if (Array.isArray(next)) {
    const { items } = plan;
    if (items?.holds !== true) return next;
    const match = matcherOf(Array.isArray(before) ? before : [], next);
    return next.map((item: unknown) => kept(item, match(item), { plan: items, holder: undefined }));
  }
  const old = typeof before === "object" && before !== null && !Array.isArray(before) ? before : {};
  return Object.fromEntries(
    Object.entries(next).map(([key, member]) => {
      const below = plan.known?.has(key) === false ? UNKNOWN : (plan.members.get(key) ?? OPEN);
      const value: unknown = Object.hasOwn(old, key) ? Reflect.get(old, key) : undefined;
      return [key, kept(member, value, { plan: below, holder: next })];
    }),
  );
}

/**
 * Finds what an item of a list was in its version before. Of several with one name it is told by their order, if there are as many
 * as before: a secret that was taken out must not be kept in the place of another.
 */
function matcherOf(before: readonly unknown[], next: readonly unknown[]): (item: unknown) => unknown {
  const old = Map.groupBy(before, listKey);
  const counts = Map.groupBy(next, listKey);
  return (item) => {
    const key = listKey(item);
    const same = old.get(key);
    return same?.length === counts.get(key)?.length ? same?.[counts.get(key)?.indexOf(item) ?? -1] : undefined;
  };
}

/** Methods of a chain are told apart by their type. */
function listKey(item: unknown): unknown {
  if (typeof item !== "object" || item === null) return undefined;
  return listName(item) ?? Reflect.get(item, "type");
}

/** What names an item among its siblings: `name`, or a route's host, `path_prefix` and name. */
export function listName(item: unknown): string | undefined {
  if (typeof item !== "object" || item === null) return undefined;
  const name: unknown = Reflect.get(item, "name");
  const prefix: unknown = Reflect.get(item, "path_prefix");
  if (typeof prefix !== "string") return typeof name === "string" ? name : undefined;
  const host: unknown = Reflect.get(item, "host");
  return `${typeof host === "string" ? host.toLowerCase() : ""} ${prefix} ${typeof name === "string" ? name : ""}`;
}

/** Objects and lists that hold no placeholder: one must not be changed once it is here. */
export type WithoutPlaceholder = WeakSet<object>;

/** Paths of all secrets that are the placeholder itself, or hold it. What is in `clean` is not looked through. */
export function placeholdersIn(value: unknown, clean: WithoutPlaceholder = new WeakSet()): (string | number)[][] {
  // Almost every configuration has none, and what the schema says of secrets takes a fifth of a start to work out (bench start).
  if (!mentionsPlaceholder(value, clean)) return [];
  const found: (string | number)[][] = [];
  findPlaceholders(value, rootPlan(), [], found);
  return found;
}

/** True if some text in a value holds the placeholder, whether it is a secret or not. */
function mentionsPlaceholder(value: unknown, clean: WithoutPlaceholder): boolean {
  if (typeof value === "string") return value.includes(PLACEHOLDER);
  if (typeof value !== "object" || value === null || clean.has(value)) return false;
  for (const member of Object.values(value)) if (mentionsPlaceholder(member, clean)) return true;
  clean.add(value);
  return false;
}

function findPlaceholders(
  value: unknown,
  plan: Plan,
  path: readonly (string | number)[],
  found: (string | number)[][],
): void {
  if (typeof value === "string") {
    if (plan.secret !== undefined && value.includes(PLACEHOLDER)) found.push([...path]);
  } else if (Array.isArray(value)) {
    const { items } = plan;
    if (items?.holds !== true) return;
    for (const [i, item] of value.entries()) findPlaceholders(item, items, [...path, i], found);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, member] of plan.members) {
      if (member.holds && Object.hasOwn(value, key)) {
        findPlaceholders(Reflect.get(value, key), member, [...path, key], found);
      }
    }
  }
}
