import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { messageOf } from "../../lib/caught.ts";
import { within } from "../../lib/time/within.ts";
import { type CertificateStore } from "../../store/certificate-store.ts";
import { type Counts } from "../telemetry/metrics/counts.ts";
import { AcmeDirectory, REQUEST_MS } from "./directory.ts";
import { FAILURES, waitsUntil } from "./failures.ts";
import { type Issued, NOTHING_ISSUED } from "./issued.ts";
import { SETTLE_MS } from "./order.ts";
import { Orders, type OrdersDeps } from "./orders.ts";
import {
  attemptName,
  certificateName,
  challengeName,
  type Entries,
  failureName,
  GATEWAY_PREFIX,
  type KeptCertificate,
  readCertificate,
  readChallenges,
  readFailure,
  settingsDigest,
} from "./records.ts";
import { askRenewal, earliestRenewal, LONGEST_ASK_MS, type RenewalInfo, renewalTime } from "./renewal.ts";
import { type AcmeConfig, type AcmeSettings } from "./settings.ts";
import { placeholder } from "./x509.ts";

/** Milliseconds between two reads of a store that other gateways write to. */
const POLL_MS = 2000;
/** Milliseconds that another gateway counts as running after its last read. */
const SEEN_MS = 10_000;
/** The longest pause between two checks, in milliseconds. */
const LOOK_MS = 60_000;
/** The shortest pause, in milliseconds, so that a store that fails at once is not read without end. */
const LEAST_LOOK_MS = 250;
/**
 * Milliseconds after which the lock expires if it is not extended: a process that is killed during an order leaves it
 * locked that long. @bound
 */
const LOCK_MS = 60_000;

/** The services of a `CertificateKeeper`. Times that are left out are `FAILURES.firstMs`, `SETTLE_MS` and `REQUEST_MS`. */
export interface KeeperDeps
  extends Pick<OrdersDeps, "clock" | "random" | "log" | "onEvent">,
    Partial<Pick<OrdersDeps, "firstPauseMs" | "settleMs" | "requestMs">> {
  /** Opens the store; called once, when certificates are first needed. */
  readonly open: () => CertificateStore;
}

/** The gateway that serves the certificates. */
export interface Shown {
  /** Resolves when every listener shows the certificates and responds to the challenges. */
  certify(issued: Issued): Promise<void>;
  readonly counts: Pick<Counts, "add" | "set">;
}

/**
 * Gets certificates for the domains of a configuration, stores them, renews them, and makes the gateway show them. One
 * process of a gateway runs it. If several gateways share a store, the one that holds the store's lock orders:
 *
 *   read the store → show changes → is one due? → lock → order: publish the challenge, wait for all gateways → store
 *          ▲                                                                                                     │
 *          └────────────── 2 s with a shared store; else until the next is due, a minute at most ◀───────────────┘
 */
export class CertificateKeeper {
  readonly #deps: KeeperDeps;
  readonly #gateway = GATEWAY_PREFIX + randomUUID();
  readonly #renewals = new Map<string, RenewalInfo>();
  readonly #orders: Orders;
  readonly #first = Promise.withResolvers<void>();
  #store: CertificateStore | undefined;
  #shown: Shown | undefined;
  #settings: AcmeSettings | undefined;
  #issued: Issued = NOTHING_ISSUED;
  #abort = new AbortController();
  #wake: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #asking = false;
  #closed = false;
  /** The last error of the store that was logged, so that the same error is logged once. */
  #storeTrouble = "";
  /** The entries of the last read that cannot be used, by name, so that each is logged once. */
  #unusable: ReadonlyMap<string, string> = new Map();

  constructor(deps: KeeperDeps) {
    this.#deps = deps;
    this.#orders = new Orders({
      ...deps,
      firstPauseMs: deps.firstPauseMs ?? FAILURES.firstMs,
      settleMs: deps.settleMs ?? SETTLE_MS,
      requestMs: deps.requestMs ?? REQUEST_MS,
      gateway: this.#gateway,
      show: (store, settings) => this.#show(store, settings),
      ordered: (result) => this.#shown?.counts.add("certificateOrders", 1, result),
    });
  }

  /**
   * The certificates that a gateway with these settings can show at once: the stored ones, and a self-signed one for
   * domains without. Undefined if the settings have not changed. Rejects if the store cannot be opened. An unreachable
   * store is tried again.
   */
  async prepare(settings: AcmeSettings | undefined): Promise<Issued | undefined> {
    if (isDeepStrictEqual(settings, this.#settings)) return undefined;
    if (settings === undefined) return this.#issued;
    this.#store ??= this.#deps.open();
    // The domains of the current settings too: the gateway keeps them if it cannot serve by the new configuration.
    const domains = [...new Set([...settings.config.domains, ...(this.#settings?.config.domains ?? [])])];
    const own = this.#issued.placeholder ?? placeholder(settings.config.domains, this.#deps.clock());
    try {
      const entries = await this.#store.read();
      this.#tellUnusable(this.#store, entries, settings.config);
      return { ...this.#issuedOf(entries, domains), placeholder: own };
    } catch (error) {
      this.#storeFailed(error);
      return { ...this.#issued, placeholder: own };
    }
  }

  /** Works by these settings from now on; undefined: no domain. `issued` is what the gateway shows. */
  use(settings: AcmeSettings | undefined, issued: Issued, shown: Shown): void {
    this.#shown = shown;
    this.#issued = issued;
    if (settings === undefined) this.#tellEnds([], 0);
    this.#settings = settings;
    this.#renewals.clear();
    this.#abort.abort();
    this.#abort = new AbortController();
    if (settings !== undefined && !this.#closed) this.#running ??= this.#run();
    this.#wake?.();
  }

  get pairs(): Issued["pairs"] {
    return this.#issued.pairs;
  }

  /** Resolves after the first attempt for each domain, or after `ms` milliseconds. */
  async attempted(ms: number): Promise<void> {
    await within(ms, this.#first.promise);
  }

  /** Cancels the orders under way. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#abort.abort();
    this.#wake?.();
    this.#first.resolve();
    await this.#running;
    await this.#store?.close();
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      let wait = LOOK_MS;
      const settings = this.#settings;
      const store = this.#store;
      if (settings !== undefined && store !== undefined) {
        try {
          wait = await this.#round(store, settings);
          this.#storeTrouble = "";
        } catch (error) {
          this.#storeFailed(error);
          wait = POLL_MS;
        }
        if (settings === this.#settings) this.#first.resolve();
        else wait = 0;
      }
      await this.#sleep(wait);
    }
  }

  /** Checks all domains once, and returns the milliseconds until the next check. Rejects if the store fails. */
  async #round(store: CertificateStore, settings: AcmeSettings): Promise<number> {
    let entries = await this.#show(store, settings);
    if (store.isShared) {
      const challenges = readChallenges(entries).map(({ token }) => challengeName(token));
      await store.write(this.#gateway, JSON.stringify({ challenges }), SEEN_MS);
    }
    if (await this.#orders.saveAll(store, settings)) entries = await this.#show(store, settings);
    const isDue = (domain: string): boolean =>
      !this.#orders.hasUnsaved(domain, settings) && this.#dueAt(entries, settings, domain) <= this.#deps.clock();
    let refused: unknown;
    if (settings.config.domains.some(isDue) && (await store.lease(LOCK_MS))) {
      try {
        // Another process may have held the lock until now.
        entries = await store.read();
        refused = await this.#order(store, settings, settings.config.domains.filter(isDue));
      } finally {
        await store.lease(0);
      }
      entries = await this.#show(store, settings);
    }
    this.#askAll(entries, settings);
    if (refused !== undefined) throw refused;
    if (store.isShared || this.#orders.unsaved > 0) return POLL_MS;
    const next = Math.min(...settings.config.domains.map((domain) => this.#dueAt(entries, settings, domain)));
    return Math.min(Math.max(next - this.#deps.clock(), LEAST_LOOK_MS), LOOK_MS);
  }

  /** Resolves as `Orders.run`. */
  async #order(store: CertificateStore, settings: AcmeSettings, domains: readonly string[]): Promise<unknown> {
    const { signal } = this.#abort;
    const keep = setInterval(() => void store.lease(LOCK_MS).catch(() => {}), LOCK_MS / 3);
    try {
      // After a reload, interrupted orders with the same settings begin again. After a restart, they may be one of many.
      return await this.#orders.run({ store, settings, domains, signal, isEnding: () => this.#closed });
    } finally {
      clearInterval(keep);
      for (const domain of domains) this.#renewals.delete(domain);
    }
  }

  /** Reads the store, and makes the gateway show changes. */
  async #show(store: CertificateStore, { config }: AcmeSettings): Promise<Entries> {
    const entries = await store.read();
    this.#tellUnusable(store, entries, config);
    const next: Issued = { ...this.#issuedOf(entries, config.domains), placeholder: this.#issued.placeholder };
    if (!isDeepStrictEqual(next, this.#issued)) {
      await this.#shown?.certify(next);
      this.#issued = next;
    }
    this.#count(entries, config);
    return entries;
  }

  #count(entries: Entries, { domains }: AcmeConfig): void {
    const ends = domains.flatMap((domain) => readCertificate(entries, domain)?.to ?? []);
    this.#tellEnds(ends, domains.length - ends.length);
  }

  /** Counts the certificates. `ends` has the end of each in Unix milliseconds; `missing` is the number of domains without one. */
  #tellEnds(ends: readonly number[], missing: number): void {
    const counts = this.#shown?.counts;
    const valid = ends.filter((end) => end > this.#deps.clock()).length;
    counts?.set("certificates", valid, "valid");
    counts?.set("certificates", missing, "missing");
    counts?.set("certificates", ends.length - valid, "expired");
    counts?.set("certificateExpiry", ends.length === 0 ? 0 : Math.floor(Math.min(...ends) / 1000), "acme");
  }

  /** The time of the next order for a domain, in Unix milliseconds. */
  #dueAt(entries: Entries, settings: AcmeSettings, domain: string): number {
    const digest = settingsDigest(settings);
    const now = this.#deps.clock();
    const waits = [failureName(domain), attemptName(domain)].map((name) =>
      waitsUntil(readFailure(entries, name), digest, now),
    );
    const kept = readCertificate(entries, domain);
    return Math.max(...waits, this.#wantedAt(kept, settings.config, domain));
  }

  #wantedAt(kept: KeptCertificate | undefined, config: AcmeConfig, domain: string): number {
    if (kept === undefined) return 0;
    const { directory_url: url, key_type: keyType } = kept.record;
    if (url !== config.directory_url || keyType !== config.key_type) return 0;
    const { clock, firstPauseMs: firstMs = FAILURES.firstMs } = this.#deps;
    return Math.max(renewalTime(kept, this.#renewals.get(domain)), earliestRenewal(kept, { now: clock(), firstMs }));
  }

  /** Asks the directory about renewals if the last request is long ago. In the background: it may be slow. */
  #askAll(entries: Entries, settings: AcmeSettings): void {
    const { clock } = this.#deps;
    const open = settings.config.domains.flatMap((domain) => {
      const kept = readCertificate(entries, domain);
      const askAt = this.#renewals.get(domain)?.askAt ?? 0;
      // A time beyond the longest pause was written while the machine's clock was wrong.
      const isOpen = askAt <= clock() || askAt > clock() + LONGEST_ASK_MS;
      return kept !== undefined && isOpen ? [{ domain, kept }] : [];
    });
    if (this.#asking || open.length === 0) return;
    this.#asking = true;
    void this.#ask(settings, open).finally(() => {
      this.#asking = false;
    });
  }

  async #ask(
    { config, authorities }: AcmeSettings,
    open: readonly { readonly domain: string; readonly kept: KeptCertificate }[],
  ): Promise<void> {
    const { signal } = this.#abort;
    const { clock, requestMs = REQUEST_MS } = this.#deps;
    const directory = new AcmeDirectory({ url: config.directory_url, authorities, signal, clock, requestMs });
    for (const { domain, kept } of open) {
      const info = await askRenewal(directory, kept, { now: clock(), random: this.#deps.random() });
      if (signal.aborted) return;
      this.#renewals.set(domain, info);
    }
    this.#wake?.();
  }

  /** Logs entries that were usable until now. Their domains get new certificates. */
  #tellUnusable(store: CertificateStore, entries: Entries, { domains }: AcmeConfig): void {
    const unusable = new Map([...store.unreadable].map(([name, { reason }]) => [name, reason]));
    for (const domain of domains) {
      const name = certificateName(domain);
      if (entries.has(name) && readCertificate(entries, domain) === undefined)
        unusable.set(name, `the entry "${name}" has no certificate and key that belong together`);
    }
    const known = this.#unusable;
    this.#unusable = unusable;
    for (const [name, reason] of unusable) {
      if (known.get(name) === reason) continue;
      const domain = domains.find((one) => certificateName(one) === name);
      const what = domain === undefined ? "a stored entry of the certificates" : `the stored certificate for ${domain}`;
      const message = `Cannot use ${what}: ${reason}`;
      this.#deps.log(message);
      const details = domain === undefined ? {} : { domain };
      this.#deps.onEvent({ kind: "certificate", message, outcome: "failed", details });
    }
  }

  /**
   * The certificates for these domains, and all challenges. If the store lacks a usable certificate, the one that waits
   * for the store takes its place, or the one that is shown already.
   */
  #issuedOf(entries: Entries, domains: readonly string[]): Omit<Issued, "placeholder"> {
    const pairs = domains.flatMap((domain) => {
      const before = this.#unusable.has(certificateName(domain))
        ? this.#issued.pairs.find((one) => one.domain === domain)?.pair
        : undefined;
      const pair = readCertificate(entries, domain)?.pair ?? this.#orders.unsavedPair(domain) ?? before;
      return pair === undefined ? [] : [{ domain, pair }];
    });
    return { pairs, challenges: readChallenges(entries) };
  }

  #storeFailed(error: unknown): void {
    const message = `Cannot check the certificates: ${messageOf(error)}`;
    if (message === this.#storeTrouble || this.#closed) return;
    this.#storeTrouble = message;
    this.#deps.log(message);
    this.#deps.onEvent({ kind: "certificate", message, outcome: "failed" });
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#closed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    await within(ms, promise);
    this.#wake = undefined;
  }
}
