import { z } from "zod";
import { type DeepReadonly } from "../../lib/deep-readonly.ts";

/** Origins of a session whose localStorage, and whose databases, are kept. The least recently used ones are dropped beyond it. */
export const MAX_ORIGINS = 20;
/** Data that was not kept of which a session knows. The oldest is forgotten beyond it. */
export const MAX_LEFT_OUT = 50;

export const cookieSchema = z.object({
  name: z.string(),
  value: z.string(),
  /** The host only, or the domain and its subdomains. */
  domain: z.string(),
  hostOnly: z.boolean(),
  path: z.string(),
  secure: z.boolean(),
  httpOnly: z.boolean(),
  sameSite: z.enum(["Strict", "Lax", "None"]).exactOptional(),
  /** Unix milliseconds. Absent: it stays as long as its session. */
  expires: z.number().exactOptional(),
  /** The part of the browser's cookies that it belongs to (`Partitioned`), as the browser writes it. */
  partition: z.record(z.string(), z.unknown()).exactOptional(),
});

/** A cookie as its server set it (RFC 6265). */
export type Cookie = DeepReadonly<z.output<typeof cookieSchema>>;

/** The items of the localStorage of one origin, or the names of its IndexedDB databases with the JSON of their schemas and records. */
export type StoredItems = readonly (readonly [key: string, value: string])[];

export const leftOutSchema = z.object({
  origin: z.string(),
  /** The name of the database. Absent: the localStorage. */
  database: z.string().exactOptional(),
  /** "size": above a limit. "value": it has a value that has no text, such as a Blob or a CryptoKey. "busy": the page did not let it be read, and its earlier state stays. "restore": it could not be made again. */
  reason: z.enum(["size", "value", "busy", "restore"]),
});

/** Data of an origin that a session did not keep: its localStorage, or a database of IndexedDB. */
export type LeftOut = DeepReadonly<z.output<typeof leftOutSchema>>;

/**
 * The data that the pages of one session left behind, for its next page. A visit reads it at its beginning and changes it at its end.
 * One visit at a time has it.
 */
export interface BrowsingState {
  /** The oldest first. */
  cookies: readonly Cookie[];
  /** By origin, the least recently used first. */
  storage: ReadonlyMap<string, StoredItems>;
  databases: ReadonlyMap<string, StoredItems>;
  leftOut: readonly LeftOut[];
}

/** The state of a session that no page has used. */
export function newState(): BrowsingState {
  return { cookies: [], storage: new Map(), databases: new Map(), leftOut: [] };
}
