import { type X509Certificate } from "node:crypto";
import { isIP } from "node:net";

/** True if the certificate has `name`, a host name, IP address or URI, as a subjectAltName. A wildcard stands for one label (RFC 9525 §6.3). */
export function hasAltName(certificate: X509Certificate, name: string): boolean {
  if (isIP(name) !== 0) return certificate.checkIP(name) !== undefined;
  // A URI is compared as a whole. Names with a comma are quoted in this list, so that none can pass for two.
  if (name.includes(":")) return certificate.subjectAltName?.split(", ").includes(`URI:${name}`) === true;
  return certificate.checkHost(name, { subject: "never" }) !== undefined;
}
