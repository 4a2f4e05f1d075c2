/** A cookie as its server set it (RFC 6265). */
export interface Cookie {
  readonly name: string;
  readonly value: string;
  /** The host only, or the domain and its subdomains. */
  readonly domain: string;
  readonly hostOnly: boolean;
  readonly path: string;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  readonly sameSite?: "Strict" | "Lax" | "None";
  /** Unix milliseconds. Absent: it stays as long as its session. */
  readonly expires?: number;
  /** The part of the browser's cookies that it belongs to (`Partitioned`), as the browser writes it. */
  readonly partition?: Readonly<Record<string, unknown>>;
}

/** The items of the localStorage of one origin. */
export type StoredItems = readonly (readonly [key: string, value: string])[];

/**
 * The data that the pages of one session left behind, for its next page. A visit reads it at its beginning and changes it at its end.
 * One visit at a time has it.
 */
export interface BrowsingState {
  /** The oldest first. */
  cookies: readonly Cookie[];
  /** By origin, the least recently used first. */
  storage: ReadonlyMap<string, StoredItems>;
}
