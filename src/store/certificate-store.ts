/** An entry that exists and has no usable content. */
export interface UnreadableEntry {
  /** The reason why the content cannot be used, with the place of the entry. */
  readonly reason: string;
  /** True: the content is lost. False: it may be readable later. */
  readonly isDamaged: boolean;
}

/**
 * Stores a gateway's data about certificate authorities: accounts, certificates, failures, and pending challenges. A
 * name consists of letters, digits, `.`, `_` and `-`, 300 characters at most. A value is text.
 */
export interface CertificateStore {
  /** True if other gateways use the same store. */
  readonly isShared: boolean;
  /** All entries that have not expired. Rejects if the store is unavailable. */
  read(): Promise<ReadonlyMap<string, string>>;
  /** The entries that the last `read` left out because they cannot be read, by name. */
  readonly unreadable: ReadonlyMap<string, UnreadableEntry>;
  /**
   * The entry is durable when the promise resolves. If `value` is undefined, the entry is deleted. It expires after
   * `ms` milliseconds; without `ms` it never expires.
   */
  write(name: string, value: string | undefined, ms?: number): Promise<void>;
  /** Takes or renews the store's only lock for `ms` milliseconds; 0 releases it. False: another has it. */
  lease(ms: number): Promise<boolean>;
  close(): Promise<void>;
}

/** The name of the lock. No entry has this name. */
export const LOCK_NAME = "lock";

const NAME = /^[\w-][\w.-]{0,299}$/;

/** Throws if `name` is not a valid name. Names become names of files. */
export function checkName(name: string): void {
  if (!NAME.test(name) || name === LOCK_NAME)
    throw new Error(`Cannot keep an entry by the name ${JSON.stringify(name)}`);
}
