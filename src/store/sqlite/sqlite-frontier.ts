import { type Statement } from "bun:sqlite";
import {
  type Address,
  type Claim,
  type Finished,
  type Job,
  LEASE_MS,
  type Pace,
  POSTPONED,
  type Share,
  type Taken,
  TURN_MS,
} from "../jobs/job-store.ts";
import { CLAIM, claimKeys, keyed } from "../jobs/keys.ts";
import { type SqliteConnection } from "./sqlite-connection.ts";

/** Rows of a table that one call of `remove` removes. */
const SWEEP_ROWS = 10_000;
/** Milliseconds after its last request for which the pace of a host is remembered: a day. @bound */
const KEPT_HOST_MS = 86_400_000;

interface AddressRow {
  readonly key: string;
  readonly url: string;
  readonly task: number;
  readonly depth: number;
  readonly tries: number;
}

/**
 * The frontier in an SQLite file: the addresses of jobs, their lanes (the addresses of a job on one host), and the times of
 * hosts. `take` and `renew` are transactions of their own, the other methods parts of one. `now` gives Unix milliseconds.
 */
export class SqliteFrontier {
  readonly #file: SqliteConnection;
  readonly #now: () => number;

  constructor(file: SqliteConnection, now: () => number) {
    this.#file = file;
    this.#now = now;
  }

  take({ number }: Job, share: Share): Promise<readonly Taken[]> {
    return this.#file.transaction(() => {
      const now = this.#now();
      const lanes = this.#all<{ host: string }>(
        `SELECT CAST(host AS TEXT) AS host FROM lanes WHERE job = ? AND open > 0 AND next_at <= ? ORDER BY next_at LIMIT ?`,
        number,
        now,
        share.hosts,
      );
      const taken: Taken[] = [];
      for (const { host } of lanes) taken.push(...this.#takeOf(number, host, share, share.addresses - taken.length));
      return taken;
    });
  }

  #takeOf(job: number, host: string, { delayMs }: Share, most: number): Taken[] {
    const now = this.#now();
    const key = BigInt(host);
    const known = this.#get<{ next_at: number; pace: number }>("SELECT next_at, pace FROM hosts WHERE host = ?", key);
    if (known !== null && known.next_at > now) {
      this.#run("UPDATE lanes SET next_at = ? WHERE job = ? AND host = ?", known.next_at, job, key);
      return [];
    }
    const pace = Math.max(known?.pace ?? TURN_MS, delayMs);
    const rows = this.#all<AddressRow>(
      `SELECT CAST(key AS TEXT) AS key, url, task, depth, tries FROM addresses
       WHERE job = ? AND host = ? AND due <= ? ORDER BY due LIMIT ?`,
      job,
      key,
      now,
      Math.min(most, pace === 0 ? most : Math.max(1, Math.floor(TURN_MS / pace))),
    );
    if (rows.length === 0) {
      // All that is left is leased or postponed. Without a row the lane is finished by another service right now.
      const next = this.#get<{ due: number | null }>(
        "SELECT min(due) AS due FROM addresses WHERE job = ? AND host = ? AND due IS NOT NULL",
        job,
        key,
      );
      const nextAt = most === 0 ? now : (next?.due ?? now + TURN_MS);
      this.#run("UPDATE lanes SET next_at = ? WHERE job = ? AND host = ?", nextAt, job, key);
      return [];
    }
    for (const row of rows) {
      this.#run(
        "UPDATE addresses SET due = ?, tries = tries + 1 WHERE job = ? AND key = ?",
        now + LEASE_MS,
        job,
        BigInt(row.key),
      );
    }
    const nextAt = now + rows.length * pace;
    this.#run(
      `INSERT INTO hosts VALUES (?, ?, ${TURN_MS}) ON CONFLICT (host) DO UPDATE SET next_at = excluded.next_at`,
      key,
      nextAt,
    );
    this.#run("UPDATE lanes SET next_at = ? WHERE job = ? AND host = ?", nextAt, job, key);
    return rows.map((row, at) => ({ ...row, host, tries: row.tries + 1, startMs: at * pace }));
  }

  renew({ number }: Job, taken: readonly Taken[]): Promise<void> {
    return this.#file.transaction(() => {
      for (const { key, tries } of taken) {
        this.#run(
          "UPDATE addresses SET due = ? WHERE job = ? AND key = ? AND tries = ? AND due IS NOT NULL",
          this.#now() + LEASE_MS,
          number,
          BigInt(key),
          tries,
        );
      }
    });
  }

  /** Records the outcome of a lease. True if the address is finished by it; false if it is due again, or the lease is another's. */
  finish(job: number, { taken, againMs }: Finished): boolean {
    const now = this.#now();
    const due = againMs === undefined ? null : now + againMs;
    const changed = this.#run(
      "UPDATE addresses SET due = ?, tries = tries + ? WHERE job = ? AND key = ? AND tries = ? AND due IS NOT NULL",
      due,
      due === null ? 0 : POSTPONED,
      job,
      BigInt(taken.key),
      taken.tries,
    );
    if (!changed) return false;
    if (due !== null) {
      this.#run("UPDATE lanes SET next_at = min(next_at, ?) WHERE job = ? AND host = ?", due, job, BigInt(taken.host));
      return false;
    }
    this.#run("UPDATE lanes SET open = open - 1 WHERE job = ? AND host = ?", job, BigInt(taken.host));
    this.#run("UPDATE jobs SET open = open - 1 WHERE number = ?", job);
    return true;
  }

  /** Adds the addresses that are new. Returns the number of those for which the job has no room. */
  add({ id, number, known, maxKnown }: Job, addresses: readonly Address[]): number {
    const now = this.#now();
    let added = 0;
    let dropped = 0;
    for (const { key, host, url, task, depth } of keyed(id, addresses)) {
      const values = [number, BigInt(key)] as const;
      if (known + added >= maxKnown) {
        const isKnown = this.#query("SELECT 1 FROM addresses WHERE job = ? AND key = ?").get(...values) !== null;
        if (!isKnown) dropped += 1;
        continue;
      }
      const isNew = this.#run(
        "INSERT OR IGNORE INTO addresses (job, key, host, due, task, depth, url) VALUES (?, ?, ?, ?, ?, ?, ?)",
        ...values,
        BigInt(host),
        known + added,
        task,
        depth,
        url,
      );
      if (!isNew) continue;
      added += 1;
      this.#run(
        `INSERT INTO lanes VALUES (?, ?, 1, ?) ON CONFLICT (job, host) DO UPDATE
         SET open = open + 1, next_at = iif(open = 0 OR next_at > excluded.next_at + ${TURN_MS}, excluded.next_at, next_at)`,
        number,
        BigInt(host),
        now,
      );
    }
    if (added > 0)
      this.#run("UPDATE jobs SET known = known + ?, open = open + ? WHERE number = ?", added, added, number);
    return dropped;
  }

  /** Stores what a request has shown about a host. */
  pace({ host, intervalMs, pauseMs }: Pace): void {
    this.#run(
      `INSERT INTO hosts VALUES (?, ?, ?) ON CONFLICT (host) DO UPDATE
       SET pace = excluded.pace, next_at = max(next_at, excluded.next_at)`,
      BigInt(host),
      this.#now() + pauseMs,
      intervalMs,
    );
  }

  /** Gives an address the names that it claims. If it gets none of them, the result is the kind of its end. */
  claim({ id, number }: Job, { key: owner }: Taken, claims: readonly Claim[]): string | undefined {
    const free: bigint[] = [];
    for (const claim of claims) {
      const owners = claimKeys(id, claim).map((key) => ({ key: BigInt(key), url: this.#ownerOf(number, key) }));
      // Older programs claimed names before a page was stored.
      if (owners.filter(({ url }) => url !== undefined && url !== owner).length >= claim.most) return claim.kind;
      free.push(...owners.flatMap(({ key, url }) => (url === undefined ? [key] : [])));
    }
    for (const key of free) {
      this.#run(
        "INSERT OR IGNORE INTO addresses (job, key, host, task, depth, url) VALUES (?, ?, 0, ?, 0, ?)",
        number,
        key,
        CLAIM,
        owner,
      );
    }
    return undefined;
  }

  #ownerOf(job: number, key: string): string | undefined {
    return this.#get<{ url: string }>("SELECT url FROM addresses WHERE job = ? AND key = ?", job, BigInt(key))?.url;
  }

  /** Removes addresses and lanes of a job. True if none is left. */
  remove(job: number): boolean {
    return this.#removed("addresses", "key", job) && this.#removed("lanes", "host", job);
  }

  /** Forgets the hosts that have had no request for long. */
  forgetHosts(): void {
    this.#run("DELETE FROM hosts WHERE next_at < ?", this.#now() - KEPT_HOST_MS);
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
