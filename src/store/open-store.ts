import { Database } from "bun:sqlite";
import { chmodSync, closeSync, openSync } from "node:fs";
import { codeOf } from "../lib/caught.ts";
import { machineTime } from "../lib/machine-time.ts";
import { migrate } from "./migrations.ts";
import { SqliteBookings } from "./sqlite-bookings.ts";
import { SqliteLedger } from "./sqlite-ledger.ts";
import { SqliteLedgerView } from "./sqlite-ledger-view.ts";
import { SqliteOutbox } from "./sqlite-outbox.ts";
import { SqlitePaymentIds } from "./sqlite-payment-ids.ts";
import { SqliteUsage } from "./sqlite-usage.ts";
import { type Store } from "./store.ts";
import { type OpenUsageStore } from "./usage-store.ts";
import { TRY_MS, WriteTurns } from "./write-turns.ts";

/** Longest wait for another process's write, in milliseconds. @bound */
const BUSY_MS = 5000;
/** The same where usage is written: it can wait for the next time. @bound */
const USAGE_BUSY_MS = 100;

/**
 * Opens the store in an SQLite file, mode 0600, made where it is absent; `:memory:` keeps nothing. Any number of
 * processes of one machine may open one file. `now` is in milliseconds; `busyMs` is how long a write waits for another process's;
 * `steady` is the clock for holds, the machine's monotonic one unless a test sets `now`. Throws where the file cannot be made,
 * read or brought up to date.
 */
export function openStore(
  path: string,
  now: () => number = Date.now,
  busyMs = BUSY_MS,
  steady: () => number = now === Date.now ? machineTime : now,
): Store {
  if (path !== ":memory:") ownFile(path);
  // A write through this one is on the disk when it returns, and so is every write before it, whoever's.
  const durable = connect(path, "FULL", busyMs);
  let quick = durable;
  try {
    migrate(durable);
    if (path !== ":memory:") quick = connect(path, "NORMAL", TRY_MS);
    waitBriefly(durable);
  } catch (error) {
    durable.close();
    throw error;
  }
  const turns = new WriteTurns(busyMs);
  const ledger = new SqliteLedger({ quick, durable }, now, steady, turns);
  return {
    ledger,
    view: new SqliteLedgerView(quick, steady),
    outbox: new SqliteOutbox(quick, now, turns),
    paymentIds: new SqlitePaymentIds(quick, now, turns),
    bookings: new SqliteBookings(quick, now, turns),
    usage: new SqliteUsage(durable, now, turns),
    async ready() {
      // It was opened by the time that this is there to be called.
    },
    forget: (before, limit) => ledger.forget(before, limit),
    async close() {
      await ledger.close();
      turns.close();
      quick.close();
      if (quick !== durable) durable.close();
    },
  };
}

/**
 * Opens the usage in an SQLite file alone, for a process that sells nothing; made where it is absent, `:memory:` keeps nothing. Throws
 * where that cannot be, and where another process writes to it for long.
 */
export function openUsageStore(path: string, now: () => number = Date.now): OpenUsageStore {
  if (path !== ":memory:") ownFile(path);
  const database = connect(path, "FULL", USAGE_BUSY_MS);
  try {
    migrate(database);
    waitBriefly(database);
  } catch (error) {
    database.close();
    throw error;
  }
  const turns = new WriteTurns(USAGE_BUSY_MS);
  const usage = new SqliteUsage(database, now, turns);
  return {
    add: (batch) => usage.add(batch),
    read: (gateway) => usage.read(gateway),
    reset: (id, gateway) => usage.reset(id, gateway),
    async close() {
      turns.close();
      database.close();
    },
  };
}

/** From now on `WriteTurns` waits, beside the event loop. */
function waitBriefly(database: Database): void {
  database.run(`PRAGMA busy_timeout = ${TRY_MS}`);
}

/** Opens an SQLite file whose writes wait for the disk (`FULL`), or may be undone by a power cut (`NORMAL`). */
export function connect(path: string, synchronous: "FULL" | "NORMAL", busyMs: number): Database {
  const database = new Database(path, { create: true });
  try {
    database.run(`PRAGMA busy_timeout = ${busyMs}`);
    database.run("PRAGMA journal_mode = WAL");
    database.run(`PRAGMA synchronous = ${synchronous}`);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** SQLite gives its -wal and -shm files the mode of the main one, so that must be right before it is opened. */
function ownFile(path: string): void {
  try {
    closeSync(openSync(path, "a", 0o600));
    chmodSync(path, 0o600);
  } catch (error) {
    const reason = codeOf(error) ?? "unknown";
    throw new Error(`Cannot open the ledger "${path}": ${reason}`, { cause: error });
  }
}
