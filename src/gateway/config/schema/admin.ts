import * as z from "zod";
import { environmentName, hostAddress, listenPort, ours, secret } from "./kinds.ts";

/** A longer key does not fit the head of a request. */
const MAX_KEY_LENGTH = 1024;

/** A secret that a header field can carry. */
const key = z
  .string()
  .max(MAX_KEY_LENGTH)
  .regex(/^[\x21-\x7e]*$/, "expected visible ASCII characters without spaces")
  .default("")
  .meta(secret());

const variable = environmentName.or(z.literal("")).default("");

const tls = z
  .strictObject({
    cert_path: z.string().default("").describe("PEM certificate chain; empty turns TLS off."),
    key_path: z.string().default("").describe("PEM private key; set or empty together with `cert_path`."),
  })
  .prefault({})
  .meta(ours("TLS on the admin listener. A reload reads the files again."));

/** `admin`: the runtime interface. */
export const admin = z
  .strictObject({
    enabled: z.boolean().default(false).describe("Serve the admin interface; requires `api_key` or `api_key_env`."),
    port: listenPort.default(9180).describe("Port, separate from the traffic listeners."),
    address: hostAddress.default("127.0.0.1").describe("Bind address; should be loopback or a private interface."),
    api_key: key.describe("Secret that every admin request must carry."),
    api_key_env: variable.meta(
      ours("Name of the environment variable that holds the secret, in place of `api_key`; read at start and reload."),
    ),
    read_api_key: key.meta(ours("Secret of those who may read, and change nothing; empty: there is no such key.")),
    read_api_key_env: variable.meta(
      ours("Name of the environment variable that holds that secret, in place of `read_api_key`."),
    ),
    tls,
    audit_log: z
      .string()
      .default("")
      .meta(
        ours(
          "File that gets every event but log lines, as JSON lines: who changed what, and how it ended. Mode 0600; opened again on SIGUSR1; empty writes none.",
        ),
      ),
  })
  .prefault({})
  .describe("The admin interface, on a listener of its own.");
