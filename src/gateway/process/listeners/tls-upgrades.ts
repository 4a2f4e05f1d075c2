import { type OnError } from "../../wire/tcp.ts";
import { type ClientRule, type KeyPair, type TlsMaterial } from "../../wire/tls.ts";
import { createTlsUpgrade, type TlsUpgrade } from "../../wire/tls-upgrade.ts";
import { type ClientHello } from "../../wire/client-hello.ts";
import { type TlsIdentities } from "./tls-identities.ts";

/** RFC 8737 §4: this protocol carries no data, only its handshake. */
export const CHALLENGE_PROTOCOL = "acme-tls/1";

interface UpgradeOptions {
  readonly protocols: readonly string[];
  readonly challengePair: (hostname: string) => KeyPair | undefined;
  readonly onError: OnError;
}

/** The TLS settings of a listener that begins handshakes itself, after it has read a client's first bytes. */
export class TlsUpgrades {
  readonly #identities: TlsIdentities;
  readonly #byRule: ReadonlyMap<ClientRule, TlsUpgrade>;
  readonly #options: UpgradeOptions;

  /** Throws if a certificate cannot be used. */
  constructor(material: TlsMaterial, identities: TlsIdentities, options: UpgradeOptions) {
    const { protocols, onError } = options;
    this.#identities = identities;
    this.#options = options;
    this.#byRule = new Map(
      [...identities.rules].map((rule) => [rule, createTlsUpgrade({ ...material, ...rule }, protocols, onError)]),
    );
  }

  /** For a client that asks for this name. */
  ofName(serverName: string): TlsUpgrade | undefined {
    return this.#byRule.get(this.#identities.ruleFor(serverName));
  }

  /** For a client with this hello: only the directory gets the certificate that responds to its challenge. */
  ofHello(hello: ClientHello | undefined): TlsUpgrade | undefined {
    return this.#ofChallenge(hello) ?? this.ofName(hello?.serverName ?? "");
  }

  #ofChallenge(hello: ClientHello | undefined): TlsUpgrade | undefined {
    if (hello?.protocols.includes(CHALLENGE_PROTOCOL) !== true) return undefined;
    const pair = this.#options.challengePair(hello.serverName);
    if (pair === undefined) return undefined;
    const material = { fallback: pair, named: [], clientCa: "", clientCertRequired: false };
    return createTlsUpgrade(material, [CHALLENGE_PROTOCOL], this.#options.onError);
  }
}
