import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readRegularFile } from "../../lib/files/read-regular-file.ts";
import { whyUnreadable } from "../../lib/caught.ts";
import { type KeyPair } from "./tls.ts";

/** Bytes of a file of certificates or keys. A larger file is refused. @operator */
const MAX_PEM_BYTES = 1024 * 1024;

/**
 * Reads and checks one certificate with its key. Throws if a file cannot be read, holds no certificate, or does not match its key. An
 * expired certificate is used: a restart must not be an outage for clients that still accept it.
 */
export function readPair({ cert_path: certPath, key_path: keyPath }: { cert_path: string; key_path: string }): KeyPair {
  const cert = readPem(certPath, "certificate");
  const [own] = parseCertificates(cert, certPath);
  const key = readPem(keyPath, "private key");
  const privateKey = parseKey(key, keyPath);
  if (own === undefined) throw new Error(`Cannot use the certificate "${certPath}": the file has no certificate`);
  if (!own.checkPrivateKey(privateKey)) {
    throw new Error(
      `Cannot use the certificate "${certPath}": the private key "${keyPath}" belongs to another certificate`,
    );
  }
  return { cert, key };
}

/** Reads certificates of authorities in PEM. Throws if that fails; `what` names them in the error. */
export function readAuthorities(path: string, what: string): string {
  const pem = readPem(path, what);
  if (parseCertificates(pem, path).length === 0) {
    throw new Error(`Cannot use the ${what} "${path}": the file holds no certificate`);
  }
  return pem;
}

/** Reads the certificates of a file. Throws if one cannot be read; `what` names them in the error. */
export function readCertificates(path: string, what: string): X509Certificate[] {
  return parseCertificates(readPem(path, what), path);
}

function readPem(path: string, what: string): string {
  try {
    return readRegularFile(path, MAX_PEM_BYTES).toString("latin1");
  } catch (error) {
    throw new Error(`Cannot read the ${what} "${path}": ${whyUnreadable(error)}`, { cause: error });
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** The certificates of a file, in their order. */
function parseCertificates(pem: string, path: string): X509Certificate[] {
  return (pem.match(CERTIFICATE) ?? []).map((text) => {
    try {
      return new X509Certificate(text);
    } catch (error) {
      throw new Error(`Cannot use the certificate "${path}": it cannot be decoded`, { cause: error });
    }
  });
}

function parseKey(pem: string, path: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    const reason = pem.includes("ENCRYPTED")
      ? "it is protected by a passphrase"
      : "it is not a private key in PEM form";
    throw new Error(`Cannot use the private key "${path}": ${reason}`, { cause: error });
  }
}
