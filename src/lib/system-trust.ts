import { X509Certificate } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type * as Tls from "node:tls";

/** Loaded where TLS is spoken first: it takes as long as a tenth of a start (bench start). */
const nodeTls = (): typeof Tls => require("node:tls");

/** Where systems keep the authorities that they trust, as OpenSSL and Go look for them. */
const BUNDLES: readonly string[] = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/pki/tls/cacert.pem",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/ssl/cert.pem",
];
/** Larger files are no bundles of authorities. */
const MAX_BUNDLE_BYTES = 16 * 1024 * 1024;
/** Files of a folder of `SSL_CERT_DIR` that are looked at, and bytes of each. */
const MAX_FOLDER_FILES = 4096;
const MAX_FOLDER_FILE_BYTES = 256 * 1024;

let trusted: readonly string[] | undefined;

/**
 * The authorities that this system trusts, in PEM: those of `SSL_CERT_FILE` and `SSL_CERT_DIR`, or the system's own bundle, or
 * the runtime's where there is none; and those of `NODE_EXTRA_CA_CERTS`. Read once. Throws where the variables lead to none.
 */
export function systemTrust(): readonly string[] {
  trusted ??= readTrust(process.env);
  return trusted;
}

/** As `systemTrust`, read anew, with the variables of `env`. */
export function readTrust(
  env: Readonly<Record<string, string | undefined>>,
  bundles: readonly string[] = BUNDLES,
): readonly string[] {
  const file = env["SSL_CERT_FILE"] ?? "";
  const folders = env["SSL_CERT_DIR"] ?? "";
  const own = file === "" && folders === "" ? systemBundle(bundles) : named(file, folders);
  const extra = readPem(env["NODE_EXTRA_CA_CERTS"] ?? "", MAX_BUNDLE_BYTES);
  return [...new Set([...own, ...extra])];
}

function systemBundle(bundles: readonly string[]): readonly string[] {
  for (const path of bundles) {
    const found = readPem(path, MAX_BUNDLE_BYTES);
    if (found.length > 0) return found;
  }
  return nodeTls().rootCertificates;
}

/** What the operator named in place of the system's: nobody else is trusted where that is gone. */
function named(file: string, folders: string): readonly string[] {
  const found = readPem(file, MAX_BUNDLE_BYTES);
  for (const folder of folders.split(":")) if (folder !== "") found.push(...readFolder(folder));
  if (found.length > 0) return found;
  const variables = [file === "" ? "" : `SSL_CERT_FILE="${file}"`, folders === "" ? "" : `SSL_CERT_DIR="${folders}"`];
  throw new Error(`Cannot trust any CA: there is no certificate in ${variables.filter(Boolean).join(" or ")}`);
}

function readFolder(folder: string): readonly string[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder).toSorted().slice(0, MAX_FOLDER_FILES);
  } catch {
    return [];
  }
  return names.flatMap((name) => readPem(join(folder, name), MAX_FOLDER_FILE_BYTES));
}

/** The certificates of a file that can be read: none where the file cannot. */
function readPem(path: string, maxBytes: number): string[] {
  if (path === "") return [];
  let text: string;
  try {
    const status = statSync(path);
    if (!status.isFile() || status.size > maxBytes) return [];
    text = readFileSync(path, "latin1");
  } catch {
    return [];
  }
  const blocks = text.match(/-----BEGIN (TRUSTED )?CERTIFICATE-----[^-]+-----END (TRUSTED )?CERTIFICATE-----/g) ?? [];
  return blocks.filter(isCertificate);
}

/** One that is broken would have the TLS library refuse all. */
function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).fingerprint256 !== "";
  } catch {
    return false;
  }
}
