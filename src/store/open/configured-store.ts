import { X509Certificate } from "node:crypto";
import { dirname, join } from "node:path";
import { readRegularFile } from "../../lib/files/read-regular-file.ts";
import { systemTrust } from "../../lib/net/system-trust.ts";
import { whyUnreadable } from "../../lib/caught.ts";
import { type LedgerVersion } from "../ledger-view.ts";
import type * as View from "./open-ledger-view.ts";
import type * as Sqlite from "./open-store.ts";
import type * as Postgres from "../postgres/open-postgres-store.ts";
import { type PoolSettings } from "../postgres/pool.ts";
import { readTarget } from "../postgres/target.ts";
import { type Store } from "../store.ts";
import { type OpenUsageStore } from "../usage-store.ts";
import { type CertificateStore } from "../certificate-store.ts";
import { type PageStore, type PageStoreOptions } from "../page-store.ts";
import { type JobStore } from "../jobs/job-store.ts";
import { type TemplateStore } from "../template-store.ts";
import type * as Files from "../file-certificates.ts";

/** Loaded on demand, as `sqlite` is. */
const fileStores = (): typeof Files => require("../file-certificates.ts");

/** Loaded on demand, as `sqlite` is. */
const postgresStores = (): typeof Postgres => require("../postgres/open-postgres-store.ts");

/** A process loads only the database that it uses, and only when it uses it (bench start). */
const sqlite = (): typeof Sqlite => require("./open-store.ts");

export interface PostgresConfig {
  readonly url?: string;
  /** Name of an environment variable, or empty. */
  readonly password_env: string;
  readonly pool_size_per_worker: number;
  readonly statement_timeout_ms: number;
  readonly allow_cleartext_password: boolean;
  /** A file of PEM certificates, or empty. */
  readonly ssl_root_cert: string;
  readonly kept_response_bytes: number;
}

/** `content.jobs.postgres`. */
export interface JobsPostgresConfig
  extends Omit<PostgresConfig, "url" | "pool_size_per_worker" | "kept_response_bytes"> {
  /** Empty: it is not used. */
  readonly url: string;
  readonly pool_size: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A larger file is not a bundle of certificate authorities. */
const MAX_ROOT_CERT_BYTES = 16 * 1024 * 1024;

/**
 * Opens the store of a configuration: the database of `postgres.url`, or the SQLite file at `path`. Throws if the
 * settings cannot be used. To learn whether the database can be reached, call `Store.ready`.
 */
export function openConfiguredStore(
  postgres: PostgresConfig,
  path: string,
  environment: Environment = process.env,
): Store {
  const pool = poolOf(postgres, environment);
  if (pool === undefined) return sqlite().openStore(path);
  return postgresStores().openPostgresStore({ ...pool, keptResponseBytes: postgres.kept_response_bytes });
}

/** Opens only the usage in the same database, without paid routes. Throws as `openConfiguredStore` does. */
export function openConfiguredUsage(postgres: PostgresConfig, path: string): OpenUsageStore {
  const pool = poolOf(postgres);
  return pool === undefined ? sqlite().openUsageStore(path) : postgresStores().openPostgresUsage(pool);
}

/** Reads the version of the ledger in the same database, and changes nothing. Rejects if the version cannot be read. */
export async function readLedgerVersion(postgres: PostgresConfig, path: string): Promise<LedgerVersion> {
  const pool = poolOf(postgres);
  if (pool === undefined) return (require("./open-ledger-view.ts") as typeof View).readSqliteVersion(path);
  return await postgresStores().readPostgresVersion(pool);
}

/** Opens the certificates in that database, or a folder beside the SQLite file. Throws as `openConfiguredStore`. */
export function openConfiguredCertificates(postgres: PostgresConfig, path: string): CertificateStore {
  const pool = poolOf(postgres);
  if (pool === undefined) return new (fileStores().FileCertificates)(join(dirname(path), "certificates"));
  return postgresStores().openPostgresCertificates(pool);
}

/** Opens the learned templates that a fleet shares. Undefined without `postgres.url`. Throws as `openConfiguredStore` does. */
export function openConfiguredTemplates(postgres: PostgresConfig): TemplateStore | undefined {
  const pool = poolOf(postgres);
  return pool && postgresStores().openPostgresTemplates(pool);
}

/** Opens the jobs in the database of `content.jobs.postgres`. Undefined without its `url`. Throws as `openConfiguredStore` does. */
export function openConfiguredJobs(
  jobs: JobsPostgresConfig,
  environment: Environment = process.env,
): JobStore | undefined {
  const pool = jobsPoolOf(jobs, environment);
  return pool && postgresStores().openPostgresJobs(pool);
}

/** Opens pages in the database of `content.jobs.postgres`. Undefined without its `url`. Throws as `openConfiguredStore` does. */
export function openConfiguredPages(
  jobs: JobsPostgresConfig,
  options: PageStoreOptions,
  environment: Environment = process.env,
): PageStore | undefined {
  const pool = jobsPoolOf(jobs, environment);
  return pool && postgresStores().openPostgresPages(pool, options);
}

function jobsPoolOf({ pool_size, ...jobs }: JobsPostgresConfig, environment: Environment): PoolSettings | undefined {
  return poolOf({ ...jobs, pool_size_per_worker: pool_size }, environment, "content.jobs.postgres");
}

/** Undefined without a `url`. */
function poolOf(
  postgres: Omit<PostgresConfig, "kept_response_bytes">,
  environment: Environment = process.env,
  key = "postgres",
): PoolSettings | undefined {
  const { url = "" } = postgres;
  if (url === "") return undefined;
  const { target, error = "it is off" } = readTarget(url);
  if (target === undefined) throw new Error(`Cannot use ${key}.url: ${error}`);
  return {
    target,
    password: passwordOf(postgres.password_env, environment, key),
    allowCleartext: postgres.allow_cleartext_password,
    authorities: target.sslMode === "verify-full" ? authoritiesOf(postgres.ssl_root_cert, key) : "",
    statementMs: postgres.statement_timeout_ms,
    size: postgres.pool_size_per_worker,
  };
}

/** The error does not repeat the variable's name: an operator may have written the password itself there. */
function passwordOf(name: string, environment: Environment, key: string): string {
  if (name === "") return "";
  const password = environment[name] ?? "";
  if (password === "") throw new Error(`Cannot use ${key}.password_env: the environment has no such variable`);
  return password;
}

function authoritiesOf(path: string, key: string): string {
  if (path === "") {
    // Fails now, with the names of the environment variables, if they name files that do not exist.
    systemTrust();
    return "";
  }
  let text: string;
  try {
    text = readRegularFile(path, MAX_ROOT_CERT_BYTES).toString("latin1");
  } catch (error) {
    throw new Error(`Cannot use ${key}.ssl_root_cert "${path}": ${whyUnreadable(error)}`, { cause: error });
  }
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error(`Cannot use ${key}.ssl_root_cert "${path}": there is no certificate in it`);
  try {
    return blocks.map((block) => new X509Certificate(block).toString()).join("\n");
  } catch (error) {
    throw new Error(`Cannot use ${key}.ssl_root_cert "${path}": a certificate in it is broken`, { cause: error });
  }
}
