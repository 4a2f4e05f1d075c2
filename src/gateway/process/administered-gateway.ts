import { type OptionalAdmin } from "../admin/optional-admin.ts";
import { type AuditFile } from "../admin/events/audit-file.ts";
import { type EventLog } from "../admin/events/event-log.ts";
import { RequestLog } from "../admin/events/request-log.ts";
import { type AdminParts, type GatewayView } from "../admin/operations/parts.ts";
import { type OpenedConfig } from "../admin/running-config/config-source.ts";
import { LiveConfig } from "../admin/running-config/live-config.ts";
import { watchFile } from "../admin/running-config/watch-file.ts";
import { pollUntil } from "../../lib/time/poll-until.ts";
import { setAdminAway } from "../telemetry/admin-away.ts";
import { COLUMN } from "../telemetry/metrics/layout.ts";
import { TRANSPORTS } from "../telemetry/metrics/metrics.ts";
import { isDeepStrictEqual } from "node:util";
import { messageOf } from "../../lib/caught.ts";
import { type Config } from "../config/config.ts";
import { type OptionalKeeper } from "../acme/optional-keeper.ts";
import { type Issued } from "../acme/issued.ts";
import { CertificateWatch } from "./check/certificate-expiry.ts";
import { readAcme } from "./listeners/certificates.ts";
import { type Gateway } from "./gateway/gateway-interface.ts";
import { type BoundListener } from "./listeners/listener-plan.ts";
import { probeQuic } from "./listeners/quic-listeners.ts";
import { retry, type Share, shareOf } from "./gateway/take-over.ts";
import { type OnEvent } from "../telemetry/event.ts";
import { OptionalRefunds } from "../policy/payment/refunds/optional-refunds.ts";
import { type AdminViews } from "./admin-views.ts";
import { Turns } from "../../lib/process/turns.ts";

/** The other gateway of a take-over. */
interface Progress {
  /** Resolves when it serves all that was released. */
  readonly served: Promise<void>;
  /** Resolves when it has ended without its operator's will. */
  readonly lost: Promise<void>;
}

/** Milliseconds between two figures of the last hour. @bound */
const RECORD_MS = 10_000;

/** Milliseconds between two looks for open connections of a gateway that is replaced. */
const DRAINED_MS = 20;

export interface AdministeredParts {
  readonly opened: OpenedConfig;
  readonly gateway: Gateway;
  readonly admin: OptionalAdmin;
  readonly events: EventLog;
  readonly audit: AuditFile;
  readonly views: AdminViews;
  readonly workers: number;
  readonly keeper: OptionalKeeper;
  readonly onAdminMoved: (url: string | undefined) => void;
  /** The configuration that it was started with. `share` is the part that is served. */
  readonly config: Config;
  readonly share: Share;
  readonly log: (message: string) => void;
}

/** A gateway in one process or several, which operators can change while it runs. */
export class AdministeredGateway {
  readonly config: LiveConfig;
  /** The events so far, and the lines of the log. */
  readonly events: EventLog;
  /** Without the configuration at the start, which would stay in memory. */
  readonly #deps: Omit<AdministeredParts, "opened" | "config" | "share">;
  readonly #certificates: CertificateWatch;
  readonly #refunds: OptionalRefunds;
  readonly #endWatch: () => void;
  readonly #recorder: NodeJS.Timeout;
  readonly #requests: RequestLog;
  #share: Share;
  /** The configuration that was applied last; `#share` of it is served. */
  #applied: Config;
  /** Settles when the configuration that is being applied is in place. */
  readonly #turns = new Turns();
  #closing = false;
  #closed: Promise<void> | undefined;
  /** Another gateway takes over. */
  #releasing = false;

  constructor({ opened, config, share, ...deps }: AdministeredParts) {
    const { gateway, admin, events, keeper, workers, log } = deps;
    const { seller, counts } = gateway;
    const onEvent: OnEvent = (event) => events.add(event);
    this.#refunds = new OptionalRefunds(config, { ...seller, counts, log, onEvent, clock: Date.now });
    this.#deps = deps;
    this.events = events;
    this.#share = share;
    this.#applied = config;
    const pairs = (): Issued["pairs"] => keeper.loaded?.pairs ?? [];
    this.#certificates = new CertificateWatch({ clock: Date.now, log, counts: gateway.counts, issued: pairs });
    this.#certificates.use(config);
    this.config = new LiveConfig({
      opened,
      apply: (next) => this.#turns.run(() => this.#applyNext(next)),
      // Loaded with the first change (bench start).
      checkMaterial: async (next, since) => (await import("./check/check-material.ts")).checkMaterial(next, since),
      countReload: (success) => gateway.counts.add("reloads", 1, success ? "success" : "failure"),
      onEvent: (event) => events.add(event),
    });
    this.#endWatch = watchFile(this.config, (event) => events.add(event));
    this.#requests = new RequestLog((filters, receive) => gateway.watchRequests(filters, receive));
    admin.serve(this.#adminParts());
    const { views } = deps;
    this.#recorder = setInterval(() => this.adminUrl !== undefined && views.overview.record(), RECORD_MS).unref();
    this.#tellAdmin();
    const message = `the gateway has started with ${workers} ${workers === 1 ? "worker" : "workers"}`;
    events.add({ kind: "worker", message });
    this.#keepUsage();
  }

  #adminParts(): AdminParts {
    const { gateway, events, views, workers } = this.#deps;
    return {
      config: this.config,
      view: viewOf(gateway, workers, this.#certificates),
      events,
      tenants: gateway.tenantDirectory,
      requests: this.#requests,
      ledger: () => gateway.figures.ledger(),
      credits: () => (gateway.figures.store?.() ?? gateway.seller.store())?.credits,
      channels: () => (gateway.figures.store?.() ?? gateway.seller.store())?.channels,
      refunds: this.#refunds,
      get usage() {
        return views.usage;
      },
      get overview() {
        return views.overview;
      },
      get jobs() {
        return views.jobs;
      },
    };
  }

  /** The endpoints that clients connect to. */
  get listeners(): readonly BoundListener[] {
    return this.#deps.gateway.listeners;
  }

  /** The URL of the admin interface; undefined if it is off. */
  get adminUrl(): string | undefined {
    return this.#deps.admin.loaded?.url;
  }

  /** Closes the log files and opens them by their names again. */
  async reopenLogs(): Promise<void> {
    await Promise.all([this.#deps.gateway.reopenLogs(), this.#deps.audit.reopen()]);
  }

  /** The port of the admin interface; undefined if it is off. */
  get adminPort(): number | undefined {
    const url = this.adminUrl;
    return url === undefined ? undefined : Number(new URL(url).port);
  }

  /**
   * For a gateway that was started with `takesOver`, after the old gateway has begun to stop. Serves the admin interface
   * and HTTP/3 too, as soon as the old gateway has closed their ports. Never rejects. False: it was closed before that.
   */
  takeRest(): Promise<boolean> {
    return this.#widenTo(["admin", "all"]);
  }

  /**
   * Releases all ports for a gateway that replaces this one, lets exchanges in flight end, and closes when the other one
   * serves. If the other one is lost before that, this gateway serves again, and the result is false. Rejects if it cannot
   * release the ports; then it serves as before.
   */
  async handOver(graceMs: number, { served, lost }: Progress): Promise<boolean> {
    const end = performance.now() + graceMs;
    let [isServed, isLost] = [false, false];
    void served.then(() => (isServed = true));
    void lost.then(() => (isLost = true));
    this.#releasing = true;
    try {
      await this.#turns.run(() => this.#serveShare("none"));
      const isOver = (): boolean => isLost || this.#closing || (isServed && this.#connections() === 0);
      await pollUntil(isOver, { everyMs: DRAINED_MS, mostMs: end - performance.now() });
    } finally {
      this.#releasing = false;
    }
    if (!isLost || this.#closing) {
      await this.close(Math.max(0, end - performance.now()));
      return true;
    }
    void this.#widenTo(["tcp", "admin", "all"]);
    return false;
  }

  /** Serves these shares one after the other, each as soon as its ports are free. */
  async #widenTo(shares: readonly Share[]): Promise<boolean> {
    const failed = (error: unknown): void =>
      this.#deps.log(`${messageOf(error)}; tries again until the other gateway has ended`);
    const isClosing = (): boolean => this.#closing || this.#releasing;
    for (const share of shares) {
      await retry(() => this.#turns.run(() => this.#widen(share, isClosing)), { isClosing, failed });
    }
    return !isClosing();
  }

  #connections(): number {
    const { zone } = this.#deps.gateway.figures;
    let open = 0;
    for (let row = 0; row < zone.shape.rows; row++) {
      for (const t of TRANSPORTS.keys()) open += zone.counters(row)[COLUMN.connectionsOpen + t] ?? 0;
    }
    return open;
  }

  /** Lets exchanges in flight end within `graceMs` milliseconds; then closes the admin interface too. */
  close(graceMs: number): Promise<void> {
    return (this.#closed ??= this.#close(graceMs));
  }

  async #close(graceMs: number): Promise<void> {
    this.#closing = true;
    this.events.add({ kind: "worker", message: "the gateway stops" });
    this.#endWatch();
    clearInterval(this.#recorder);
    this.#certificates.close();
    await this.#deps.keeper.loaded?.close();
    await this.#refunds.close();
    await this.#deps.gateway.close(graceMs);
    await this.#deps.views.close();
    this.events.close();
    this.#requests.close();
    await this.#deps.admin.loaded?.close();
    await this.#deps.audit.close();
  }

  async #widen(share: Share, isClosing: () => boolean): Promise<void> {
    if (isClosing()) return;
    if (share === "all") await probeQuic(this.#applied, this.listeners);
    await this.#serveShare(share);
  }

  async #serveShare(share: Share): Promise<void> {
    const before = shareOf(this.#applied, this.#share);
    if (!isDeepStrictEqual(before, shareOf(this.#applied, share))) await this.#apply(this.#applied, share);
    this.#share = share;
  }

  async #applyNext(next: Config): Promise<void> {
    if (this.#share === "none") throw new Error("another gateway takes over");
    await this.#apply(next, this.#share);
  }

  /** Makes every part serve its share. Rejects if one part cannot; then all keep the previous configuration. */
  async #apply(whole: Config, share: Share): Promise<void> {
    const config = shareOf(whole, share);
    await this.#deps.admin.prepare(config);
    const before = this.#deps.audit.path;
    try {
      await this.#deps.audit.use(auditPath(config));
      const settings = readAcme(config, process.env);
      const issued = await this.#deps.keeper.prepare(settings);
      // Listeners that the configuration adds need a certificate to show.
      if (issued !== undefined) await this.#deps.gateway.certify(issued);
      await this.#deps.gateway.reload(config);
      if (issued !== undefined) this.#deps.keeper.loaded?.use(settings, issued, this.#deps.gateway);
    } catch (error) {
      this.#deps.admin.loaded?.rollback();
      await this.#deps.audit.use(before);
      throw error;
    }
    const { admin, onAdminMoved } = this.#deps;
    const url = this.adminUrl;
    // Before the port is free: the gateway that waits for it announces its own address then.
    if (url !== undefined && !config.admin.enabled) onAdminMoved(undefined);
    admin.loaded?.commit(config);
    if (this.adminUrl !== undefined && this.adminUrl !== url) onAdminMoved(this.adminUrl);
    this.#applied = whole;
    this.#tellAdmin();
    this.#certificates.use(whole);
    this.#refunds.use(whole);
    this.#keepUsage();
  }

  /** The workers are not ready without the admin interface, which the other gateway of a take-over may have. */
  #tellAdmin(): void {
    setAdminAway(this.#deps.gateway.figures.zone, this.#applied.admin.enabled && this.adminUrl === undefined);
  }

  /** Starts the usage file. Without an admin interface, usage cannot be queried, so it is not stored. */
  #keepUsage(): void {
    if (this.adminUrl !== undefined) this.#deps.views.usage.start();
  }
}

/** The file of the audit log; empty without an audit log. */
export function auditPath({ admin }: Config): string {
  return admin.enabled ? admin.audit_log : "";
}

function viewOf(gateway: Gateway, workers: number, certificates: CertificateWatch): GatewayView {
  return {
    startedAt: Date.now(),
    get port() {
      return gateway.listeners[0]?.port ?? 0;
    },
    workers,
    get closedRoutes() {
      return gateway.closedRoutes;
    },
    metrics: () => gateway.metrics(),
    certificates: () => certificates.list(),
    drain: (server, isDrained, by) => gateway.drain(server, isDrained, by),
  };
}
