import { type Database, type SQLQueryBindings, type Statement } from "bun:sqlite";
import { machineTime } from "../../lib/time/machine-time.ts";
import { refuseMoved, undoInMemory } from "./open-sqlite.ts";
import { WriteTurns } from "./write-turns.ts";

export interface ConnectionOptions {
  /** The turns of the writes of this process to the file. */
  readonly turns?: WriteTurns;
  /** Is called before each write, outside of a transaction. */
  readonly prepare?: () => void;
  /** Gives Unix milliseconds. */
  readonly now?: () => number;
  /** The clock of leases, in milliseconds. A change of the system time does not affect it. */
  readonly steady?: () => number;
}

/**
 * A connection to an SQLite file, opened with `strict`. Each statement is prepared at its first use, and must not contain
 * values. `values` has a member for each of its parameters; further members are ignored, a missing one throws.
 */
export class SqliteConnection {
  readonly #open: () => Database;
  #database: Database | undefined;
  readonly #turns: WriteTurns;
  readonly #prepare: () => void;
  readonly #statements = new Map<string, Statement>();
  readonly now: () => number;
  readonly steady: () => number;

  /** The file, or what opens it at its first use. A write fails if the file was moved or deleted. */
  constructor(file: Database | (() => Database), options: ConnectionOptions = {}) {
    const { turns = new WriteTurns(0), prepare = () => {}, now = Date.now, steady = machineTime } = options;
    this.#open = typeof file === "function" ? file : () => file;
    if (typeof file !== "function") this.#database = file;
    this.#turns = turns;
    this.#prepare = prepare;
    this.now = now;
    this.steady = steady;
  }

  /** The first row. `Row` has the columns of the statement. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the columns are those of the statement
  get<Row>(sql: string, values: object = {}): Row | undefined {
    const row = this.#statement(sql).get(values as SQLQueryBindings) ?? undefined; // checked by `strict`
    return row as Row | undefined; // the columns are those of the statement
  }

  all<Row>(sql: string, values: object = {}): Row[] {
    return this.#statement(sql).all(values as SQLQueryBindings) as Row[]; // as above
  }

  /** The rows one by one. The statement must not be used again before the last one. */
  iterate<Row>(sql: string, values: object = {}): Iterable<Row> {
    return this.#statement(sql).iterate(values as SQLQueryBindings) as Iterable<Row>; // as above
  }

  /** Returns how many rows were changed. */
  run(sql: string, values: object = {}): number {
    return this.#statement(sql).run(values as SQLQueryBindings).changes; // checked by `strict`
  }

  /** Calls `write` in its turn. If it throws, it must have changed nothing. */
  turn<T>(write: () => T): Promise<T> {
    return this.#turns.run(() => {
      this.#begin();
      return write();
    });
  }

  /** Runs one statement in its turn. Resolves with how many rows were changed. */
  write(sql: string, values: object = {}): Promise<number> {
    return this.turn(() => this.run(sql, values));
  }

  /** Makes the writes of `work` together in their turn. If it throws, nothing is changed. */
  transaction<T>(work: () => T): Promise<T> {
    return this.#turns.run(() => this.together(work));
  }

  /** The same at once. Throws SQLITE_BUSY if another process writes. */
  together<T>(work: () => T): T {
    return this.#begin().transaction(work).immediate();
  }

  /** Reads that see one state of the file. */
  snapshot<T>(work: () => T): T {
    return this.#opened().transaction(work).deferred();
  }

  /** Reads that sort many rows: on the disk. Must not be called in a transaction. */
  sorted<T>(read: () => T): T {
    const database = this.#opened();
    database.run("PRAGMA temp_store = FILE");
    try {
      return read();
    } finally {
      undoInMemory(database);
    }
  }

  /** The statement, for values without names. */
  prepared(sql: string): Statement {
    return this.#statements.getOrInsertComputed(sql, () => this.#opened().query(sql));
  }

  #begin(): Database {
    const database = this.#opened();
    refuseMoved(database);
    this.#prepare();
    return database;
  }

  #opened(): Database {
    this.#database ??= this.#open();
    return this.#database;
  }

  #statement(sql: string): Statement<unknown, [SQLQueryBindings]> {
    return this.prepared(sql);
  }

  /** Fails the waiting writes, and closes the file. */
  close(): void {
    this.#turns.close();
    this.#database?.close();
  }
}

/** A connection for reads, each of which calls `before` first. */
export class LookingConnection extends SqliteConnection {
  readonly #before: () => void;

  constructor(file: Database, before: () => void, steady: () => number) {
    super(file, { steady });
    this.#before = before;
  }

  override prepared(sql: string): Statement {
    this.#before();
    return super.prepared(sql);
  }
}
