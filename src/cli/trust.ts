import { createSecureContext } from "node:tls";
import { readRegularFile } from "../lib/read-regular-file.ts";
import { systemTrust } from "../lib/system-trust.ts";
import { whyUnreadable } from "../lib/why-unreadable.ts";

/** Maximum bytes of the file of `--ca` or `--admin-ca`. A larger file is an error. */
const MAX_CA_BYTES = 16 * 1024 * 1024;

/** The certificates in a file, in PEM. Throws an error that names the flag if the file has no certificate. */
export function readCa(flag: string, path: string): string {
  try {
    const pem = readRegularFile(path, MAX_CA_BYTES).toString("latin1");
    if (!pem.includes("-----BEGIN CERTIFICATE-----")) throw new Error("it has no certificate in PEM");
    if (!isCa(pem)) throw new Error("its certificate cannot be read");
    return pem;
  } catch (error) {
    throw new Error(`Cannot use ${flag} "${path}": ${whyUnreadable(error)}`, { cause: error });
  }
}

function isCa(pem: string): boolean {
  try {
    createSecureContext({ ca: pem });
    return true;
  } catch {
    return false;
  }
}

/** A `fetch` that also trusts the certificates in the file of `--ca`; the plain one without a file. */
export function fetchTrusting(file: string | undefined): (url: string, init: RequestInit) => Promise<Response> {
  if (file === undefined) return (url, init) => fetch(url, init);
  const ca = [...systemTrust(), readCa("--ca", file)];
  return (url, init) => fetch(url, { ...init, tls: { ca } });
}
