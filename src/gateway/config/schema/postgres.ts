import { readTarget } from "../../../store/postgres/target.ts";
import { string } from "./recorded-schema.ts";
import { bytes, count, filePath, flag, milliseconds, ours, secret, section } from "./kinds.ts";

const DATABASE_URL = /^[a-z]+:\/\/[^/]+\/[^/]+$/i;
const EXPECTED_URL = "expected postgres://<user>@<host>:<port>/<db>?sslmode=<mode>";

/** The keys of a connection to any database. */
const connection = {
  password_env: string().default("").describe("Environment variable with the password."),
  statement_timeout_ms: milliseconds(5000).describe(
    "Time for one statement. Also the maximum wait for a free connection.",
  ),
  allow_cleartext_password: flag().describe("Send the password in clear text without TLS if the server requests it."),
  ssl_root_cert: filePath
    .default("")
    .describe("File of PEM certificates that `verify-full` trusts instead of the system's."),
};

/** `content.jobs.postgres`: the database of jobs that several content services share. */
export const jobsPostgres = section({
  url: string()
    .refine(
      (value) => value === "" || (DATABASE_URL.test(value) && readTarget(value).error === undefined),
      EXPECTED_URL,
    )
    .refine((value) => !readTarget(value).hasPassword, "expected no password: set password_env")
    .default("")
    .meta(secret("url"))
    .describe(
      "Database URL, as `postgres://<user>@<host>:<port>/<db>?sslmode=<mode>`; `sslmode` is `disable`, `require` or `verify-full` (default). Empty: jobs are in a file of this machine. The user must not be that of `postgres.url`.",
    ),
  pool_size: count(4, 1, 16).describe("Connections of each content service."),
  ...connection,
}).describe("The jobs of a fleet in PostgreSQL.");

/** `postgres`: the shared database of ledger, usage and payment state. */
export const postgres = section({
  url: string()
    .refine((value) => value === "" || DATABASE_URL.test(value), EXPECTED_URL)
    .exactOptional()
    .meta(secret("url"))
    .describe(
      "Database URL, as `postgres://<user>@<host>:<port>/<db>?sslmode=<mode>`. `sslmode` is `disable`, `require` or `verify-full` (default). A password in it is ignored.",
    ),
  pool_size_per_worker: count(2, 1, 4).describe("Connections of each worker."),
  ...connection,
  kept_response_bytes: bytes(268_435_456, 0).meta(
    ours(
      "Bytes of paid responses in the database, so that every gateway can repeat another's. Above 7 MiB each gateway keeps its own.",
    ),
  ),
}).describe("Shared state in PostgreSQL.");
