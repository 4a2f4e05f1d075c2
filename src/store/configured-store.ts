import { X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "../lib/caught.ts";
import { systemTrust } from "../lib/system-trust.ts";
import { type LedgerVersion } from "./ledger-version.ts";
import type * as View from "./open-ledger-view.ts";
import type * as Sqlite from "./open-store.ts";
import type * as Postgres from "./postgres/open-postgres-store.ts";
import { type PoolSettings } from "./postgres/pool.ts";
import { readTarget } from "./postgres/target.ts";
import { type Store } from "./store.ts";
import { type OpenUsageStore } from "./usage-store.ts";
import { type CertificateStore } from "./certificate-store.ts";
import { FileCertificates } from "./file-certificates.ts";

/** As `sqlite`. */
const postgresStores = (): typeof Postgres => require("./postgres/open-postgres-store.ts");

/** Of both databases the one that is used is loaded, when it is (bench start). */
const sqlite = (): typeof Sqlite => require("./open-store.ts");

/** `postgres` of the configuration. */
export interface PostgresConfig {
  readonly url?: string;
  /** Name of an environment variable, or empty. */
  readonly password_env: string;
  readonly pool_size_per_worker: number;
  readonly statement_timeout_ms: number;
  readonly allow_cleartext_password: boolean;
  /** A file of PEM certificates, or empty. */
  readonly ssl_root_cert: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Larger files are no bundles of authorities. */
const MAX_ROOT_CERT_BYTES = 16 * 1024 * 1024;

/**
 * The store of a configuration: the database that `postgres.url` names, or the SQLite file at `path`. `now` is in milliseconds,
 * for tests. Throws where it cannot be; whether a database is there is `Store.ready`'s to say.
 */
export function openConfiguredStore(
  postgres: PostgresConfig,
  path: string,
  environment: Environment = process.env,
): Store {
  const { url = "" } = postgres;
  if (url === "") return sqlite().openStore(path);
  return postgresStores().openPostgresStore(poolSettings(url, postgres, environment));
}

/** The usage of a configuration alone, in the same database: for a process that sells nothing. Throws as `openConfiguredStore`. */
export function openConfiguredUsage(
  postgres: PostgresConfig,
  path: string,
  environment: Environment = process.env,
): OpenUsageStore {
  const { url = "" } = postgres;
  if (url === "") return sqlite().openUsageStore(path);
  return postgresStores().openPostgresUsage(poolSettings(url, postgres, environment));
}

/** The version of the ledger in the same database, which is not changed. Rejects if it cannot be read. */
export async function readLedgerVersion(
  postgres: PostgresConfig,
  path: string,
  environment: Environment = process.env,
): Promise<LedgerVersion> {
  const { url = "" } = postgres;
  if (url === "") return (require("./open-ledger-view.ts") as typeof View).readSqliteVersion(path);
  return await postgresStores().readPostgresVersion(poolSettings(url, postgres, environment));
}

/** The certificates of a configuration: in the same database, or in the folder `certificates` beside the SQLite file. Throws as `openConfiguredStore`. */
export function openConfiguredCertificates(
  postgres: PostgresConfig,
  path: string,
  environment: Environment = process.env,
): CertificateStore {
  const { url = "" } = postgres;
  if (url === "") return new FileCertificates(join(dirname(path), "certificates"));
  return postgresStores().openPostgresCertificates(poolSettings(url, postgres, environment));
}

function poolSettings(url: string, postgres: PostgresConfig, environment: Environment): PoolSettings {
  const { target, objection = "it is off" } = readTarget(url);
  if (target === undefined) throw new Error(`Cannot use postgres.url: ${objection}`);
  return {
    target,
    password: passwordOf(postgres.password_env, environment),
    allowCleartext: postgres.allow_cleartext_password,
    authorities: target.sslMode === "verify-full" ? authoritiesOf(postgres.ssl_root_cert) : "",
    statementMs: postgres.statement_timeout_ms,
    size: postgres.pool_size_per_worker,
  };
}

/** The variable's name is not repeated: it may be the password itself, put in the wrong place. */
function passwordOf(name: string, environment: Environment): string {
  if (name === "") return "";
  const password = environment[name] ?? "";
  if (password === "") throw new Error("Cannot use postgres.password_env: the environment has no such variable");
  return password;
}

function authoritiesOf(path: string): string {
  if (path === "") {
    // Read once for all: it throws, and names the variables, where they lead to nothing.
    systemTrust();
    return "";
  }
  let text: string;
  try {
    if (statSync(path).size > MAX_ROOT_CERT_BYTES)
      throw new Error("Cannot use postgres.ssl_root_cert: it is too large");
    text = readFileSync(path, "latin1");
  } catch (error) {
    const reason = codeOf(error);
    if (reason === undefined) throw error;
    throw new Error(`Cannot use postgres.ssl_root_cert "${path}": ${reason}`, { cause: error });
  }
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0)
    throw new Error(`Cannot use postgres.ssl_root_cert "${path}": there is no certificate in it`);
  try {
    return blocks.map((block) => new X509Certificate(block).toString()).join("\n");
  } catch (error) {
    throw new Error(`Cannot use postgres.ssl_root_cert "${path}": a certificate in it is broken`, { cause: error });
  }
}
