import { Database } from "bun:sqlite";
import { chmodSync, closeSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "../../lib/caught.ts";
import { formatDollars, parseDollars, PaymentDeclined } from "./offers.ts";

/** A payment that was not made because the day's payments would be more than their limit. */
export class TotalTooHigh extends PaymentDeclined {}

/** Longest wait for another process that pays from the same wallet, in milliseconds. @bound */
const BUSY_MS = 5000;
/** Days of which the total is kept, beside today's. @bound */
const KEPT_DAYS = 32;

/** Where a wallet's spending is kept: beside it. */
export function spendingPath(wallet: string): string {
  return join(dirname(wallet), "spending.db");
}

/**
 * What a wallet has signed for each day (UTC), in a file of its owner's alone; exact, and safe for any number of processes at once.
 * Every signature counts, whatever the gateway says came of it: whoever holds one may spend it until it runs out.
 */
export class Spending {
  readonly #path: string;
  readonly #now: () => number;

  /** `now` in Unix milliseconds. The file is made on first use. */
  constructor(path: string, now: () => number = Date.now) {
    this.#path = path;
    this.#now = now;
  }

  /** Adds 10^-36 dollars to the day's total. Throws TotalTooHigh where that would pass `limit` (`$5`; undefined: none), and adds nothing then. */
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
      // By number, not by age: a clock that was wrong for a while would free the days since of their totals.
      database
        .query("DELETE FROM spent WHERE day <> ?1 AND day NOT IN (SELECT day FROM spent ORDER BY day DESC LIMIT ?2)")
        .run(day, KEPT_DAYS);
    });
  }

  /** What was signed for today, in 10^-36 dollars. */
  today(): bigint {
    return this.#with((database) => totalOf(database, this.#day()));
  }

  #day(): string {
    return new Date(this.#now()).toISOString().slice(0, 10);
  }

  #with<T>(act: (database: Database) => T): T {
    let database: Database | undefined;
    try {
      // The journal beside it gets the mode that the file has by then.
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
      // Nothing is signed that cannot be written down.
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
