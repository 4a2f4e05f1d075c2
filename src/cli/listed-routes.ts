import { readFile } from "node:fs/promises";
import { z } from "zod";

const LISTED = new URL("../../config/listings.json", import.meta.url);

const listingsSchema = z.record(z.string(), z.object({ description: z.string(), bazaar: z.unknown() }));

/** What is told of each content operation, by its path. */
export type Listings = z.infer<typeof listingsSchema>;

/** Reads what `scripts/generate.ts` wrote from the operations: the gateway need not load them for it. */
export async function readListings(): Promise<Listings> {
  return listingsSchema.parse(JSON.parse(await readFile(LISTED, "utf8")));
}

/**
 * The configuration with a description and the `bazaar` extension on each priced route of `upstream` that serves an operation; what
 * a route says itself stands. What is wrong with the configuration is for the loader to say.
 */
export function withListings(config: unknown, upstream: string, listings: Listings): unknown {
  if (!isRecord(config) || !Array.isArray(config["routes"])) return config;
  return { ...config, routes: config["routes"].map((route: unknown) => listed(route, upstream, listings)) };
}

function listed(route: unknown, upstream: string, listings: Listings): unknown {
  if (!isRecord(route) || route["upstream"] !== upstream || !isRecord(route["x402"])) return route;
  const path = route["path_prefix"];
  const listing = typeof path === "string" && Object.hasOwn(listings, path) ? listings[path] : undefined;
  if (listing === undefined) return route;
  const { x402 } = route;
  const own = x402["extensions"] ?? {};
  if (!isRecord(own)) return route;
  const { description, bazaar } = listing;
  return { ...route, x402: { description, ...x402, extensions: { bazaar, ...own } } };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
