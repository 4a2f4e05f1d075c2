import { machineTime } from "../../lib/time/machine-time.ts";
import { type LedgerVersion } from "../ledger-view.ts";
import { type Store } from "../store.ts";
import { type OpenUsageStore } from "../usage-store.ts";
import { type CertificateStore } from "../certificate-store.ts";
import { type TemplateStore } from "../template-store.ts";
import { type JobStore } from "../jobs/job-store.ts";
import { type PageStore, type PageStoreOptions } from "../page-store.ts";
import { PAGE_SCHEMA, PostgresPages } from "./pages.ts";
import { PostgresJobs } from "./jobs.ts";
import { JOB_SCHEMA } from "./jobs-schema.ts";
import { PostgresSimulatedTransfers } from "./simulated-transfers.ts";
import { PostgresChannels } from "./channels.ts";
import { PostgresCredits } from "./credits.ts";
import { PostgresCertificates } from "./certificates.ts";
import { Database } from "./database.ts";
import { PostgresResponses } from "./kept-responses.ts";
import { PostgresLedger } from "./ledger.ts";
import { PostgresLedgerView } from "./ledger-view.ts";
import { PostgresOutbox } from "./outbox.ts";
import { PostgresPaymentIds } from "./payment-ids.ts";
import { Pool, type PoolSettings } from "./pool.ts";
import { PostgresRefunds } from "./refunds.ts";
import { SCHEMA_VERSION, storedVersion } from "./schema.ts";
import { PostgresTemplates } from "./templates.ts";
import { PostgresUsage } from "./usage.ts";

export interface StoreSettings extends PoolSettings {
  /** Bytes of all kept responses. 0, or left out: none are kept here. */
  readonly keptResponseBytes?: number;
}

/**
 * Opens the store in a database of PostgreSQL 12 or later, which any number of gateways share. It connects at the first
 * use or call of `ready`. Tests set `now`, in milliseconds, to replace the database's clock. `steady` is the monotonic
 * clock of this machine; it defaults to `now` if that is set.
 */
export function openPostgresStore(
  settings: StoreSettings,
  now?: () => number,
  steady: () => number = now ?? machineTime,
): Store {
  const { keptResponseBytes = 0 } = settings;
  const database = new Database(settings, now);
  const ledger = new PostgresLedger(database, steady);
  const ownNow = now ?? (() => Date.now());
  return {
    ledger,
    view: new PostgresLedgerView(database, { now: ownNow, steady }),
    outbox: new PostgresOutbox(database),
    refunds: new PostgresRefunds(database, ledger, ownNow),
    paymentIds: new PostgresPaymentIds(database, ownNow),
    credits: new PostgresCredits(database, ownNow),
    channels: new PostgresChannels(database),
    simulatedTransfers: new PostgresSimulatedTransfers(database),
    usage: new PostgresUsage(database),
    responses: keptResponseBytes === 0 ? undefined : new PostgresResponses(database, keptResponseBytes),
    async ready() {
      await database.ready();
      await ledger.watchClock();
    },
    forget: (before, limit) => ledger.forget(before, ownNow() - before, limit),
    async close() {
      await ledger.close();
      await database.close();
    },
  };
}

/** Reads the version of the store's tables, and changes nothing; 0 if there are no tables. */
export async function readPostgresVersion(settings: PoolSettings): Promise<LedgerVersion> {
  const pool = new Pool({ ...settings, size: 1 }, async () => {});
  try {
    const found = await pool.session((connection) => storedVersion(connection, settings.statementMs));
    return { found, known: SCHEMA_VERSION };
  } finally {
    await pool.close();
  }
}

/** Opens only the usage, for a process without paid routes: one connection, opened at the first use. */
export function openPostgresUsage(settings: PoolSettings, now?: () => number): OpenUsageStore {
  const database = new Database({ ...settings, size: 1 }, now);
  return Object.assign(new PostgresUsage(database), { close: () => database.close() });
}

/** Opens only the certificates in such a database. It uses one connection, opened at the first use. */
export function openPostgresCertificates(settings: PoolSettings, now?: () => number): CertificateStore {
  return new PostgresCertificates(new Database({ ...settings, size: 1 }, now));
}

/** Opens only the learned templates in such a database. It uses one connection, opened at the first use. */
export function openPostgresTemplates(settings: PoolSettings, now?: () => number): TemplateStore {
  return new PostgresTemplates(new Database({ ...settings, size: 1 }, now));
}

/** Opens only pages in such a database. */
export function openPostgresPages(settings: PoolSettings, options: PageStoreOptions): PageStore {
  return new PostgresPages(new Database(settings, undefined, PAGE_SCHEMA), options);
}

/** Opens only the jobs in such a database. They have tables of their own, so that their user needs no access to the payments. */
export function openPostgresJobs(settings: PoolSettings, now?: () => number, oldSnapshotMs?: number): JobStore {
  return new PostgresJobs(new Database(settings, now, JOB_SCHEMA), oldSnapshotMs);
}
