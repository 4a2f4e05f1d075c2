import { X509Certificate } from "node:crypto";
import { messageOf } from "../../../lib/caught.ts";
import { readExternalAccount } from "../../acme/external-account.ts";
import { type OwnTls, type ReadTls } from "../../acme/issued.ts";
import { type AcmeSettings } from "../../acme/settings.ts";
import { type Config } from "../../config/config.ts";
import { readAuthorities, readPair } from "../../wire/read-certificates.ts";
import { checkMaterial, type HostRule } from "../../wire/tls.ts";

/**
 * Reads and checks the certificates of a configuration's TLS listeners. Undefined if it names no certificates and has
 * no `tls.acme`. Throws if a file cannot be read, holds no certificate, or does not match its key. The error names the
 * file.
 */
export function readTlsMaterial({ tls, server }: Pick<Config, "tls" | "server">): ReadTls | undefined {
  const section = readOwn(tls, { path: "tls", hasAcme: tls.acme !== undefined });
  const listeners = server.listeners.map(({ tls: own }, i) => {
    const where = { path: `server.listeners[${i}].tls`, hasAcme: tls.acme !== undefined };
    return own === undefined ? undefined : readOwn({ ...tls, ...own }, where);
  });
  if (section === undefined && listeners.every((one) => one === undefined)) return undefined;
  // Listeners without TLS refuse hosts that need a client certificate, whatever other listeners show.
  const hosts = readHosts(tls);
  return {
    ...(section ?? { fallback: undefined, named: [], clientCa: "", clientCertRequired: true, hosts }),
    listeners,
  };
}

function readHosts({ hosts }: TlsKeys): HostRule[] {
  return hosts.map(({ hostnames, client_ca_path: ca, client_cert_required: clientCertRequired }) => ({
    hostnames,
    clientCa: ca === "" ? "" : readAuthorities(ca, "client CAs"),
    clientCertRequired,
  }));
}

type TlsKeys = Omit<Config["tls"], "acme">;

interface Where {
  /** The section's path in the configuration. */
  readonly path: string;
  readonly hasAcme: boolean;
}

/** Undefined if there is no certificate to show and none will be issued. */
function readOwn(tls: TlsKeys, { path, hasAcme }: Where): OwnTls | undefined {
  const named = tls.certificates.map((entry) => ({ hostnames: entry.hostnames, pair: readPair(entry) }));
  const fallback = tls.cert_path === "" ? named[0]?.pair : readPair(tls);
  if (fallback === undefined && !hasAcme) return undefined;
  const material = {
    fallback,
    named,
    clientCa: tls.client_ca_path === "" ? "" : readAuthorities(tls.client_ca_path, "client CAs"),
    clientCertRequired: tls.client_cert_required,
    hosts: readHosts(tls),
  };
  if (!hasAcme) checkNames(material, path);
  try {
    checkMaterial(material);
  } catch (error) {
    throw new Error(`Cannot use the certificates: ${messageOf(error)}`, { cause: error });
  }
  return material;
}

/** Throws if a host has rules for its clients, but no certificate that the clients would accept. */
function checkNames({ fallback, named, hosts = [] }: OwnTls, path: string): void {
  const certificates = [fallback, ...named.map(({ pair }) => pair)].flatMap((pair) =>
    pair === undefined ? [] : [new X509Certificate(pair.cert)],
  );
  const mapped = new Set(named.flatMap(({ hostnames }) => hostnames));
  for (const [i, { hostnames }] of hosts.entries()) {
    const missing = hostnames.find((name) => !mapped.has(name) && !certificates.some((one) => isFor(one, name)));
    if (missing !== undefined) {
      throw new Error(
        `Cannot use ${path}.hosts[${i}]: no certificate of the listener is for ${JSON.stringify(missing)}`,
      );
    }
  }
}

/** True if the certificate has the name. For a wildcard, one name that the wildcard matches is enough. */
function isFor(certificate: X509Certificate, hostname: string): boolean {
  if (!hostname.startsWith("*.")) return certificate.checkHost(hostname) !== undefined;
  const { subjectAltName = "" } = certificate;
  return subjectAltName.split(", ").some((name) => name.startsWith("DNS:") && name.endsWith(hostname.slice(1)));
}

/** The `tls.acme` of a configuration, if any, with its file and variable. Throws if one cannot be read. */
export function readAcme(
  { tls: { acme } }: Pick<Config, "tls">,
  environment: Readonly<Record<string, string | undefined>>,
): AcmeSettings | undefined {
  if (acme === undefined) return undefined;
  return {
    config: acme,
    authorities: acme.ca_path === "" ? "" : readAuthorities(acme.ca_path, "CAs of tls.acme"),
    external: readExternalAccount(acme, environment),
  };
}
