import { type X509Certificate } from "node:crypto";
import { isIP } from "node:net";

/**
 * True if the certificate has `name` as a subjectAltName: a host name, an IP address or a URI. A wildcard matches one
 * label (RFC 9525 §6.3).
 */
export function hasAltName(certificate: X509Certificate, name: string): boolean {
  if (isIP(name) !== 0) return certificate.checkIP(name) !== undefined;
  // The whole URI is compared. In this list, names with a comma are quoted, so that one name cannot look like two.
  if (name.includes(":")) return certificate.subjectAltName?.split(", ").includes(`URI:${name}`) === true;
  return certificate.checkHost(name, { subject: "never" }) !== undefined;
}
