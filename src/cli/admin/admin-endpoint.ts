import { closeSync, openSync, readSync } from "node:fs";
import { whyUnreadable } from "../../lib/caught.ts";
import { isLoopback } from "../../payments/facilitator/loopback-only.ts";
import { statePath } from "../common/state-folder.ts";
import { sayWarning } from "../common/terminal.ts";
import { readCa } from "../common/trust.ts";
import { UsageError } from "../common/usage-error.ts";
import { adminKeyPath, keyProblem, MAX_KEY_LENGTH, readAdminAddress, readAdminKey } from "./admin-key.ts";
import { flagsText, flagTable } from "../common/flags.ts";

export const ADMIN_FLAGS = flagTable({
  "admin URL":
    "URL of its admin interface (default $TURNPIKE_ADMIN, else that of the turnpike start that uses --state-dir)",
  "admin-key-file FILE":
    'file with the admin key; "-" is standard input (default $TURNPIKE_ADMIN_KEY, else the key in --state-dir)',
  "admin-ca FILE": "trust only this CA, or this self-signed certificate",
  "state-dir DIR": "state folder of turnpike start (default $TURNPIKE_HOME, else ~/.turnpike)",
  "timeout S": "give up after S seconds (30)",
  // Accepted by the parser only, so that the error can name the right flag.
  "admin-key VALUE": { text: undefined },
});

export const ADMIN_FLAGS_TEXT = `which gateway:
${flagsText(ADMIN_FLAGS)}

A key is never a flag's value: every user of the machine would see it in the list of processes.`;

/** The address of an admin interface, and the settings of requests to it. */
export interface AdminEndpoint {
  readonly url: URL;
  readonly key: string;
  /** The only certificate authorities to trust, in PEM. Undefined: those of the system. */
  readonly ca: string | undefined;
  /** Milliseconds that a response may take. */
  readonly timeoutMs: number;
}

export type AdminFlags = Partial<Readonly<Record<keyof typeof ADMIN_FLAGS, string | undefined>>>;

/**
 * Seconds that a command waits for a response: default and maximum of `--timeout`.
 * @bound
 */
const DEFAULT_TIMEOUT_S = 30;
const MAX_TIMEOUT_S = 3600;

/** Finds the admin interface by flags, environment or state folder. Throws UsageError, or an error if none. */
export function findAdmin(
  flags: AdminFlags,
  env: Readonly<Record<string, string | undefined>> = process.env,
): AdminEndpoint {
  if (flags["admin-key"] !== undefined) {
    throw new UsageError(
      "--admin-key is not supported, because every user of the machine can read the arguments of a command: name the key's file with --admin-key-file, or set TURNPIKE_ADMIN_KEY",
    );
  }
  const timeoutMs = readTimeout(flags.timeout) * 1000;
  const stateDir = statePath(flags["state-dir"]);
  const named = flags.admin ?? (env["TURNPIKE_ADMIN"] || undefined);
  const url = parseUrl(named ?? localUrl(stateDir), named === flags.admin ? "--admin" : "TURNPIKE_ADMIN");
  const ca = flags["admin-ca"] === undefined ? undefined : readCa("--admin-ca", flags["admin-ca"]);
  const key = givenKey(flags["admin-key-file"], env) ?? localKey(stateDir, url, named !== undefined);
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    sayWarning(
      `warning: the admin key is sent to ${url.host} in clear text; give the admin interface a certificate and use https`,
    );
  }
  return { url, key, ca, timeoutMs };
}

function readTimeout(text: string | undefined): number {
  if (text === undefined) return DEFAULT_TIMEOUT_S;
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= MAX_TIMEOUT_S) return seconds;
  throw new UsageError(`--timeout "${text}" is not a number of seconds from 1 to ${MAX_TIMEOUT_S}`);
}

function localUrl(stateDir: string): string {
  const address = readAdminAddress(stateDir);
  if (address !== undefined) return address.url;
  throw new Error(
    `Cannot find an admin interface: no turnpike start runs with the state folder "${stateDir}"; for a gateway whose configuration has "admin", add --admin URL`,
  );
}

function parseUrl(text: string, what: string): URL {
  const url = URL.parse(text);
  // The error does not contain the URL, which may have the key in it.
  if (url !== null && (url.username !== "" || url.password !== "")) {
    throw new UsageError(`${what} takes a URL without a user and password; the key comes from --admin-key-file`);
  }
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
    throw new UsageError(`${what} "${text}" is not an http or https URL`);
  }
  return url;
}

/** The key that the user names: a file, or the environment variable. */
function givenKey(file: string | undefined, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const source = file === undefined ? "TURNPIKE_ADMIN_KEY" : file === "-" ? "standard input" : `"${file}"`;
  const text = file === undefined ? env["TURNPIKE_ADMIN_KEY"] || undefined : readKeyFile(file);
  const key = text?.trim();
  const problem = key === undefined ? undefined : keyProblem(key);
  if (problem !== undefined) throw new Error(`Cannot use the admin key of ${source}: ${problem}`);
  return key;
}

/** The key of the state folder. Only the gateway of that folder may receive it. */
function localKey(stateDir: string, url: URL, isNamed: boolean): string {
  const isLocal = !isNamed || readLocalOrigin(stateDir) === url.origin;
  const key = isLocal ? readAdminKey(adminKeyPath(stateDir)) : undefined;
  if (key !== undefined) return key;
  throw new Error(
    `Cannot call ${url.origin} without the admin key: name the key's file with --admin-key-file, or set TURNPIKE_ADMIN_KEY`,
  );
}

function readLocalOrigin(stateDir: string): string | undefined {
  const address = readAdminAddress(stateDir);
  return address === undefined ? undefined : URL.parse(address.url)?.origin;
}

function readKeyFile(path: string): string {
  let file: number | undefined;
  try {
    file = path === "-" ? 0 : openSync(path, "r");
    const bytes = Buffer.alloc(MAX_KEY_LENGTH + 1);
    let length = 0;
    for (;;) {
      const read = readSync(file, bytes, length, bytes.length - length, null);
      length += read;
      if (read === 0 || length > MAX_KEY_LENGTH) break;
    }
    if (length > MAX_KEY_LENGTH) throw new Error(`it has more than ${MAX_KEY_LENGTH} bytes`);
    return bytes.toString("utf8", 0, length);
  } catch (error) {
    throw new Error(`Cannot read the admin key of "${path}": ${whyUnreadable(error)}`, { cause: error });
  } finally {
    if (file !== undefined && file !== 0) closeSync(file);
  }
}
