/** A page, or a version of its content, as a store keeps it. */
export interface StoredPage {
  /** Unix milliseconds from which on it is known. A page of a key with another time is another version. */
  readonly at: number;
  /** JSON. */
  readonly head: string;
  /** Compressed. */
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Pages by their key, within a limit of bytes. Never fails: a store that cannot be used counts as empty, and is reported. */
export interface PageStore {
  /** The newest version that is not newer than `upTo`. */
  get(key: string, upTo?: number): Promise<StoredPage | undefined>;
  /** Adds or replaces a version. The oldest of its key, and the pages that were put longest ago, are removed. */
  put(key: string, page: StoredPage): Promise<void>;
  /** Removes all versions of a page. */
  remove(key: string): Promise<void>;
  close(): void | Promise<void>;
}

export interface PageStoreOptions {
  /** Names the store in messages, and in a database that has several. */
  readonly name: string;
  /** Bytes of all pages, after compression. */
  readonly maxBytes: number;
  /** Versions of a key. */
  readonly versions: number;
  readonly log: (message: string) => void;
}

/** Bytes of a page in a store, after compression. @operator A longer page is not kept. */
export const MAX_PAGE_BYTES = 8 * 1024 * 1024;
