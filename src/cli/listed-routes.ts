import { readFile } from "node:fs/promises";
import { z } from "zod";
import { isObject } from "../lib/is-object.ts";

const LISTED = new URL("../../config/listings.json", import.meta.url);

const listingsSchema = z.record(z.string(), z.object({ description: z.string(), bazaar: z.unknown() }));

/** The description of each content operation, by its path. */
export type Listings = z.infer<typeof listingsSchema>;

/** Reads the file that `scripts/generate.ts` wrote, so that the gateway need not load the operations. */
export async function readListings(): Promise<Listings> {
  return listingsSchema.parse(JSON.parse(await readFile(LISTED, "utf8")));
}

/**
 * Adds a description and the `bazaar` extension to each priced route of `upstream` that serves an operation. Values that a
 * route already has stay. An invalid configuration stays unchanged: the loader reports its problems.
 */
export function withListings(config: unknown, upstream: string, listings: Listings): unknown {
  if (!isObject(config) || !Array.isArray(config["routes"])) return config;
  return { ...config, routes: config["routes"].map((route: unknown) => listed(route, upstream, listings)) };
}

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
