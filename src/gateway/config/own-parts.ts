/** The parts that the program adds to a configuration. They are data, so that a thread can add them too. */
import { isObject, type JsonRecord } from "../../lib/is-object.ts";
import { listAt, valueAt } from "./diagnostic.ts";

/** The description of each content operation, by its path. */
export type Listings = Readonly<Record<string, { readonly description: string; readonly bazaar: unknown }>>;

/** The program's own parts, which are never written to the file. */
export interface OwnParts {
  /** Sections for a configuration without them. */
  readonly sections?: JsonRecord;
  /** The ports of `sections.admin` that traffic may use: `sections.admin` gets another port then. */
  readonly movesAdmin?: { readonly trafficPort: number | undefined };
  /** The upstream that the program serves: its members replace those of the upstream of its name. */
  readonly upstream?: JsonRecord & { readonly name: string };
  /** Descriptions for the priced routes of `upstream` that serve an operation. */
  readonly listings?: Listings;
}

/** A copy of a configuration's document with the program's parts. An invalid part stays unchanged: the loader reports its problems. */
export function withOwnParts(document: unknown, { sections = {}, movesAdmin, upstream, listings }: OwnParts): unknown {
  if (!isObject(document)) return document;
  const whole: Record<string, unknown> = { ...sections, ...document };
  if (movesAdmin !== undefined && !Object.hasOwn(document, "admin")) moveAdmin(whole, movesAdmin.trafficPort);
  if (upstream === undefined) return whole;
  const { routes } = whole;
  return {
    ...whole,
    upstreams: withUpstream(whole["upstreams"] ?? [], upstream),
    ...(listings !== undefined && Array.isArray(routes)
      ? { routes: routes.map((route: unknown) => listed(route, upstream.name, listings)) }
      : {}),
  };
}

function moveAdmin(whole: Record<string, unknown>, trafficPort: number | undefined): void {
  const ports = listAt(whole, ["server", "listeners"]).map((listener) => valueAt(listener, ["port"]));
  const { admin } = whole;
  const taken = [trafficPort ?? valueAt(whole, ["server", "port"]), ...ports];
  if (isObject(admin) && taken.includes(admin["port"])) whole["admin"] = { ...admin, port: 0 };
}

/** The entry keeps its index, so that problems name the upstreams by their index in the file. */
function withUpstream(upstreams: unknown, upstream: NonNullable<OwnParts["upstream"]>): unknown {
  if (!Array.isArray(upstreams)) return upstreams;
  const place = upstreams.findIndex((item: unknown) => valueAt(item, ["name"]) === upstream.name);
  const own: unknown = upstreams[place];
  if (valueAt(own, ["deleted"]) === true) return upstreams;
  const made = { ...(isObject(own) ? own : {}), ...upstream };
  return place < 0 ? [...(upstreams as unknown[]), made] : upstreams.with(place, made);
}

/** Adds a description and the `bazaar` extension to a priced route of `upstream`. Values that the route already has stay. */
function listed(route: unknown, upstream: string, listings: Listings): unknown {
  if (!isObject(route) || route["upstream"] !== upstream || !isObject(route["x402"])) return route;
  const path = route["path_prefix"];
  const listing = typeof path === "string" && Object.hasOwn(listings, path) ? listings[path] : undefined;
  if (listing === undefined) return route;
  const { x402 } = route;
  const own = x402["extensions"] ?? {};
  if (!isObject(own)) return route;
  const { description, bazaar } = listing;
  return { ...route, x402: { description, ...x402, extensions: { bazaar, ...own } } };
}
