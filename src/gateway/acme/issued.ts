import { type Config } from "../config/config.ts";
import { type KeyPair, type TlsMaterial } from "../wire/tls.ts";
import { type OpenChallenge } from "./challenges.ts";
import { type AcmeConfig } from "./settings.ts";

/** The certificates from `tls.acme`, and the open challenges. Plain data, as it crosses process boundaries. */
export interface Issued {
  readonly pairs: readonly { readonly domain: string; readonly pair: KeyPair }[];
  /** For domains without a certificate yet, if no file is configured either. */
  readonly placeholder: KeyPair | undefined;
  readonly challenges: readonly OpenChallenge[];
}

/** The state without certificates and challenges. */
export const NOTHING_ISSUED: Issued = { pairs: [], placeholder: undefined, challenges: [] };

/** The certificates in a configuration's files. `fallback` is undefined if all certificates come from `tls.acme`. */
export interface OwnTls extends Omit<TlsMaterial, "fallback"> {
  readonly fallback: KeyPair | undefined;
}

/** The section `tls`, and those of listeners that replace it; undefined for a listener without its own. */
export interface ReadTls extends OwnTls {
  readonly listeners: readonly (OwnTls | undefined)[];
}

/** The certificates of TLS listeners, if the configuration names any: those from files before issued ones. */
export function shownTls(
  acme: AcmeConfig | undefined,
  read: OwnTls | undefined,
  { pairs, placeholder }: Issued,
): TlsMaterial | undefined {
  if (read === undefined) return undefined;
  const wanted = new Set(acme?.domains);
  const issued = pairs.filter(({ domain }) => wanted.has(domain));
  const fallback = read.fallback ?? issued[0]?.pair ?? placeholder;
  if (fallback === undefined) return undefined;
  const { clientCa, clientCertRequired, hosts = [] } = read;
  return {
    fallback,
    clientCa,
    clientCertRequired,
    hosts,
    named: [...read.named, ...issued.map(({ domain, pair }) => ({ hostnames: [domain], pair }))],
  };
}

/**
 * The material of each listener of a configuration, in its order. A listener without TLS shows no certificate, but has
 * the rules of hosts: it refuses hosts that need a client certificate.
 */
export function shownByListener(
  { tls, server }: Pick<Config, "tls" | "server">,
  read: ReadTls | undefined,
  issued: Issued,
): readonly (TlsMaterial | undefined)[] {
  const section = shownTls(tls.acme, read, issued);
  if (server.listeners.length === 0) return [section ?? plainMaterial(read)];
  return server.listeners.map(({ use_tls: useTls }, i) => {
    if (!useTls) return plainMaterial(read);
    const own = read?.listeners[i];
    return own === undefined ? section : shownTls(tls.acme, own, issued);
  });
}

const NO_PAIR: KeyPair = { cert: "", key: "" };

function plainMaterial(read: ReadTls | undefined): TlsMaterial | undefined {
  const hosts = read?.hosts ?? [];
  return hosts.length === 0
    ? undefined
    : { fallback: NO_PAIR, named: [], clientCa: "", clientCertRequired: false, hosts };
}
