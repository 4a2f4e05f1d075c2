import { readFile } from "node:fs/promises";
import { z } from "zod";
import { type Listings } from "../../gateway/config/own-parts.ts";

const LISTED = new URL("../../../config/listings.json", import.meta.url);

const listingsSchema = z.record(z.string(), z.object({ description: z.string(), bazaar: z.unknown() }));

/** Reads the file that `scripts/generate.ts` wrote, so that the gateway need not load the operations. */
export async function readListings(): Promise<Listings> {
  return listingsSchema.parse(JSON.parse(await readFile(LISTED, "utf8")));
}
