import { createSecureContext } from "node:tls";
import { codeOf, whyUnreadable } from "../../lib/caught.ts";
import { readRegularFile } from "../../lib/files/read-regular-file.ts";
import { systemTrust } from "../../lib/net/system-trust.ts";

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

/** Error codes of a certificate whose issuer is not trusted. */
const UNTRUSTED: readonly (string | undefined)[] = [
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
];

/** Why a certificate is not trusted, with the flag that names another issuer; undefined for other error codes. */
export function whyUntrusted(code: string | undefined, flag: string, isGiven: boolean): string | undefined {
  if (!UNTRUSTED.includes(code)) return undefined;
  if (isGiven) return `its certificate is not signed by ${flag}`;
  return `its certificate is signed by an authority that is not trusted; name its CA, or the certificate itself, with ${flag}`;
}

/** A `fetch` that also trusts the certificates in the file of `--ca`, if one is given, and whose errors name that flag. */
export function fetchTrusting(file: string | undefined): (url: string, init: RequestInit) => Promise<Response> {
  const options = file === undefined ? {} : { tls: { ca: [...systemTrust(), readCa("--ca", file)] } };
  return async (url, init) => {
    try {
      return await fetch(url, { ...init, ...options });
    } catch (error) {
      const code = codeOf(error);
      const why = whyUntrusted(code, "--ca", file !== undefined);
      throw why === undefined ? error : Object.assign(new Error(why, { cause: error }), { code });
    }
  };
}
