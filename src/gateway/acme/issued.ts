import { type Config } from "../config/config.ts";
import { type KeyPair, type TlsMaterial } from "../wire/tls.ts";
import { type Challenge } from "./order.ts";

/** `tls.acme` of a configuration. */
export type AcmeConfig = NonNullable<Config["tls"]["acme"]>;

/** A challenge that is under way; `pair` is what answers one of TLS-ALPN-01. */
export interface OpenChallenge extends Challenge {
  readonly pair: KeyPair | undefined;
}

/** What the gateway has got by itself. Plain data: it crosses process boundaries. */
export interface Issued {
  readonly pairs: readonly { readonly domain: string; readonly pair: KeyPair }[];
  /** For domains that have none yet, where no file is configured either. */
  readonly placeholder: KeyPair | undefined;
  readonly challenges: readonly OpenChallenge[];
}

export const NOTHING_ISSUED: Issued = { pairs: [], placeholder: undefined, challenges: [] };

/** What a configuration's files hold; `fallback` is undefined where `tls.acme` alone gives certificates. */
export interface OwnTls extends Omit<TlsMaterial, "fallback"> {
  readonly fallback: KeyPair | undefined;
}

/** The section `tls`, and beside it what listeners have in its place: undefined for a listener without a section of its own. */
export interface ReadTls extends OwnTls {
  readonly listeners: readonly (OwnTls | undefined)[];
}

/** What listeners with TLS show; undefined where the configuration has no certificate. Files come before what was issued. */
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
 * What each listener of a configuration shows, in its order. A listener without TLS shows nothing, and has the rules for hosts: those that
 * need a client certificate are refused on it.
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

/** The response to a request for an HTTP-01 challenge (RFC 8555 §8.3); undefined: there is no such challenge. */
export function httpResponse({ challenges }: Issued, token: string): string | undefined {
  return challenges.find((challenge) => challenge.type === "http-01" && challenge.token === token)?.keyAuthorization;
}

/** The certificate that answers a TLS-ALPN-01 challenge for a host name; undefined: there is no such challenge. */
export function handshakeReply({ challenges }: Issued, hostname: string): KeyPair | undefined {
  return challenges.find((challenge) => challenge.type === "tls-alpn-01" && challenge.domain === hostname)?.pair;
}
