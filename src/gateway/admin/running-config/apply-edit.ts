/** Applies one change to the document and returns a new document. Unchanged parts are shared with the old one. */
import { isObject, type JsonRecord } from "../../../lib/is-object.ts";
import { listAt, valueAt } from "../../config/diagnostic.ts";
import { upstreamReferences } from "../../config/upstream-references.ts";
import { mergePatch } from "./merge-patch.ts";
import { withKey, withoutKey } from "./route-keys.ts";
import { type ChangeOutcome, type Edit, type RouteSelection } from "./running-config.ts";

/** The new document, and the place of the sent value in it, such as `["routes", 3]`; empty: the whole. */
export interface Edited {
  readonly kind: "edited";
  readonly document: unknown;
  readonly at: readonly (string | number)[];
  /** The place of the same item in the old document; undefined if the item is new. */
  readonly before: readonly (string | number)[] | undefined;
}

type Refusal = Extract<ChangeOutcome, { kind: "absent" | "duplicate" | "ambiguous" }>;

const ABSENT = { kind: "absent" } as const;
const DUPLICATE = { kind: "duplicate" } as const;

/** A change of one route or upstream. */
export type ItemEdit = Exclude<Edit, { kind: "replace" }>;

/** The document after an edit, before its validation; or the reason why the edit is impossible. */
export function applyEdit(document: unknown, edit: ItemEdit): Edited | Refusal {
  switch (edit.kind) {
    case "add-route":
      return add(document, "routes", edit.route);
    case "add-upstream":
      return add(document, "upstreams", edit.upstream);
    case "patch-route": {
      const found = findRoute(document, edit);
      return typeof found === "number" ? withoutUnnamed(patch(document, ["routes", found], edit.patch)) : found;
    }
    case "add-key":
      return changeAuth(document, edit, (auth) => withKey(auth, edit.key));
    case "drop-key":
      return changeAuth(document, edit, (auth) => withoutKey(auth, edit.number, edit.owner));
    case "delete-route": {
      const found = findRoute(document, edit);
      return typeof found === "number" ? withoutUnnamed(remove(document, "routes", found)) : found;
    }
    case "patch-upstream": {
      const index = indexOf(document, "upstreams", edit.name);
      return isAbsent(document, index) ? ABSENT : patch(document, ["upstreams", index], edit.patch);
    }
    case "delete-upstream":
      break;
  }
  return removeUpstream(document, edit.name);
}

/** Changes the authentication of a route. `change` returns undefined if the part to change is absent. */
function changeAuth(
  document: unknown,
  selection: RouteSelection,
  change: (auth: unknown) => unknown,
): Edited | Refusal {
  const found = findRoute(document, selection);
  if (typeof found !== "number") return found;
  const routes = listAt(document, ["routes"]);
  const route = routes[found];
  const auth = change(valueAt(route, ["auth"]));
  if (auth === undefined || !isObject(route)) return ABSENT;
  const target = ["routes", found] as const;
  return { ...withList(document, "routes", routes.with(found, { ...route, auth })), at: target, before: target };
}

/** An upstream that routes name leaves an entry in its place, until it is added again or no route names it. */
function removeUpstream(document: unknown, name: string): Edited | Refusal {
  const index = indexOf(document, "upstreams", name);
  if (index < 0) return ABSENT;
  if (!namedUpstreams(document).has(name)) return remove(document, "upstreams", index);
  if (isAbsent(document, index)) return ABSENT;
  const deleted = { name, servers: [], deleted: true };
  const list = listAt(document, ["upstreams"]).with(index, deleted);
  return { ...withList(document, "upstreams", list), at: ["upstreams", index], before: undefined };
}

function namedUpstreams(document: unknown): Set<string> {
  return new Set([...upstreamReferences(document)].map(({ name }) => name));
}

/** True if there is no such upstream, or if it was deleted. */
function isAbsent(document: unknown, index: number): boolean {
  return index < 0 || isDeleted(listAt(document, ["upstreams"])[index]);
}

function isDeleted(upstream: unknown): boolean {
  return valueAt(upstream, ["deleted"]) === true;
}

/** Without the deleted upstreams that no route names any more. */
function withoutUnnamed(edited: Edited | Refusal): Edited | Refusal {
  if (edited.kind !== "edited") return edited;
  const upstreams = listAt(edited.document, ["upstreams"]);
  if (!upstreams.some(isDeleted)) return edited;
  const named = namedUpstreams(edited.document);
  const kept = upstreams.filter(
    (upstream) => !isDeleted(upstream) || named.has(identityOf("upstreams", upstream) ?? ""),
  );
  return { ...edited, ...withList(edited.document, "upstreams", kept) };
}

type ListKey = "routes" | "upstreams";

/** Identifies a route or upstream in its list; undefined if the item lacks the keys for it. */
function identityOf(list: ListKey, item: unknown): string | undefined {
  if (list === "upstreams") {
    const name = valueAt(item, ["name"]);
    return typeof name === "string" ? name : undefined;
  }
  const prefix = valueAt(item, ["path_prefix"]);
  return typeof prefix === "string" ? `${hostOf(item)} ${prefix} ${routeLabel(item)}` : undefined;
}

/** A route's name; empty without one. */
function routeLabel(route: unknown): string {
  const name = valueAt(route, ["name"]);
  return typeof name === "string" ? name : "";
}

/** A route's host in lower case, as in the schema; empty without one. */
function hostOf(route: unknown): string {
  const host = valueAt(route, ["host"]);
  return typeof host === "string" ? host.toLowerCase() : "";
}

function indexOf(document: unknown, list: ListKey, identity: string | undefined): number {
  if (identity === undefined) return -1;
  return listAt(document, [list]).findIndex((item) => identityOf(list, item) === identity);
}

function findRoute(document: unknown, { prefix, host, name }: RouteSelection): number | Refusal {
  const found = [...listAt(document, ["routes"]).entries()].filter(
    ([, route]) =>
      valueAt(route, ["path_prefix"]) === prefix &&
      (host === undefined || hostOf(route) === host.toLowerCase()) &&
      (name === undefined || routeLabel(route) === name),
  );
  const [first] = found;
  if (first === undefined) return ABSENT;
  if (found.length > 1)
    return {
      kind: "ambiguous",
      hosts: found.map(([, route]) => hostOf(route)),
      names: found.map(([, route]) => routeLabel(route)),
    };
  return first[0];
}

function add(document: unknown, key: ListKey, item: unknown): Edited | Refusal {
  const list = listAt(document, [key]);
  const index = indexOf(document, key, identityOf(key, item));
  if (key === "upstreams" && isDeleted(list[index]))
    return { ...withList(document, key, list.with(index, item)), at: [key, index], before: undefined };
  if (index >= 0) return DUPLICATE;
  return { ...withList(document, key, [...list, item]), at: [key, list.length], before: undefined };
}

function remove(document: unknown, key: ListKey, index: number): Edited {
  const list = listAt(document, [key]);
  return { ...withList(document, key, list.toSpliced(index, 1)), at: [key], before: [key] };
}

function patch(document: unknown, target: readonly [ListKey, number], merge: unknown): Edited | Refusal {
  const [key, index] = target;
  const list = listAt(document, [key]);
  const item = mergePatch(list[index], merge);
  const other = indexOf(document, key, identityOf(key, item));
  if (other >= 0 && other !== index) return DUPLICATE;
  return { ...withList(document, key, list.with(index, item)), at: target, before: target };
}

function withList(
  document: unknown,
  key: ListKey,
  list: readonly unknown[],
): { readonly kind: "edited"; readonly document: JsonRecord } {
  return { kind: "edited", document: { ...(isObject(document) ? document : {}), [key]: list } };
}
