import { Database } from "bun:sqlite";
import { chmodSync, closeSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "../../lib/caught.ts";
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

/** The path of a wallet's spending file. It is in the wallet's directory. */
export function spendingPath(wallet: string): string {
  return join(dirname(wallet), "spending.db");
}

/**
 * Records the amount that a wallet has signed on each day (UTC), exactly, in a file that only its owner can read. Any
 * number of processes may use it at once. Each signature counts, whatever the gateway responds: each holder of a
 * signature can spend it until it expires.
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
   * (`$5`; undefined: no limit).
   */
  add(dollars: bigint, limit: string | undefined): void {
    this.#with((database) => {
      const day = this.#day();
      const total = totalOf(database, day) + dollars;
      if (limit !== undefined && total > parseDollars(limit)) {
        const spent = formatDollars(total - dollars);
        throw new TotalTooHigh(
          `Cannot pay ${formatDollars(dollars)}: ${spent} of today's limit of ${limit} are used up`,
        );
      }
      database
        .query("INSERT INTO spent VALUES (?1, ?2) ON CONFLICT (day) DO UPDATE SET amount = ?2")
        .run(day, total.toString());
      // Deletes by number, not by age: a clock that is wrong for a while would otherwise delete recent totals.
      database
        .query("DELETE FROM spent WHERE day <> ?1 AND day NOT IN (SELECT day FROM spent ORDER BY day DESC LIMIT ?2)")
        .run(day, KEPT_DAYS);
    });
  }

  /** The amount signed today, in 10^-36 dollars. */
  today(): bigint {
    return this.#with((database) => totalOf(database, this.#day()));
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

function totalOf(database: Database, day: string): bigint {
  const row = database.query<{ amount: string }, [string]>("SELECT amount FROM spent WHERE day = ?").get(day);
  return BigInt(row?.amount ?? "0");
}
