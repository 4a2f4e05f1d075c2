import { type Statement } from "bun:sqlite";
import {
  type Address,
  type Claim,
  type Finished,
  type Job,
  LEASE_MS,
  MAX_REST_MS,
  type Pace,
  POSTPONED,
  type Share,
  type Taken,
  TURN_MS,
} from "../jobs/job-store.ts";
import { claimKeys, keyed } from "../jobs/keys.ts";
import { type SqliteConnection } from "./sqlite-connection.ts";

/** Rows of a table that one call of `remove` removes. */
const SWEEP_ROWS = 10_000;
/** Milliseconds for which the pace of a host is remembered after the last request to it: a day. @bound */
const KEPT_HOST_MS = 86_400_000;

interface QueueRow {
  readonly key: string;
  readonly due: number;
  readonly url: string;
  readonly task: number;
  readonly depth: number;
  readonly tries: number;
}

type LeaseRow = Omit<QueueRow, "due"> & { readonly host: string };

/**
 * The frontier in an SQLite file: the addresses of jobs, their lanes (the addresses of a job on one host), and the times of
 * hosts. `take` and `renew` are transactions of their own, the other methods parts of one.
 */
export class SqliteFrontier {
  readonly #file: SqliteConnection;

  constructor(file: SqliteConnection) {
    this.#file = file;
  }

  take({ number }: Job, share: Share): Promise<readonly Taken[]> {
    return this.#file.transaction(() => {
      const now = this.#file.now();
      this.#reclaim(number, now);
      this.#mend(number, now);
      const lanes = this.#all<{ host: string }>(
        "SELECT CAST(host AS TEXT) AS host FROM lanes WHERE job = ? AND next_at <= ? ORDER BY next_at LIMIT ?",
        number,
        now,
        share.hosts,
      );
      const taken: Taken[] = [];
      for (const { host } of lanes) {
        const most = share.addresses - taken.length;
        if (most > 0) taken.push(...this.#takeOf(number, host, share.delayMs, most));
      }
      return taken;
    });
  }

  /** Lets the addresses wait again whose leases have ended. */
  #reclaim(job: number, now: number): void {
    const ended = this.#all<LeaseRow>(
      "SELECT CAST(key AS TEXT) AS key, CAST(host AS TEXT) AS host, url, task, depth, tries FROM leases WHERE job = ? AND (due <= ? OR due > ?)",
      job,
      now,
      now + LEASE_MS,
    );
    for (const row of ended) {
      this.#run("DELETE FROM leases WHERE job = ? AND key = ?", job, BigInt(row.key));
      this.#wait(job, row, now);
      this.#open(job, row.host, now);
    }
  }

  /** Makes addresses due whose time is too far ahead, because the clock was set back. */
  #mend(job: number, now: number): void {
    const most = now + MAX_REST_MS;
    const sql = "SELECT CAST(host AS TEXT) AS host FROM lanes WHERE job = ? AND next_at > ?";
    for (const lane of this.#all<{ host: string }>(sql, job, most)) {
      const host = BigInt(lane.host);
      this.#run("UPDATE lanes SET next_at = ? WHERE job = ? AND host = ?", now, job, host);
      this.#run("UPDATE hosts SET next_at = ? WHERE host = ? AND next_at > ?", now, host, most);
      this.#run("UPDATE queue SET due = ? WHERE job = ? AND host = ? AND due > ?", now, job, host, most);
    }
  }

  #wait(job: number, { key, host, url, task, depth, tries }: LeaseRow, due: number): void {
    this.#run(
      "INSERT INTO queue (job, host, due, key, task, depth, tries, url) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      job,
      BigInt(host),
      due,
      BigInt(key),
      task,
      depth,
      tries,
      url,
    );
  }

  /** Adds a lane, or makes it due at about this time at the latest. */
  #open(job: number, host: string, at: number): void {
    this.#run(
      `INSERT INTO lanes VALUES (?, ?, ?) ON CONFLICT (job, host) DO UPDATE
       SET next_at = iif(next_at > excluded.next_at + ${TURN_MS}, excluded.next_at, next_at)`,
      job,
      BigInt(host),
      at,
    );
  }

  #takeOf(job: number, host: string, delayMs: number, most: number): Taken[] {
    const now = this.#file.now();
    const key = BigInt(host);
    const known = this.#get<{ next_at: number; pace: number }>("SELECT next_at, pace FROM hosts WHERE host = ?", key);
    if (known !== null && known.next_at > now) {
      this.#run("UPDATE lanes SET next_at = ? WHERE job = ? AND host = ?", known.next_at, job, key);
      return [];
    }
    const pace = Math.max(known?.pace ?? TURN_MS, delayMs);
    const rows = this.#all<QueueRow>(
      `SELECT CAST(key AS TEXT) AS key, due, url, task, depth, tries FROM queue
       WHERE job = ? AND host = ? AND due <= ? ORDER BY due LIMIT ?`,
      job,
      key,
      now,
      Math.min(most, Math.max(1, Math.floor(TURN_MS / pace))),
    );
    if (rows.length === 0) {
      this.#rest(job, key);
      return [];
    }
    for (const row of rows) this.#lease(job, key, row, now + LEASE_MS);
    const nextAt = now + rows.length * pace;
    this.#run(
      `INSERT INTO hosts VALUES (?, ?, ${TURN_MS}) ON CONFLICT (host) DO UPDATE SET next_at = excluded.next_at`,
      key,
      nextAt,
    );
    this.#run("UPDATE lanes SET next_at = ? WHERE job = ? AND host = ?", nextAt, job, key);
    return rows.map(({ key: name, url, task, depth, tries }, at) => ({
      key: name,
      host,
      url,
      task,
      depth,
      tries: tries + 1,
      startMs: at * pace,
    }));
  }

  /** Makes a lane due with its first postponed address, or removes it. */
  #rest(job: number, host: bigint): void {
    const next = this.#get<{ due: number | null }>(
      "SELECT min(due) AS due FROM queue WHERE job = ? AND host = ?",
      job,
      host,
    );
    const due = next?.due ?? null;
    if (due === null) this.#run("DELETE FROM lanes WHERE job = ? AND host = ?", job, host);
    else this.#run("UPDATE lanes SET next_at = ? WHERE job = ? AND host = ?", due, job, host);
  }

  #lease(job: number, host: bigint, { key, due, url, task, depth, tries }: QueueRow, until: number): void {
    const name = BigInt(key);
    this.#run("DELETE FROM queue WHERE job = ? AND host = ? AND due = ? AND key = ?", job, host, due, name);
    this.#run(
      "INSERT INTO leases (job, key, host, due, task, depth, tries, url) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      job,
      name,
      host,
      until,
      task,
      depth,
      tries + 1,
      url,
    );
  }

  renew({ number }: Job, taken: readonly Taken[]): Promise<void> {
    return this.#file.transaction(() => {
      const until = this.#file.now() + LEASE_MS;
      for (const { key, tries } of taken)
        this.#run(
          "UPDATE leases SET due = ? WHERE job = ? AND key = ? AND tries = ?",
          until,
          number,
          BigInt(key),
          tries,
        );
    });
  }

  /** Records the outcome of a lease. True if the address is finished by it; false if it is due again, or the lease is another's. */
  finish(job: number, { taken, againMs }: Finished): boolean {
    const values = [job, BigInt(taken.key), taken.tries] as const;
    const isHeld =
      this.#run("DELETE FROM leases WHERE job = ? AND key = ? AND tries = ?", ...values) ||
      // The lease has ended, and the address waits, but no other caller has taken it.
      this.#run(
        "DELETE FROM queue WHERE job = ? AND key = ? AND tries = ? AND host = ?",
        ...values,
        BigInt(taken.host),
      );
    if (!isHeld || againMs === undefined) return isHeld;
    const due = this.#file.now() + againMs;
    this.#wait(job, { ...taken, tries: taken.tries + POSTPONED }, due);
    this.#open(job, taken.host, due);
    return false;
  }

  /** Adds the addresses that are new. Returns their number, and that of those for which the job has no room. */
  add({ id, number, known, maxKnown }: Job, addresses: readonly Address[]): { added: number; dropped: number } {
    let added = 0;
    let dropped = 0;
    const hosts = new Set<string>();
    for (const address of keyed(id, addresses)) {
      const values = [number, BigInt(address.key)] as const;
      if (known + added >= maxKnown) {
        const isKnown = this.#query("SELECT 1 FROM known WHERE job = ? AND key = ?").get(...values) !== null;
        if (!isKnown) dropped += 1;
        continue;
      }
      if (!this.#run("INSERT OR IGNORE INTO known (job, key) VALUES (?, ?)", ...values)) continue;
      this.#wait(number, { ...address, tries: 0 }, known + added);
      hosts.add(address.host);
      added += 1;
    }
    const now = this.#file.now();
    for (const host of hosts) this.#open(number, host, now);
    return { added, dropped };
  }

  /** Stores what a request has shown about a host. */
  pace({ host, intervalMs, pauseMs }: Pace): void {
    this.#run(
      `INSERT INTO hosts VALUES (?, ?, ?) ON CONFLICT (host) DO UPDATE
       SET pace = excluded.pace, next_at = max(next_at, excluded.next_at)`,
      BigInt(host),
      this.#file.now() + pauseMs,
      intervalMs,
    );
  }

  /** Gives an address the names that it claims. If it gets none of them, the result is the kind of its end. */
  claim({ id, number }: Job, { key: owner }: Taken, claims: readonly Claim[]): string | undefined {
    const names: string[] = [];
    for (const claim of claims) {
      const keys = claimKeys(id, claim);
      // Older programs claimed names before a page was stored.
      const others = keys.filter((key) => (this.#ownerOf(number, key) ?? owner) !== owner);
      if (others.length >= claim.most) return claim.kind;
      names.push(...keys);
    }
    for (const key of names)
      this.#run("INSERT OR IGNORE INTO known (job, key, owner) VALUES (?, ?, ?)", number, BigInt(key), BigInt(owner));
    return undefined;
  }

  #ownerOf(job: number, key: string): string | undefined {
    const sql = "SELECT CAST(owner AS TEXT) AS owner FROM known WHERE job = ? AND key = ?";
    return this.#get<{ owner: string }>(sql, job, BigInt(key))?.owner;
  }

  /** Removes the frontier of a job. True if nothing of it is left. */
  remove(job: number): boolean {
    const keys = { queue: "key", known: "key", leases: "key", lanes: "host" };
    return Object.entries(keys).every(([table, key]) => this.#removed(table, key, job));
  }

  /** Forgets the hosts that have had no request for long. */
  forgetHosts(): void {
    this.#run("DELETE FROM hosts WHERE next_at < ?", this.#file.now() - KEPT_HOST_MS);
  }

  /** Removes at most `SWEEP_ROWS` rows of a job. True if none is left. */
  #removed(table: string, key: string, job: number): boolean {
    const sql = `DELETE FROM ${table} WHERE job = ? AND ${key} IN (SELECT ${key} FROM ${table} WHERE job = ? LIMIT ?)`;
    return this.#query(sql).run(job, job, SWEEP_ROWS).changes < SWEEP_ROWS;
  }

  #query(sql: string): Statement {
    return this.#file.prepared(sql);
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the columns are those of the statement
  #get<T>(sql: string, ...values: Value[]): T | null {
    // The columns are those of the statement.
    return this.#query(sql).get(...values) as T | null;
  }

  #all<T>(sql: string, ...values: Value[]): T[] {
    // As above.
    return this.#query(sql).all(...values) as T[];
  }

  /** True if a row was changed. */
  #run(sql: string, ...values: Value[]): boolean {
    return this.#query(sql).run(...values).changes > 0;
  }
}

type Value = string | number | bigint | null | Uint8Array;
