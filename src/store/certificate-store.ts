/**
 * Where a gateway keeps what it has of certificate authorities: accounts, certificates, failures, and the challenges that it answers.
 * Names are letters, digits, `.`, `_` and `-`, 300 characters at most; values are text.
 */
export interface CertificateStore {
  /** Other gateways have the same store. */
  readonly isShared: boolean;
  /** All entries whose time is not over. Rejects where the store is away. */
  read(): Promise<ReadonlyMap<string, string>>;
  /** Durable when it resolves. `value` undefined: the entry goes. `ms`: it goes by itself after that time; left out: never. */
  write(name: string, value: string | undefined, ms?: number): Promise<void>;
  /** Takes the one lock of the store, or keeps it, for `ms`; 0 lets go of it. False: another process has it. */
  hold(ms: number): Promise<boolean>;
  close(): Promise<void>;
}

/** The name of the lock; no entry has it. */
export const LOCK_NAME = "lock";

const NAME = /^[\w-][\w.-]{0,299}$/;

/** Throws where `name` cannot be one: it becomes a file's name. */
export function checkName(name: string): void {
  if (!NAME.test(name) || name === LOCK_NAME)
    throw new Error(`Cannot keep an entry by the name ${JSON.stringify(name)}`);
}
