import { array, literal, string } from "./recorded-schema.ts";
import {
  environmentName,
  filePath,
  flag,
  hostAddress,
  hostName,
  listenPort,
  names,
  ours,
  secret,
  section,
  text,
} from "./kinds.ts";

/** Characters of a key; a configuration with a longer one is refused, because it does not fit a request's head. */
const MAX_KEY_LENGTH = 1024;

/** Characters of a key; a shorter one is refused without `allow_short_keys`, because it can be guessed. */
export const MIN_KEY_LENGTH = 16;

/** Folders of `admin.file_folders`; the configuration is refused with more. @operator */
const MAX_FILE_FOLDERS = 64;

/** A secret that a header field can contain. */
const key = string()
  .max(MAX_KEY_LENGTH)
  .regex(/^[\x21-\x7e]*$/, "expected visible ASCII characters without spaces")
  .default("")
  .meta(secret());

const variable = environmentName.or(literal("")).default("");

const tls = section({
  cert_path: filePath.default("").describe("PEM certificate chain; empty turns TLS off."),
  key_path: filePath.default("").describe("PEM private key of `cert_path`. Set both or neither."),
}).meta(ours("TLS on the admin listener. A reload reads the files again."));

export const admin = section({
  enabled: flag().describe("Serve the admin interface; requires `api_key` or `api_key_env`."),
  port: listenPort.default(9180).describe("Port, separate from the traffic listeners."),
  address: hostAddress.default("127.0.0.1").describe("Bind address. Use loopback or a private interface."),
  api_key: key.describe("Secret that every admin request must carry."),
  api_key_env: variable.meta(
    ours("Environment variable with the secret, in place of `api_key`. Read at start and reload."),
  ),
  read_api_key: key.meta(ours("Secret of a second key that can only read. Empty: no such key.")),
  read_api_key_env: variable.meta(ours("Environment variable with that secret, in place of `read_api_key`.")),
  allow_short_keys: flag().meta(ours("Accept keys of fewer than 16 characters, which can be guessed.")),
  hosts: array(hostName)
    .default([])
    .meta(ours("Further host names of the interface; another Host gets 400. `*.example.com` matches all subdomains.")),
  file_folders: array(text.meta(names("folder")))
    .max(MAX_FILE_FOLDERS)
    .default([])
    .meta(ours("Folders in which changes through this interface may name files, programs and sockets.")),
  tls,
  audit_log: filePath
    .meta(names("log"))
    .default("")
    .meta(ours("File for every event except log lines, as JSON lines; reopened on SIGUSR1.")),
}).describe("The admin interface, on a separate listener.");
