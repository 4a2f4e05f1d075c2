import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../lib/caught.ts";
import { isAlive } from "../lib/is-alive.ts";
import { createWholeFile, replaceWholeFile } from "../lib/whole-file.ts";
import { type CertificateStore, checkName, LOCK_NAME } from "./certificate-store.ts";

/** Largest entry, in bytes. A larger file is ignored. */
const MAX_ENTRY_BYTES = 1024 * 1024;
/** Most files that are read. No configuration needs more. */
const MAX_ENTRIES = 4096;
const SUFFIX = ".json";

interface Entry {
  /** Unix milliseconds; 0: the entry never expires. */
  readonly until: number;
  readonly value: string;
}

/** Stores each entry as a file of mode 0600 in a folder of mode 0700. A write replaces the whole file. */
export class FileCertificates implements CertificateStore {
  readonly isShared = false;
  readonly #folder: string;
  readonly #now: () => number;
  #holds = false;

  /** `now` gives Unix milliseconds. Throws if the folder cannot be created. */
  constructor(folder: string, now: () => number = Date.now) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#folder = folder;
    this.#now = now;
  }

  async read(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (const file of readdirSync(this.#folder).slice(0, MAX_ENTRIES)) {
      if (!file.endsWith(SUFFIX)) continue;
      const name = file.slice(0, -SUFFIX.length);
      const entry = this.#entry(name);
      if (entry === undefined || name === LOCK_NAME) continue;
      if (entry.until === 0 || entry.until > this.#now()) found.set(name, entry.value);
    }
    return found;
  }

  async write(name: string, value: string | undefined, ms?: number): Promise<void> {
    checkName(name);
    if (value === undefined) rmSync(this.#path(name), { force: true });
    else replaceWholeFile(this.#path(name), this.#text(value, ms ?? 0));
  }

  async lease(ms: number): Promise<boolean> {
    if (this.#holds) {
      this.#holds = ms > 0;
      if (ms > 0) replaceWholeFile(this.#path(LOCK_NAME), this.#text(String(process.pid), ms));
      else rmSync(this.#path(LOCK_NAME), { force: true });
      return true;
    }
    if (ms === 0) return true;
    const held = this.#entry(LOCK_NAME);
    // The lock has expired, or its process has ended. After the expiry, another process may have the same process id.
    if (held !== undefined && (held.until <= this.#now() || !this.#isOther(held))) {
      rmSync(this.#path(LOCK_NAME), { force: true });
    }
    try {
      createWholeFile(this.#path(LOCK_NAME), this.#text(String(process.pid), ms));
      this.#holds = true;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
    return this.#holds;
  }

  async close(): Promise<void> {
    if (this.#holds) await this.lease(0);
  }

  #isOther({ value }: Entry): boolean {
    const pid = Number(value);
    return Number.isSafeInteger(pid) && pid > 0 && isAlive(pid);
  }

  #path(name: string): string {
    return join(this.#folder, `${name}${SUFFIX}`);
  }

  #text(value: string, ms: number): string {
    const entry: Entry = { until: ms === 0 ? 0 : this.#now() + ms, value };
    return JSON.stringify(entry);
  }

  /** Undefined if there is no readable entry of this name. The caller then obtains its content again. */
  #entry(name: string): Entry | undefined {
    try {
      if (statSync(this.#path(name)).size > MAX_ENTRY_BYTES) return undefined;
      const entry: unknown = JSON.parse(readFileSync(this.#path(name), "utf8"));
      if (typeof entry !== "object" || entry === null || !("until" in entry && "value" in entry)) return undefined;
      const { until, value } = entry;
      return typeof until === "number" && typeof value === "string" ? { until, value } : undefined;
    } catch (error) {
      if (codeOf(error) === "ENOENT" || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}
