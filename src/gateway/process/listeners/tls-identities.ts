import { X509Certificate } from "node:crypto";
import { hostOf } from "../../../lib/http/url-host.ts";
import { type ClientRule, type KeyPair, ofHost, type TlsMaterial } from "../../wire/tls.ts";

/** The parties of a connection's TLS handshake. */
export interface ConnectionIdentity {
  /** The host name that the client asked for, in lower case; empty without one, or if it is not known. */
  readonly serverName: string;
  /** The gateway verified a certificate of the client. */
  readonly isVerified: boolean;
}

/** A connection without SNI and without a client certificate. */
export const NO_IDENTITY: ConnectionIdentity = { serverName: "", isVerified: false };

/** The TLS handshakes of a listener: by host name, the same for all hosts (QUIC), or none. */
export type Handshakes = "by name" | "alike" | "none";

/**
 * Selects a listener's certificate and its rules for clients by host. Decides whether a connection to one host may
 * carry requests for another (RFC 9110 §15.5.20). A reload makes a new object, which applies to open connections too.
 */
export class TlsIdentities {
  /** True: every connection may carry every request. */
  readonly isUniform: boolean;
  readonly rules: ReadonlySet<ClientRule>;
  readonly #handshakes: Handshakes;
  readonly #fallback: ClientRule;
  readonly #byName: ReadonlyMap<string, ClientRule>;
  readonly #certificates: Certificates;

  constructor(material: TlsMaterial, handshakes: Handshakes) {
    const rules = new Map<string, ClientRule>();
    const known = ({ clientCa, clientCertRequired }: ClientRule): ClientRule => {
      const rule = { clientCa, clientCertRequired };
      const key = clientCa === "" ? "" : `${clientCertRequired} ${clientCa}`;
      return rules.getOrInsert(key, rule);
    };
    this.#handshakes = handshakes;
    this.#fallback = known(handshakes === "none" ? { clientCa: "", clientCertRequired: false } : material);
    const byName = new Map<string, ClientRule>();
    for (const host of material.hosts ?? []) {
      for (const name of host.hostnames) if (!byName.has(name)) byName.set(name, known(host));
    }
    this.#byName = byName;
    this.rules = new Set(rules.values());
    this.#certificates = new Certificates(handshakes === "none" ? { ...material, named: [] } : material);
    this.isUniform = this.rules.size === 1 && !this.#certificates.isSeveral;
  }

  /** The rule for clients that ask for `serverName`, which is in lower case. */
  ruleFor(serverName: string): ClientRule {
    return ofHost(this.#byName, serverName) ?? this.#fallback;
  }

  /** True if the host of an authority has the same rule as clients that send no name. */
  isCommon(authority: string): boolean {
    return this.rules.size === 1 || this.ruleFor(hostOf(authority)) === this.#fallback;
  }

  /** True if a connection may carry a request for this authority. */
  allows(authority: string, { serverName, isVerified }: ConnectionIdentity): boolean {
    if (this.isUniform) return true;
    const host = hostOf(authority);
    const rule = this.ruleFor(host);
    // The rule may be newer than the connection.
    if (rule.clientCa !== "" && rule.clientCertRequired && !isVerified) return false;
    if (this.#handshakes === "none") return true;
    const own = this.#handshakes === "alike" ? this.#fallback : this.ruleFor(serverName);
    if (rule !== own) return false;
    return serverName === "" || serverName === host || this.#certificates.covers(serverName, host);
  }
}

class Certificates {
  readonly isSeveral: boolean;
  readonly #fallback: KeyPair;
  readonly #byName = new Map<string, KeyPair>();
  readonly #read = new Map<KeyPair, X509Certificate>();

  constructor({ fallback, named }: TlsMaterial) {
    this.#fallback = fallback;
    for (const { hostnames, pair } of named) {
      for (const name of hostnames) if (!this.#byName.has(name)) this.#byName.set(name, pair);
    }
    const pairs = new Set([fallback, ...this.#byName.values()]);
    this.isSeveral = new Set([...pairs].map(({ cert }) => cert)).size > 1;
    if (this.isSeveral) for (const pair of pairs) this.#read.set(pair, new X509Certificate(pair.cert));
  }

  /**
   * True if the certificate shown for `serverName` serves `host` too. False if another certificate is shown for `host`
   * and is valid for it, and the one for `serverName` is not.
   */
  covers(serverName: string, host: string): boolean {
    const shown = ofHost(this.#byName, serverName) ?? this.#fallback;
    const mapped = ofHost(this.#byName, host);
    const theirs = mapped ?? this.#fallback;
    if (shown === theirs || this.#isFor(shown, host)) return true;
    return mapped === undefined && !this.#isFor(theirs, host);
  }

  #isFor(pair: KeyPair, host: string): boolean {
    return this.#read.get(pair)?.checkHost(host) !== undefined;
  }
}
