import { NewestMap } from "../../../lib/memory/newest-map.ts";
import { type CachePolicy } from "./freshness.ts";
import { type ReceivedHead, type StoredResponse } from "./stored-response.ts";

/** Invalidations that are known. A response whose request is older than the last ones may be outdated. */
const MAX_INVALIDATED = 1024;

/** The maximum number of stored responses, and their maximum bytes in sum. */
export interface StoreLimits {
  readonly maxEntries: number;
  readonly maxBytes: number;
}

/** The stored responses of one route. The least recently used ones are removed first. */
export class CacheStore {
  readonly #limits: StoreLimits;
  readonly #watch: (entries: number, bytes: number) => void;
  /** The responses of each URI, usually one; the last used one is at the end. */
  readonly #byUri = new Map<string, StoredResponse[]>();
  /** The version in which a URI was invalidated last, by the URI's hash: a URI can have 32 KiB. */
  readonly #invalidated = new NewestMap<number | bigint, number>(MAX_INVALIDATED);
  /** The number of invalidations. */
  version = 0;
  #newest: StoredResponse | undefined;
  #oldest: StoredResponse | undefined;
  #entries = 0;
  #isClosed = false;
  /** Bytes of stored responses. */
  #bytes = 0;
  /** Bytes of bodies that still arrive. */
  #reserved = 0;

  /** `watch` receives every change of entries and bytes. */
  constructor(limits: StoreLimits, watch: (entries: number, bytes: number) => void = () => {}) {
    this.#limits = limits;
    this.#watch = watch;
  }

  get entries(): number {
    return this.#entries;
  }

  /** Bytes of stored responses and of those that still arrive. */
  get bytes(): number {
    return this.#bytes + this.#reserved;
  }

  /** Returns the response of this variant and marks it as used. */
  find(uri: string, variant: string): StoredResponse | undefined {
    const responses = this.#byUri.get(uri);
    if (responses === undefined) return undefined;
    for (const response of responses) {
      if (response.variant !== variant) continue;
      this.#unlink(response);
      this.#link(response);
      return response;
    }
    return undefined;
  }

  /** True if any variant of the URI is stored. */
  has(uri: string): boolean {
    return this.#byUri.has(uri);
  }

  /** Reserves `bytes` for a body that arrives, and removes old responses for it. False: the cache is too small. */
  reserve(bytes: number): boolean {
    while (this.bytes + bytes > this.#limits.maxBytes && this.#oldest !== undefined) this.remove(this.#oldest);
    if (this.bytes + bytes > this.#limits.maxBytes) return false;
    this.#reserved += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#reserved -= bytes;
  }

  /** Stores a response. It replaces a response of the same variant. */
  put(response: StoredResponse): void {
    const before = this.find(response.uri, response.variant);
    if (before !== undefined) this.remove(before);
    if (this.#isClosed || response.bytes > this.#limits.maxBytes) return;
    this.#byUri.getOrInsertComputed(response.uri, () => []).push(response);
    this.#link(response);
    this.#tell(1, response.bytes);
    this.#shrink();
  }

  /** Updates a response that the server has validated: see `StoredResponse.freshen`. */
  freshen(response: StoredResponse, head: ReceivedHead, policy: CachePolicy): void {
    const before = response.bytes;
    response.freshen(head, policy);
    if (!this.#holds(response)) return;
    this.#tell(0, response.bytes - before);
    this.#shrink();
  }

  remove(response: StoredResponse): void {
    const responses = this.#byUri.get(response.uri) ?? [];
    const at = responses.indexOf(response);
    if (at === -1) return;
    responses.splice(at, 1);
    if (responses.length === 0) this.#byUri.delete(response.uri);
    this.#unlink(response);
    this.#tell(-1, -response.bytes);
  }

  invalidate(uri: string): void {
    this.#invalidated.set(Bun.hash(uri), ++this.version);
    for (const response of this.#byUri.get(uri)?.slice() ?? []) this.remove(response);
  }

  /** True if the response to a request for this URI, which was sent in this `version`, may be older than a change. */
  isOutdated(uri: string, version: number): boolean {
    const unseen = this.version - version;
    return unseen > MAX_INVALIDATED || (unseen > 0 && (this.#invalidated.get(Bun.hash(uri)) ?? 0) > version);
  }

  /** Removes all responses and accepts no more. Running fetches continue for their readers. */
  close(): void {
    this.#isClosed = true;
    while (this.#oldest !== undefined) this.remove(this.#oldest);
  }

  #holds(response: StoredResponse): boolean {
    return this.#byUri.get(response.uri)?.includes(response) === true;
  }

  #tell(entries: number, bytes: number): void {
    this.#entries += entries;
    this.#bytes += bytes;
    this.#watch(entries, bytes);
  }

  #shrink(): void {
    const { maxEntries, maxBytes } = this.#limits;
    while (this.#oldest !== undefined && (this.#entries > maxEntries || this.bytes > maxBytes))
      this.remove(this.#oldest);
  }

  #link(response: StoredResponse): void {
    response.older = this.#newest;
    response.newer = undefined;
    if (this.#newest !== undefined) this.#newest.newer = response;
    this.#newest = response;
    this.#oldest ??= response;
  }

  #unlink(response: StoredResponse): void {
    const { newer, older } = response;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    response.newer = undefined;
    response.older = undefined;
  }
}
