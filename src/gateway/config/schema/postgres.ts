import * as z from "./recorded-schema.ts";
import { bytes, count, filePath, milliseconds, ours, secret } from "./kinds.ts";

/** `postgres`: the shared database of ledger, usage and payment state. */
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
        "Database URL, as `postgres://<user>@<host>:<port>/<db>?sslmode=<mode>`. It turns the client on. `sslmode` is `disable`, `require` or `verify-full` (default); any other value turns the client off. A password in the URL is ignored.",
      ),
    password_env: z
      .string()
      .default("")
      .describe("Environment variable with the password, which is never read from the file."),
    pool_size_per_worker: count(2, 1, 4).describe("Connections of each worker."),
    statement_timeout_ms: milliseconds(5000).describe(
      "Time for one statement. Also the maximum wait for a free connection.",
    ),
    allow_cleartext_password: z
      .boolean()
      .default(false)
      .describe(
        "Send the password in clear text without TLS if the server requests it. Over TLS this is always allowed.",
      ),
    ssl_root_cert: filePath
      .default("")
      .describe("File of PEM certificates that `verify-full` trusts instead of the system's."),
    kept_response_bytes: bytes(268_435_456, 0).meta(
      ours(
        "About the bytes of paid responses in the database, so that every gateway can repeat another's. Responses above 7 MiB are not kept there. 0: each gateway keeps only its own.",
      ),
    ),
  })
  .prefault({})
  .describe("Shared state in PostgreSQL.");
