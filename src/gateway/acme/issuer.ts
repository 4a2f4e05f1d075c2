import { type CertificateStore } from "../../store/certificate-store.ts";
import { AcmeError } from "./acme-error.ts";
import { AcmeDirectory } from "./directory.ts";
import { AccountKey } from "./jws.ts";
import { type Account, type Challenge, openAccount, orderCertificate } from "./order.ts";
import {
  accountName,
  type CertificateRecord,
  challengeName,
  failureName,
  GATEWAY_PREFIX,
  readAccountKey,
  readResponded,
  readCertificate,
  readFailure,
  settingsDigest,
} from "./records.ts";
import { hastyAfter } from "./renewal.ts";
import { type AcmeSettings } from "./settings.ts";
import { challengeCertificate, keyPem, makeKey, renewalId } from "./x509.ts";
import { pause } from "../../lib/time/pause.ts";
import { pollUntil } from "../../lib/time/poll-until.ts";

/** Milliseconds after which a challenge is removed, if its order was cancelled. @bound */
const CHALLENGE_MS = 600_000;
/**
 * Milliseconds that the other gateways have to show a challenge too, and between two checks. After them the order goes
 * on without them. @bound
 */
const CONFIRM_MS = 10_000;
const CONFIRM_LOOK_MS = 100;

/** The settings and services of an `Issuer`. `clock` returns Unix milliseconds. */
export interface IssuerOptions {
  readonly settings: AcmeSettings;
  readonly store: CertificateStore;
  readonly clock: () => number;
  /** The name of this gateway's entry in the store. */
  readonly gateway: string;
  readonly signal: AbortSignal;
  /** As in `OrderOptions`. */
  readonly settleMs: number;
  /** As in `DirectoryOptions`. */
  readonly requestMs: number;
  /** Makes this gateway show the contents of the store. */
  readonly show: () => Promise<void>;
}

/** Orders certificates one after the other, for the process that holds the store's lock. */
export class Issuer {
  readonly #options: IssuerOptions;
  readonly #directory: AcmeDirectory;
  #account: Promise<Account> | undefined;

  constructor(options: IssuerOptions) {
    const { settings, signal, clock, requestMs } = options;
    this.#options = options;
    this.#directory = new AcmeDirectory({
      url: settings.config.directory_url,
      authorities: settings.authorities,
      signal,
      clock,
      requestMs,
    });
  }

  /** Gets a certificate for a domain. Rejects if that fails. */
  async issue(domain: string): Promise<CertificateRecord> {
    const { store, settings, clock, settleMs } = this.#options;
    const { config } = settings;
    const entries = await store.read();
    this.#account ??= this.#openAccount();
    const account = await this.#account;
    const failure = readFailure(entries, failureName(domain));
    const failures = failure?.settings === settingsDigest(settings) ? failure.count : 0;
    const kept = readCertificate(entries, domain);
    const published: string[] = [];
    try {
      const pair = await orderCertificate(this.#directory, account, {
        domain,
        keyType: config.key_type,
        challenge: config.challenges[failures % config.challenges.length] ?? "http-01",
        replaces: kept?.record.directory_url === config.directory_url ? renewalId(kept.pair.cert) : undefined,
        publish: (challenge) => this.#publish(challenge, published),
        now: clock,
        pause: (ms) => this.#pause(ms),
        settleMs,
      });
      const { directory_url, key_type } = config;
      return { directory_url, key_type, ...pair, issued_at: clock(), hasty: hastyAfter(kept, clock()) };
    } finally {
      // If the store fails now, they expire later, and the certificate is still valid.
      for (const name of published) await store.write(name, undefined).catch(() => {});
    }
  }

  async #openAccount(): Promise<Account> {
    const { store, settings } = this.#options;
    const { directory_url: url } = settings.config;
    const entries = await store.read();
    const unreadable = store.unreadable.get(accountName(settings));
    // A new account would replace one that may be readable later.
    if (unreadable?.isDamaged === false) throw new AcmeError(`the account is not available: ${unreadable.reason}`);
    const stored = storedKey(readAccountKey(entries, settings));
    const known = stored && (await openAccount(this.#directory, stored, { ...settings, isKnown: true }));
    if (known !== undefined) return known;
    const key = keyPem(await makeKey("ecdsa-p256"));
    // Stored before its first use, because an account without its key is lost.
    await store.write(accountName(settings), JSON.stringify({ directory_url: url, key }));
    const account = await openAccount(this.#directory, new AccountKey(key), { ...settings, isKnown: false });
    if (account === undefined) throw new AcmeError("the directory deactivates new accounts");
    return account;
  }

  /** Resolves when every gateway responds to the challenge: the directory may reach any. Waits `CONFIRM_MS` at most. */
  async #publish(challenge: Challenge, published: string[]): Promise<void> {
    const { store, clock, show } = this.#options;
    const { type, domain, token, keyAuthorization } = challenge;
    const pair = type === "tls-alpn-01" ? challengeCertificate(domain, keyAuthorization, clock()) : undefined;
    const name = challengeName(token);
    published.push(name);
    await store.write(name, JSON.stringify({ type, domain, token, keyAuthorization, pair }), CHALLENGE_MS);
    await show();
    if (!store.isShared) return;
    await pollUntil(() => this.#hasResponsesFromAll(name), {
      everyMs: CONFIRM_LOOK_MS,
      mostMs: CONFIRM_MS,
      pause: (ms) => this.#pause(ms),
    });
  }

  async #hasResponsesFromAll(name: string): Promise<boolean> {
    const { store, gateway } = this.#options;
    const entries = await store.read();
    const others = [...entries.keys()].filter((one) => one.startsWith(GATEWAY_PREFIX) && one !== gateway);
    return others.every((other) => readResponded(entries, other).includes(name));
  }

  async #pause(ms: number): Promise<void> {
    const { signal } = this.#options;
    await pause(ms, signal);
    if (signal.aborted) throw new AcmeError("the order was cancelled");
  }
}

/** Undefined without a key, and for one that cannot be read: its account is lost. */
function storedKey(pem: string | undefined): AccountKey | undefined {
  try {
    return pem === undefined ? undefined : new AccountKey(pem);
  } catch {
    return undefined;
  }
}
