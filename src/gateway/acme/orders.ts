import { messageOf } from "../../lib/caught.ts";
import { type CertificateStore } from "../../store/certificate-store.ts";
import { type OnEvent } from "../telemetry/event.ts";
import { type KeyPair } from "../wire/tls.ts";
import { validityOf } from "./chain.ts";
import { begunAgain, failedAgain } from "./failures.ts";
import { Issuer, type IssuerOptions } from "./issuer.ts";
import {
  attemptName,
  type CertificateRecord,
  certificateName,
  type Entries,
  failureName,
  readFailure,
  settingsDigest,
} from "./records.ts";
import { type AcmeSettings } from "./settings.ts";

export interface OrdersDeps extends Pick<IssuerOptions, "clock" | "gateway" | "settleMs" | "requestMs"> {
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: (message: string) => void;
  readonly onEvent: OnEvent;
  /** The first pause after a failed order, in milliseconds. */
  readonly firstPauseMs: number;
  /** Reads the store, and makes the gateway show changes. */
  readonly show: (store: CertificateStore, settings: AcmeSettings) => Promise<Entries>;
  readonly ordered: (result: "issued" | "failed") => void;
}

/** The domains whose certificates `Orders` orders, and the store for them. */
export interface OrdersOptions extends Pick<IssuerOptions, "store" | "settings" | "signal"> {
  readonly domains: readonly string[];
  /** True if the orders were cancelled because the process ends. */
  readonly isEnding: () => boolean;
}

/**
 * Orders certificates, and records in the store what a restart must know:
 *
 *   attempt → order → certificate, no failure → no attempt
 *                └──► failure, with the time of the next order → no attempt
 *
 * A process that is killed during an order leaves the attempt. A store that cannot take the attempt gets no order.
 */
export class Orders {
  readonly #deps: OrdersDeps;
  /** Certificates that the store did not take, by domain: one for each of `tls.acme.domains` at most. */
  readonly #unsaved = new Map<string, { readonly digest: string; readonly record: CertificateRecord }>();

  constructor(deps: OrdersDeps) {
    this.#deps = deps;
  }

  /** The number of certificates that wait for the store. */
  get unsaved(): number {
    return this.#unsaved.size;
  }

  /** True if a domain has a certificate that waits for the store. */
  hasUnsaved(domain: string, settings: AcmeSettings): boolean {
    return this.#unsaved.get(domain)?.digest === settingsDigest(settings);
  }

  /** The certificate of a domain that waits for the store. */
  unsavedPair(domain: string): KeyPair | undefined {
    const record = this.#unsaved.get(domain)?.record;
    return record && { cert: record.cert, key: record.key };
  }

  /** Stores the certificates that wait. Forgets those of other settings. True: some were stored. */
  async saveAll(store: CertificateStore, settings: AcmeSettings): Promise<boolean> {
    const before = this.#unsaved.size;
    for (const [domain, { record }] of this.#unsaved) {
      if (!this.hasUnsaved(domain, settings) || !settings.config.domains.includes(domain)) this.#unsaved.delete(domain);
      else if (await isWritten(store, domain, record)) await this.#saved(store, { settings, domain, record });
    }
    return this.#unsaved.size < before;
  }

  /**
   * Orders a certificate for each domain, one after the other. If the store refuses the records of a domain, the other
   * domains get their orders. Resolves to the first error of the store; rejects if the store cannot be read.
   */
  async run({ store, settings, domains, signal, isEnding }: OrdersOptions): Promise<unknown> {
    const { show, clock, gateway, settleMs, requestMs } = this.#deps;
    const issuer = new Issuer({
      settings,
      store,
      clock,
      gateway,
      signal,
      settleMs,
      requestMs,
      show: async () => void (await show(store, settings)),
    });
    let refused: unknown;
    for (const domain of domains) {
      if (signal.aborted) break;
      const entries = await store.read();
      try {
        await this.#begin(store, { settings, domain, entries });
        await this.#one(issuer, { store, settings, domain, entries, signal, isEnding });
      } catch (error) {
        refused ??= new Error(`the order for ${domain}: ${messageOf(error)}`, { cause: error });
      }
    }
    return refused;
  }

  async #one(issuer: Issuer, { store, settings, domain, entries, signal, isEnding }: OneOrder): Promise<void> {
    let record: CertificateRecord;
    try {
      record = await issuer.issue(domain);
    } catch (error) {
      if (!signal.aborted) await this.#failed(store, { settings, domain, entries, error });
      else if (!isEnding()) await store.write(attemptName(domain), undefined);
      return;
    }
    await this.#issued(store, { settings, domain, record });
  }

  async #begin(
    store: CertificateStore,
    { settings, domain, entries }: { settings: AcmeSettings; domain: string; entries: Entries },
  ): Promise<void> {
    const { clock, random, firstPauseMs: firstMs } = this.#deps;
    const before = readFailure(entries, attemptName(domain));
    const begun = begunAgain(before, { settings: settingsDigest(settings), now: clock(), random: random(), firstMs });
    await store.write(attemptName(domain), JSON.stringify(begun));
  }

  /** A certificate that the store does not take waits in memory. */
  async #issued(store: CertificateStore, { settings, domain, record }: IssuedRecord): Promise<void> {
    this.#unsaved.set(domain, { digest: settingsDigest(settings), record });
    try {
      await store.write(certificateName(domain), JSON.stringify(record));
    } catch (error) {
      const message = `Cannot store the certificate for ${domain}: ${messageOf(error)}; the gateway keeps it in memory and tries again`;
      this.#tell(message, { outcome: "failed", details: { domain } });
      return;
    }
    await this.#saved(store, { settings, domain, record });
  }

  /** After the store has taken a certificate. */
  async #saved(store: CertificateStore, { settings, domain, record }: IssuedRecord): Promise<void> {
    this.#unsaved.delete(domain);
    try {
      await this.#deps.show(store, settings);
    } finally {
      // Also if the store fails now: the order has succeeded.
      const to = validityOf(record)?.to ?? 0;
      const message = `got a certificate for ${domain}, valid until ${new Date(to).toISOString()}`;
      this.#tell(message, { outcome: "done", details: { domain, expires_ms: to } });
    }
    await store.write(failureName(domain), undefined);
    await store.write(attemptName(domain), undefined);
  }

  /** Reports the failure before it uses the store, which may fail too. */
  async #failed(store: CertificateStore, { settings, domain, entries, error }: FailedOrder): Promise<void> {
    const { clock, random, firstPauseMs: firstMs } = this.#deps;
    const before = readFailure(entries, failureName(domain));
    const digest = settingsDigest(settings);
    const failure = failedAgain(before, { settings: digest, error, now: clock(), random: random(), firstMs });
    const { host } = new URL(settings.config.directory_url);
    const wait = Math.ceil((failure.next_at - clock()) / 1000);
    const message = `Cannot get a certificate for ${domain} from ${host}: ${messageOf(error)}; the next attempt is in ${wait} s`;
    const details = { domain, attempts: failure.count, next_attempt_ms: failure.next_at };
    this.#tell(message, { outcome: "failed", details });
    await store.write(failureName(domain), JSON.stringify(failure));
    await store.write(attemptName(domain), undefined);
  }

  #tell(message: string, { outcome, details }: { outcome: "done" | "failed"; details: object }): void {
    this.#deps.ordered(outcome === "done" ? "issued" : "failed");
    this.#deps.log(message);
    this.#deps.onEvent({ kind: "certificate", message, outcome, details: { ...details } });
  }
}

interface OneOrder extends Omit<OrdersOptions, "domains"> {
  readonly domain: string;
  /** The contents of the store before the order. */
  readonly entries: Entries;
}

interface FailedOrder extends Pick<OneOrder, "settings" | "domain" | "entries"> {
  readonly error: unknown;
}

interface IssuedRecord {
  readonly settings: AcmeSettings;
  readonly domain: string;
  readonly record: CertificateRecord;
}

async function isWritten(store: CertificateStore, domain: string, record: CertificateRecord): Promise<boolean> {
  try {
    await store.write(certificateName(domain), JSON.stringify(record));
    return true;
  } catch {
    return false;
  }
}
