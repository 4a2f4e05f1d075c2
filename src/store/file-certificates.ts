import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { codeOf, whyUnreadable } from "../lib/caught.ts";
import { isAlive } from "../lib/process/is-alive.ts";
import { isWithin } from "../lib/time/is-within.ts";
import { isObject } from "../lib/is-object.ts";
import { isSame } from "../lib/is-same.ts";
import { inLockedFolder } from "../lib/files/file-lock.ts";
import { createWholeFile, replaceWholeFile } from "../lib/files/whole-file.ts";
import { type CertificateStore, checkName, LOCK_NAME, type UnreadableEntry } from "./certificate-store.ts";

/** Largest entry, in bytes. A larger file is reported as damaged. */
const MAX_ENTRY_BYTES = 1024 * 1024;
/** Maximum number of files that are read. No configuration needs more. */
const MAX_ENTRIES = 4096;
const SUFFIX = ".json";
/** Errors of the process or the machine, which say nothing about the file. */
const PASSING = new Set(["EMFILE", "ENFILE", "ENOMEM", "EINTR", "EAGAIN"]);

interface CertificateEntry {
  /** Unix milliseconds; 0: the entry never expires. */
  readonly until: number;
  readonly value: string;
}

/** Entries as files of mode 0600 in a folder of 0700, replaced whole. An unreadable file costs only its entry. */
export class FileCertificates implements CertificateStore {
  readonly isShared = false;
  readonly #folder: string;
  readonly #now: () => number;
  /** The lock as this store has written it; undefined: it has not, or has released it. */
  #lock: CertificateEntry | undefined;
  /** At most one for each of the files that are read. */
  #unreadable: ReadonlyMap<string, UnreadableEntry> = new Map();

  /** `now` gives Unix milliseconds. Throws if the folder cannot be created. */
  constructor(folder: string, now: () => number = Date.now) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#folder = folder;
    this.#now = now;
  }

  get unreadable(): ReadonlyMap<string, UnreadableEntry> {
    return this.#unreadable;
  }

  async read(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    const unreadable = new Map<string, UnreadableEntry>();
    for (const file of readdirSync(this.#folder).slice(0, MAX_ENTRIES)) {
      if (!file.endsWith(SUFFIX)) continue;
      const name = file.slice(0, -SUFFIX.length);
      if (name === LOCK_NAME) continue;
      const entry = this.#entry(name);
      if (entry === undefined) continue;
      if ("reason" in entry) unreadable.set(name, entry);
      else if (entry.until === 0 || entry.until > this.#now()) found.set(name, entry.value);
    }
    this.#unreadable = unreadable;
    return found;
  }

  async write(name: string, value: string | undefined, ms?: number): Promise<void> {
    checkName(name);
    if (value === undefined) rmSync(this.#path(name), { force: true });
    else replaceWholeFile(this.#path(name), JSON.stringify(this.#entryOf(value, ms ?? 0)));
  }

  async lease(ms: number): Promise<boolean> {
    if (ms === 0 && this.#lock === undefined) return true;
    // Between the read of a lock and its replacement, another process could take it over too.
    return await inLockedFolder(this.#folder, () => this.#leaseAlone(ms));
  }

  #leaseAlone(ms: number): boolean {
    const held = this.#entry(LOCK_NAME);
    if (held !== undefined && "reason" in held && !held.isDamaged) throw new Error(held.reason);
    // Another process may have taken the lock after its end.
    const isOwn = this.#lock !== undefined && isSame(held, this.#lock);
    if (!isOwn) this.#lock = undefined;
    const path = this.#path(LOCK_NAME);
    if (ms === 0) {
      if (isOwn) rmSync(path, { force: true });
      this.#lock = undefined;
      return true;
    }
    const lock = this.#entryOf(String(process.pid), ms);
    if (isOwn) replaceWholeFile(path, JSON.stringify(lock));
    else {
      if (held !== undefined && !this.#isHeld(held, ms)) rmSync(path, { force: true });
      try {
        createWholeFile(path, JSON.stringify(lock));
      } catch (error) {
        if (codeOf(error) === "EEXIST") return false;
        throw error;
      }
    }
    this.#lock = lock;
    return true;
  }

  async close(): Promise<void> {
    if (this.#lock !== undefined) await this.lease(0);
  }

  /** False if the lock is damaged or has expired, or if its process has ended. */
  #isHeld(lock: CertificateEntry | UnreadableEntry, ms: number): boolean {
    // Another process may have the same process id after the expiry.
    if ("reason" in lock || !isWithin(lock.until - ms, ms, this.#now())) return false;
    const pid = Number(lock.value);
    return Number.isSafeInteger(pid) && pid > 0 && isAlive(pid);
  }

  #path(name: string): string {
    return join(this.#folder, `${name}${SUFFIX}`);
  }

  #entryOf(value: string, ms: number): CertificateEntry {
    return { until: ms === 0 ? 0 : this.#now() + ms, value };
  }

  /** Undefined if there is no entry of this name. Throws errors that say nothing about its file. */
  #entry(name: string): CertificateEntry | UnreadableEntry | undefined {
    const path = this.#path(name);
    try {
      if (statSync(path).size > MAX_ENTRY_BYTES) {
        return damaged(`the file "${path}" has more than ${MAX_ENTRY_BYTES} bytes`);
      }
      const entry: unknown = JSON.parse(readFileSync(path, "utf8"));
      const { until, value } = isObject(entry) ? entry : {};
      if (typeof until === "number" && typeof value === "string") return { until, value };
    } catch (error) {
      const code = codeOf(error) ?? "";
      if (code === "ENOENT") return undefined;
      if (PASSING.has(code)) throw error;
      if (!(error instanceof SyntaxError)) {
        return { reason: `the file "${path}" cannot be read: ${whyUnreadable(error)}`, isDamaged: false };
      }
    }
    return damaged(`the file "${path}" is damaged`);
  }
}

function damaged(reason: string): UnreadableEntry {
  return { reason, isDamaged: true };
}
