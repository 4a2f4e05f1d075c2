import { type Database } from "bun:sqlite";
import { openSqlite, undoInMemory } from "../sqlite/open-sqlite.ts";
import { machineTime } from "../../lib/time/machine-time.ts";
import { migrate } from "../sqlite/migrations.ts";
import { type ConnectionOptions, LookingConnection, SqliteConnection } from "../sqlite/sqlite-connection.ts";
import { SqliteChannels } from "../sqlite/sqlite-channels.ts";
import { SqliteCredits } from "../sqlite/sqlite-credits.ts";
import { SqliteSimulatedTransfers } from "../sqlite/sqlite-simulated-transfers.ts";
import { type Connections, SqliteLedger } from "../sqlite/sqlite-ledger.ts";
import { SqliteLedgerView } from "../sqlite/sqlite-ledger-view.ts";
import { SqliteOutbox } from "../sqlite/sqlite-outbox.ts";
import { SqlitePaymentIds } from "../sqlite/sqlite-payment-ids.ts";
import { SqliteRefunds } from "../sqlite/sqlite-refunds.ts";
import { SqliteUsage } from "../sqlite/sqlite-usage.ts";
import { type Store } from "../store.ts";
import { type OpenUsageStore } from "../usage-store.ts";
import { TRY_MS, WriteTurns } from "../sqlite/write-turns.ts";

/** Longest wait for another process's write, in milliseconds. @bound */
const BUSY_MS = 5000;
/**
 * Pages of the write-ahead log, 32 MB, after which they are copied to the file. Payments change few pages often: with SQLite's own
 * 1,000 pages they take a tenth more CPU time. @bound
 */
const LOG_PAGES = 8000;
/** Longest wait of a write of usage, in milliseconds. A write that fails is made again later. @bound */
const USAGE_BUSY_MS = 100;

/**
 * Opens the store in an SQLite file of mode 0600, and creates the file if necessary; `:memory:` keeps the data in
 * memory. All processes of one machine may open the same file. `now` gives Unix milliseconds. `busyMs` is how long a
 * write waits for another process. `steady` is the clock of leases: the machine's monotonic clock, or `now` if a test
 * sets it. Throws if the file cannot be created, read or migrated.
 */
export function openStore(
  path: string,
  now: () => number = Date.now,
  busyMs = BUSY_MS,
  steady: () => number = now === Date.now ? machineTime : now,
): Store {
  const database = openSqlite(path, { synchronous: "FULL", busyMs, what: "the ledger" }, (file) => {
    migrate(file);
    undoInMemory(file);
    waitBriefly(file);
    file.run(`PRAGMA wal_autocheckpoint = ${LOG_PAGES}`);
  });
  const turns = new WriteTurns(busyMs);
  const files = connectionsOf(database, { turns, now, steady });
  const ledger = new SqliteLedger(files, turns);
  return {
    ledger,
    view: new SqliteLedgerView(new LookingConnection(database, () => ledger.flush(), steady)),
    outbox: new SqliteOutbox(files.quick),
    refunds: new SqliteRefunds(files.durable),
    paymentIds: new SqlitePaymentIds(files.quick),
    credits: new SqliteCredits(files.durable),
    channels: new SqliteChannels(files),
    simulatedTransfers: new SqliteSimulatedTransfers(files.quick),
    usage: new SqliteUsage(files.durable),
    responses: undefined,
    async ready() {
      // The file was opened before this object was created.
    },
    forget: (before, limit) => ledger.forget(before, limit),
    async close() {
      await ledger.close();
      turns.close();
      database.close();
    },
  };
}

/**
 * Both connections use one open file: a second one would read the pages again that the other has written. When a write through
 * `durable` returns, it and all earlier writes of all processes are on the disk. @internal
 */
export function connectionsOf(database: Database, options: ConnectionOptions): Connections {
  let current = "FULL";
  const flushing = (synchronous: "FULL" | "NORMAL") => (): void => {
    if (current === synchronous) return;
    database.run(`PRAGMA synchronous = ${synchronous}`);
    current = synchronous;
  };
  return {
    quick: new SqliteConnection(database, { ...options, prepare: flushing("NORMAL") }),
    durable: new SqliteConnection(database, { ...options, prepare: flushing("FULL") }),
  };
}

/**
 * Opens only the usage in an SQLite file, for a process without paid routes. Creates the file if necessary; `:memory:`
 * keeps the data in memory. Throws if the file cannot be opened, or if another process writes to it for more than
 * `USAGE_BUSY_MS`.
 */
export function openUsageStore(path: string, now: () => number = Date.now): OpenUsageStore {
  const database = openSqlite(path, { synchronous: "FULL", busyMs: USAGE_BUSY_MS, what: "the ledger" }, (file) => {
    migrate(file);
    waitBriefly(file);
  });
  const turns = new WriteTurns(USAGE_BUSY_MS);
  const close = async (): Promise<void> => {
    turns.close();
    database.close();
  };
  return Object.assign(new SqliteUsage(new SqliteConnection(database, { turns, now })), { close });
}

/** From now on `WriteTurns` waits without blocking the event loop. */
function waitBriefly(database: Database): void {
  database.run(`PRAGMA busy_timeout = ${TRY_MS}`);
}
