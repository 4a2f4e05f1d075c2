import { type CachePolicy } from "./freshness.ts";
import { type ReceivedHead, type StoredResponse } from "./stored-response.ts";

export interface StoreLimits {
  readonly maxEntries: number;
  readonly maxBytes: number;
}

/** Responses of one route, the least recently used leaving first. */
export class CacheStore {
  readonly #limits: StoreLimits;
  readonly #watch: (entries: number, bytes: number) => void;
  /** Those of a URI, the one used last at the end; mostly one. */
  readonly #byUri = new Map<string, StoredResponse[]>();
  #newest: StoredResponse | undefined;
  #oldest: StoredResponse | undefined;
  #entries = 0;
  #isClosed = false;
  /** Of what is stored. */
  #bytes = 0;
  /** Of bodies that are still coming. */
  #reserved = 0;

  /** `watch` is told of every change of entries and bytes. */
  constructor(limits: StoreLimits, watch: (entries: number, bytes: number) => void = () => {}) {
    this.#limits = limits;
    this.#watch = watch;
  }

  get entries(): number {
    return this.#entries;
  }

  /** What is stored, and what is on its way. */
  get bytes(): number {
    return this.#bytes + this.#reserved;
  }

  /** The response of that variant; it counts as used. */
  find(uri: string, variant: string): StoredResponse | undefined {
    const responses = this.#byUri.get(uri);
    if (responses === undefined) return undefined;
    for (const response of responses) {
      if (response.variant !== variant) continue;
      if (response !== this.#newest) {
        this.#unlink(response);
        this.#link(response);
      }
      return response;
    }
    return undefined;
  }

  /** Another variant of it is stored. */
  has(uri: string): boolean {
    return this.#byUri.has(uri);
  }

  /** Makes room for `bytes` of a body that is coming; false: there is none, however much would leave. */
  reserve(bytes: number): boolean {
    while (this.bytes + bytes > this.#limits.maxBytes && this.#oldest !== undefined) this.remove(this.#oldest);
    if (this.bytes + bytes > this.#limits.maxBytes) return false;
    this.#reserved += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#reserved -= bytes;
  }

  /** Stores a response in the place of the one of the same variant. */
  put(response: StoredResponse): void {
    const before = this.find(response.uri, response.variant);
    if (before !== undefined) this.remove(before);
    if (this.#isClosed || response.bytes > this.#limits.maxBytes) return;
    const responses = this.#byUri.get(response.uri);
    if (responses === undefined) this.#byUri.set(response.uri, [response]);
    else responses.push(response);
    this.#link(response);
    this.#tell(1, response.bytes);
    this.#shrink();
  }

  /** The server has said that the response holds: see `StoredResponse.freshen`. */
  freshen(response: StoredResponse, head: ReceivedHead, policy: CachePolicy): void {
    const before = response.bytes;
    response.freshen(head, policy);
    if (!this.#holds(response)) return;
    this.#tell(0, response.bytes - before);
    this.#shrink();
  }

  remove(response: StoredResponse): void {
    const responses = this.#byUri.get(response.uri);
    const at = responses?.indexOf(response) ?? -1;
    if (responses === undefined || at === -1) return;
    responses.splice(at, 1);
    if (responses.length === 0) this.#byUri.delete(response.uri);
    this.#unlink(response);
    this.#tell(-1, -response.bytes);
  }

  /** Removes every response of the URI. */
  invalidate(uri: string): void {
    for (const response of this.#byUri.get(uri)?.slice() ?? []) this.remove(response);
  }

  /** Removes all of it, and takes nothing any more: who still fetches for it does so for its readers alone. */
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
