import * as z from "zod";
import { count, milliseconds, secret } from "./kinds.ts";

/** `postgres`: where ledger, usage and payment state live when they are shared. */
export const postgres = z
  .strictObject({
    url: z
      .string()
      .refine(
        (value) => value === "" || /^[a-z]+:\/\/[^/]+\/[^/]+$/i.test(value),
        "expected <scheme>://<user>@<host>:<port>/<db>?sslmode=<mode>",
      )
      .exactOptional()
      .meta(secret("url"))
      .describe(
        "Database, as `postgres://<user>@<host>:<port>/<db>?sslmode=<mode>`; setting it turns the client on. `sslmode` is `disable`, `require` or `verify-full` (the default). Any other turns the client off. A password in it is ignored.",
      ),
    password_env: z
      .string()
      .default("")
      .describe("Name of the environment variable that holds the password, which is never read from the file."),
    pool_size_per_worker: count(2, 1, 4).describe("Connections of each worker."),
    statement_timeout_ms: milliseconds(5000).describe(
      "Time for one statement; what waits for a connection waits for so long as well.",
    ),
    allow_cleartext_password: z
      .boolean()
      .default(false)
      .describe("Answer a cleartext-password request over a plaintext connection; over TLS it is always answered."),
    ssl_root_cert: z
      .string()
      .default("")
      .describe("File of PEM certificates that `verify-full` trusts in place of the system's."),
  })
  .prefault({})
  .describe("Shared state in PostgreSQL.");
