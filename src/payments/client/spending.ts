import { Database } from "bun:sqlite";
import { chmodSync, closeSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "../../lib/caught.ts";
import { type Release } from "./send-paid.ts";
import { formatDollars, parseDollars, PaymentDeclined } from "./choice.ts";

/** The client made no payment because the day's total would exceed its limit. */
export class TotalTooHigh extends PaymentDeclined {}

/**
 * Longest wait for another process that pays from the same wallet, in milliseconds. Beyond it, the payment is declined.
 * @bound
 */
const BUSY_MS = 5000;
/** Number of days whose totals are kept, in addition to today. Older totals are deleted. @bound */
const KEPT_DAYS = 32;
/** Seconds after its expiry for which a failed call's signature still counts, because clocks differ. @bound */
const EXPIRY_MARGIN_S = 60;
/**
 * All that a wallet signs in a day, as a multiple of the limit, with the failed calls whose signatures have expired. A server
 * that reports a failure could have settled the payment all the same. @bound
 */
const MAX_SIGNED_FACTOR = 2n;

/** The path of a wallet's spending file. It is in the wallet's directory. */
export function spendingPath(wallet: string): string {
  return join(dirname(wallet), "spending.db");
}

/**
 * Records the amount that a wallet has signed on each day (UTC), exactly, in a file that only its owner can read. Any
 * number of processes may use it at once. An amount that a server has not charged, as it says, counts until its signature expires,
 * because each holder of a signature can spend it until then.
 */
export class Spending {
  readonly #path: string;
  readonly #now: () => number;

  /** `now` returns Unix milliseconds. The file is created on first use. */
  constructor(path: string, now: () => number = Date.now) {
    this.#path = path;
    this.#now = now;
  }

  /**
   * Adds 10^-36 dollars to the day's total. Throws TotalTooHigh, and adds nothing, if the total would exceed `limit`
   * (`$5`; undefined: no limit). Returns the function that takes the amount out of the total once the signature has expired,
   * at a Unix time in seconds; or a part of it. It never throws: an amount that cannot be taken out stays.
   */
  add(dollars: bigint, limit: string | undefined): Release {
    const day = this.#day();
    this.#with((database) => {
      const total = this.#totalOf(database, day);
      if (limit !== undefined) refuseBeyond(limit, total, dollars);
      database
        .query("INSERT INTO spent VALUES (?1, ?2) ON CONFLICT (day) DO UPDATE SET amount = ?2")
        .run(day, (total.signed + dollars).toString());
      // Deletes by number, not by age: a clock that is wrong for a while would otherwise delete recent totals.
      database
        .query("DELETE FROM spent WHERE day <> ?1 AND day NOT IN (SELECT day FROM spent ORDER BY day DESC LIMIT ?2)")
        .run(day, KEPT_DAYS);
    });
    return (expires, part = dollars) => this.#fail(day, part, expires);
  }

  #fail(day: string, dollars: bigint, expires: number): void {
    const until = Math.ceil((expires + EXPIRY_MARGIN_S) / 60) * 60;
    try {
      this.#with((database) => {
        const row = database
          .query<{ amount: string }, [string, number]>("SELECT amount FROM failed WHERE day = ? AND until = ?")
          .get(day, until);
        database
          .query("INSERT INTO failed VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET amount = ?3")
          .run(day, until, (BigInt(row?.amount ?? "0") + dollars).toString());
        // Without its rows, all that a day signed counts.
        database.query("DELETE FROM failed WHERE day <> ?").run(this.#day());
      });
    } catch {
      // The amount stays in the total.
    }
  }

  today(): Total {
    return this.#with((database) => this.#totalOf(database, this.#day()));
  }

  #totalOf(database: Database, day: string): Total {
    const spent = database.query<{ amount: string }, [string]>("SELECT amount FROM spent WHERE day = ?").get(day);
    const signed = BigInt(spent?.amount ?? "0");
    const total = { signed, counted: signed, held: 0n, until: 0 };
    const failed = database.query<{ until: number; amount: string }, [string]>(
      "SELECT until, amount FROM failed WHERE day = ? ORDER BY until",
    );
    for (const { until, amount } of failed.all(day)) {
      if (until * 1000 <= this.#now()) total.counted -= BigInt(amount);
      else Object.assign(total, { held: total.held + BigInt(amount), until });
    }
    return total;
  }

  #day(): string {
    return new Date(this.#now()).toISOString().slice(0, 10);
  }

  #with<T>(act: (database: Database) => T): T {
    let database: Database | undefined;
    try {
      // SQLite gives the journal the file's mode, so the mode must be set first.
      closeSync(openSync(this.#path, "a", 0o600));
      chmodSync(this.#path, 0o600);
      database = new Database(this.#path);
      database.run(`PRAGMA busy_timeout = ${BUSY_MS}`);
      const open = database;
      return open
        .transaction(() => {
          open.run("CREATE TABLE IF NOT EXISTS spent (day TEXT PRIMARY KEY, amount TEXT NOT NULL) STRICT");
          open.run(
            "CREATE TABLE IF NOT EXISTS failed (day TEXT, until INTEGER, amount TEXT NOT NULL, PRIMARY KEY (day, until)) STRICT",
          );
          return act(open);
        })
        .immediate();
    } catch (error) {
      if (error instanceof PaymentDeclined) throw error;
      // A payment that cannot be recorded is not signed.
      const reason = codeOf(error) ?? "unknown";
      throw new PaymentDeclined(`Cannot keep the wallet's spending in "${this.#path}": ${reason}`, { cause: error });
    } finally {
      database?.close();
    }
  }
}

/** Amounts of a day, in 10^-36 dollars. */
export interface Total {
  readonly signed: bigint;
  /** The signed amount, without what was not charged and whose signatures have expired. */
  readonly counted: bigint;
  /** The part of `counted` that was not charged, and the Unix time in seconds at which the last of it expires. */
  readonly held: bigint;
  readonly until: number;
}

/** The part of a total that is freed if it is not paid, as `, $0.01 of it not charged, but signed until 14:05 UTC`. Empty without such a part. */
export function heldText({ held, until }: Total): string {
  const time = new Date(until * 1000).toISOString().slice(11, 16);
  return held === 0n ? "" : `, ${formatDollars(held)} of it not charged, but signed until ${time} UTC`;
}

function refuseBeyond(limit: string, total: Total, dollars: bigint): void {
  const { signed, counted } = total;
  const most = parseDollars(limit);
  const cannot = `Cannot pay ${formatDollars(dollars)}:`;
  if (counted + dollars > most) {
    throw new TotalTooHigh(
      `${cannot} ${formatDollars(counted)} of today's limit of ${limit} are used up${heldText(total)}`,
    );
  }
  if (signed + dollars > MAX_SIGNED_FACTOR * most) {
    const all = `${formatDollars(signed)} are signed today, ${formatDollars(signed - counted)} of it not charged`;
    throw new TotalTooHigh(`${cannot} ${all}; the limit of ${limit} allows twice as much`);
  }
}
