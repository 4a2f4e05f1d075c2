import { readFileSync } from "node:fs";
import { rootCertificates } from "node:tls";

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

let trusted: readonly string[] | undefined;

/**
 * The authorities that this system trusts, in PEM: those of `SSL_CERT_FILE` or the system's own bundle, of the runtime where
 * there is none, and those of `NODE_EXTRA_CA_CERTS`. Read once.
 */
export function systemTrust(): readonly string[] {
  trusted ??= readTrust(process.env);
  return trusted;
}

/** As `systemTrust`, read anew; for tests. */
export function readTrust(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const named = env["SSL_CERT_FILE"] ?? "";
  const extra = readPem(env["NODE_EXTRA_CA_CERTS"] ?? "");
  let own: readonly string[] | undefined;
  for (const path of named === "" ? BUNDLES : [named]) own ??= readPem(path);
  return [...(own ?? rootCertificates), ...(extra ?? [])];
}

/** The certificates of a file; undefined where it has none, or cannot be read. */
function readPem(path: string): readonly string[] | undefined {
  if (path === "") return undefined;
  let text: string;
  try {
    text = readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
  if (text.length > MAX_BUNDLE_BYTES) return undefined;
  return (
    text.match(/-----BEGIN (?:TRUSTED )?CERTIFICATE-----[^-]+-----END (?:TRUSTED )?CERTIFICATE-----/g) ?? undefined
  );
}
