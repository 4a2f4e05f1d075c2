import { type Database } from "bun:sqlite";
import { openSqlite } from "../../../store/sqlite/open-sqlite.ts";
import { messageOf } from "../../../lib/caught.ts";
import { ModelError } from "./model-error.ts";

/** Milliseconds that a count waits for another process's count. */
const BUSY_MS = 1_000;

const SCHEMA = "CREATE TABLE IF NOT EXISTS days (day TEXT PRIMARY KEY, tokens INTEGER NOT NULL) STRICT";
/** Changes no row if the day would have more tokens than allowed. */
const RESERVE = `INSERT INTO days (day, tokens) VALUES (?1, ?2)
  ON CONFLICT (day) DO UPDATE SET tokens = tokens + ?2 WHERE tokens + ?2 <= ?3 RETURNING tokens`;
const SETTLE = "UPDATE days SET tokens = max(0, tokens + ?2) WHERE day = ?1";

export interface TokenBudgetOptions {
  /** The file of the counts, which several processes may share. Undefined: the counts are in memory. */
  readonly path: string | undefined;
  readonly maxPerDay: number;
  /** Unix ms. */
  readonly now: () => number;
  readonly log: (message: string) => void;
}

/** The tokens that one call may use, counted until it is settled. */
export interface Reservation {
  /** Replaces the reserved tokens by the used ones. */
  settle(used: number): void;
}

/** Counts a model's tokens by UTC day, and limits them. A process that dies leaves its reservations counted. */
export class TokenBudget {
  readonly #options: TokenBudgetOptions;
  #opened: Database | undefined;
  #isClosed = false;

  constructor(options: TokenBudgetOptions) {
    this.#options = options;
  }

  /** Throws a ModelError if the day has too few tokens left, or if they cannot be counted. */
  reserve(tokens: number): Reservation {
    const { maxPerDay } = this.#options;
    const day = this.#day();
    const row =
      tokens > maxPerDay ? null : this.#counting((counts) => counts.query(RESERVE).get(day, tokens, maxPerDay));
    if (row === undefined) throw new ModelError("budget", "its tokens cannot be counted");
    if (row === null) throw new ModelError("budget", "max_tokens_per_day is used up");
    return {
      settle: (used) => {
        this.#counting((counts) => counts.query(SETTLE).run(day, used - tokens));
      },
    };
  }

  /** The day in UTC and its tokens, with those of calls under way. */
  get today(): { readonly day: string; readonly tokens: number } {
    const day = this.#day();
    const sql = "SELECT tokens FROM days WHERE day = ?";
    const row = this.#counting((counts) => counts.query<{ tokens: number }, [string]>(sql).get(day));
    return { day, tokens: row?.tokens ?? 0 };
  }

  /** Calls under way keep their reservations. */
  close(): void {
    this.#isClosed = true;
    this.#opened?.close();
  }

  #day(): string {
    return new Date(this.#options.now()).toISOString().slice(0, 10);
  }

  /** Undefined if the file fails, for example on a full disk. */
  #counting<Result>(use: (counts: Database) => Result): Result | undefined {
    if (this.#isClosed) return undefined;
    try {
      this.#opened ??= this.#open();
      return use(this.#opened);
    } catch (error) {
      this.#options.log(`cannot count the language model's tokens: ${messageOf(error)}`);
      return undefined;
    }
  }

  #open(): Database {
    const settings = { synchronous: "NORMAL", busyMs: BUSY_MS, what: "the counts" } as const;
    return openSqlite(this.#options.path ?? ":memory:", settings, (counts) => {
      counts.run(SCHEMA);
      counts.run("DELETE FROM days WHERE day < ?", [this.#day()]);
    });
  }
}
