import { X509Certificate } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type * as Tls from "node:tls";

/** Loaded when TLS is used first, because it takes a tenth of the time of a start (bench start). */
const nodeTls = (): typeof Tls => require("node:tls");

/** Bundles of the trusted authorities on different systems, as in OpenSSL and Go. */
const BUNDLES: readonly string[] = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/pki/tls/cacert.pem",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/ssl/cert.pem",
];
/** A larger file is not a bundle of certificate authorities. */
const MAX_BUNDLE_BYTES = 16 * 1024 * 1024;
/** Maximum number of files of a folder in `SSL_CERT_DIR` that are read, and the largest size of each in bytes. */
const MAX_FOLDER_FILES = 4096;
const MAX_FOLDER_FILE_BYTES = 256 * 1024;

let trusted: readonly string[] | undefined;

/**
 * The authorities that this system trusts, in PEM. They come from `SSL_CERT_FILE` and `SSL_CERT_DIR`, else from the
 * system's bundle, else from the runtime. Those of `NODE_EXTRA_CA_CERTS` are added. The result is read once. Throws if
 * the variables name no certificates.
 */
export function systemTrust(): readonly string[] {
  trusted ??= readTrust(process.env);
  return trusted;
}

/** As `systemTrust`, but with the variables of `env`, and read again. @internal */
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

/** The authorities that the operator named to replace the system's. If they are missing, no others take their place. */
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

/** The certificates of a file; empty if the file cannot be read. */
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

/** With one broken certificate, the TLS library would refuse all of them. */
function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).fingerprint256 !== "";
  } catch {
    return false;
  }
}
