import { Database } from "bun:sqlite";
import { chmodSync, closeSync, openSync } from "node:fs";
import { codeOf } from "../lib/caught.ts";
import { migrate } from "./migrations.ts";
import { SqliteBookings } from "./sqlite-bookings.ts";
import { SqliteLedger } from "./sqlite-ledger.ts";
import { SqliteLedgerView } from "./sqlite-ledger-view.ts";
import { SqliteOutbox } from "./sqlite-outbox.ts";
import { SqlitePaymentIds } from "./sqlite-payment-ids.ts";
import { type Store } from "./store.ts";

/** Longest wait for another process's write, in milliseconds. */
const BUSY_MS = 5000;

/**
 * Opens the store in an SQLite file, mode 0600, made where it is absent; `:memory:` keeps nothing. Any number of
 * processes may open one file. `now` is in milliseconds; `busyMs` is how long a write waits for another process's. Throws where the file cannot be made, read or brought up to date.
 */
export function openStore(path: string, now: () => number = Date.now, busyMs = BUSY_MS): Store {
  if (path !== ":memory:") ownFile(path);
  // A write through this one is on the disk when it returns, and so is every write before it, whoever's.
  const durable = connect(path, "FULL", busyMs);
  let quick = durable;
  try {
    migrate(durable);
    if (path !== ":memory:") quick = connect(path, "NORMAL", busyMs);
  } catch (error) {
    durable.close();
    throw error;
  }
  const ledger = new SqliteLedger({ quick, durable }, now);
  return {
    ledger,
    view: new SqliteLedgerView(quick),
    outbox: new SqliteOutbox(quick, now),
    paymentIds: new SqlitePaymentIds(quick, now),
    bookings: new SqliteBookings(quick, now),
    async ready() {
      // It was opened by the time that this is there to be called.
    },
    forget: (before, limit) => ledger.forget(before, limit),
    async close() {
      await ledger.close();
      quick.close();
      if (quick !== durable) durable.close();
    },
  };
}

function connect(path: string, synchronous: "FULL" | "NORMAL", busyMs: number): Database {
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
