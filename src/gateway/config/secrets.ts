/** Finds a configuration's secrets, as the schema marks them, and replaces them by a placeholder when it is shown. */
import { describedSchema, type JsonSchema } from "./json-schema.ts";
import { mapSteps, type Steps } from "../../lib/slices.ts";
import { type SecretKind } from "./schema/kinds.ts";

/** Replaces a secret in a shown configuration. In one that is sent back, it means an unchanged secret. */
export const PLACEHOLDER = "<secret>";

/** Names of request fields whose values are not secret. The value of any other field may be a secret. */
const OPEN_FIELDS =
  /^(?:accept(?:-[a-z]+)?|cache-control|content-language|host|origin|pragma|prefer|priority|range|referer|user-agent|x-forwarded-[a-z]+|x-requested-with|x-scheme)$/i;

/** Names of response fields whose values may be secrets. */
const SECRET_RESPONSE_FIELDS = /cookie|auth|token|secret|key|passw|credential|signature|session/i;

/** A segment of a URL's path that may be a key: 16 characters or more, with letters and digits. */
const KEY_SEGMENT = /^(?=.*\d)(?=.*[A-Za-z]).{16,}$/s;

/** Schemes whose URLs can have a key as the user: browser pools accept `wss://key@host`. */
const KEY_AS_USER = /^(?:https?|wss?):/i;

/** The secrets that the schema marks in one value. */
interface Plan {
  readonly secret: Exclude<SecretKind, "none"> | undefined;
  readonly members: ReadonlyMap<string, Plan>;
  /** The keys in the schema. Another key may be a misspelt one with a secret. Undefined: all keys are allowed. */
  readonly known: ReadonlySet<string> | undefined;
  readonly items: Plan | undefined;
  /** The value is a secret, or one of its members or items is. */
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

/** The plan for a value that may have either schema: it marks the secrets of both. */
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

/** The plan for the value at a path of the configuration. */
function planAt(path: readonly (string | number)[]): Plan {
  let plan = rootPlan();
  for (const part of path) {
    if (typeof part === "number") plan = plan.items ?? OPEN;
    else if (plan.known?.has(part) === false) plan = UNKNOWN;
    else plan = plan.members.get(part) ?? OPEN;
  }
  return plan;
}

/** Replaces the secrets in a part of a configuration, at `path`, and the values of unknown keys (decision 1105). */
export function withoutSecrets(value: unknown, path: readonly (string | number)[] = []): unknown {
  return hidden(value, planAt(path), undefined);
}

/** A whole configuration, with secrets replaced. */
export function* shownSteps(document: unknown): Steps<unknown> {
  if (typeof document !== "object" || document === null) return document;
  const sections: [string, unknown][] = [];
  for (const [key, section] of Object.entries(document)) {
    const isLong = (key === "routes" || key === "upstreams") && Array.isArray(section);
    const hide = (item: unknown, i: number): unknown => withoutSecrets(item, [key, i]);
    sections.push([key, isLong ? yield* mapSteps(section, hide) : withoutSecrets(section, [key])]);
  }
  return Object.fromEntries(sections);
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

/** A copy of the object with new values for some of its keys. The order of the keys stays. */
function replaced(value: object, members: readonly (readonly [key: string, value: unknown])[]): unknown {
  const others = new Map(members);
  return Object.fromEntries(Object.entries(value).map(([key, own]) => [key, others.has(key) ? others.get(key) : own]));
}

/** A value without members. In the place of an object with secrets, a string may be a misplaced secret. */
function shown(value: unknown, plan: Plan): unknown {
  const isMisplaced = typeof value === "string" && value !== "" && plan.holds;
  return isMisplaced ? PLACEHOLDER : value;
}

function hiddenSecret(value: unknown, kind: Exclude<SecretKind, "none">, holder: object | undefined): unknown {
  if (value === "" || value === null || value === undefined) return value;
  if (typeof value !== "string") return PLACEHOLDER;
  if (kind === "url") return hiddenUrl(value);
  if ((kind === "field" || kind === "responseField") && isOpenField(holder, kind)) return value;
  return PLACEHOLDER;
}

function isOpenField(holder: object | undefined, kind: "field" | "responseField"): boolean {
  const name: unknown = holder === undefined ? undefined : Reflect.get(holder, "name");
  if (typeof name !== "string") return false;
  return kind === "field" ? OPEN_FIELDS.test(name) : !SECRET_RESPONSE_FIELDS.test(name);
}

/** Changes `redis://user:pass@host/path?key=1` to `redis://user:<secret>@host/path?<secret>`. */
function hiddenUrl(text: string): string {
  const [, scheme = "", rest = ""] = /^([a-z][a-z\d+.-]*:(?:\/\/)?)?(.*)$/is.exec(text) ?? [];
  const [, authority = "", path = "", query = ""] = /^([^/?#]*)([^?#]*)(.*)$/s.exec(rest) ?? [];
  const at = authority.lastIndexOf("@");
  const colon = authority.indexOf(":");
  const name = KEY_AS_USER.test(scheme) ? "" : `${authority.slice(0, colon < 0 || colon > at ? at : colon)}:`;
  const user = at < 0 ? "" : `${name}${PLACEHOLDER}@`;
  const segments = path.split("/").map((segment) => (KEY_SEGMENT.test(segment) ? PLACEHOLDER : segment));
  return `${scheme}${user}${authority.slice(at + 1)}${segments.join("/")}${hiddenQuery(query)}`;
}

/** Keeps a query that has only `sslmode`, because it selects how the connection is secured and is not secret. */
function hiddenQuery(query: string): string {
  return query === "" || /^\?sslmode=[\w-]+$/.test(query) ? query : `?${PLACEHOLDER}`;
}

/**
 * Replaces each placeholder in `next` with the secret that `before` has in the same position. `path` is the position of
 * both in the whole configuration. If `before` has no such secret, the placeholder stays and the loader refuses it.
 * List items are matched by name (`listName`) or type. Items without either are matched by their order.
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
 * Returns a function that finds the earlier version of a list item. Several items with one name are matched by their
 * order, if their number is unchanged. Otherwise a removed item's secret could be given to another item.
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

/** The key by which list items are matched: the name, or the type of a method in a chain. */
function listKey(item: unknown): unknown {
  if (typeof item !== "object" || item === null) return undefined;
  return listName(item) ?? Reflect.get(item, "type");
}

/** An item's name among its siblings: `name`, or a route's host, `path_prefix` and name. Undefined without one. */
export function listName(item: unknown): string | undefined {
  if (typeof item !== "object" || item === null) return undefined;
  const name: unknown = Reflect.get(item, "name");
  const prefix: unknown = Reflect.get(item, "path_prefix");
  if (typeof prefix !== "string") return typeof name === "string" ? name : undefined;
  const host: unknown = Reflect.get(item, "host");
  return `${typeof host === "string" ? host.toLowerCase() : ""} ${prefix} ${typeof name === "string" ? name : ""}`;
}

/** Objects and lists without a placeholder. They must not be changed after they were added. */
export type WithoutPlaceholder = WeakSet<object>;

/** The paths of all secrets that are or contain the placeholder. Sections and items in `clean` are not searched. */
export function* placeholderSteps(value: object, clean: WithoutPlaceholder): Steps<(string | number)[][]> {
  // Almost every configuration has no placeholder, and reading the secrets from the schema takes a fifth of the start
  // time (bench start).
  let isMentioned = false;
  for (const section of Object.values(value)) {
    for (const part of Array.isArray(section) ? section : [section]) {
      isMentioned ||= mentionsPlaceholder(part, clean);
      yield;
    }
  }
  if (!isMentioned) return [];
  const found: (string | number)[][] = [];
  findPlaceholders(value, rootPlan(), [], found);
  return found;
}

/** True if any string in a value contains the placeholder, whether it is a secret or not. */
function mentionsPlaceholder(value: unknown, clean?: WithoutPlaceholder): boolean {
  if (typeof value === "string") return value.includes(PLACEHOLDER);
  if (typeof value !== "object" || value === null || clean?.has(value) === true) return false;
  for (const member of Object.values(value)) if (mentionsPlaceholder(member)) return true;
  clean?.add(value);
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
