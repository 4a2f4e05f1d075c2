import { OptionalAdmin } from "../admin/optional-admin.ts";
import { countedLine, RepeatedLines } from "../telemetry/repeated-lines.ts";
import { AuditFile } from "../admin/events/audit-file.ts";
import { EventLog } from "../admin/events/event-log.ts";
import { RequestLog } from "../admin/events/request-log.ts";
import type * as Overviews from "../admin/overview/overview.ts";
import { type AdminParts, type GatewayView } from "../admin/operations/parts.ts";
import { type OpenedConfig } from "../admin/running-config/config-source.ts";
import { LiveConfig } from "../admin/running-config/live-config.ts";
import { watchFile } from "../admin/running-config/watch-file.ts";
import { cpus } from "node:os";
import { pollUntil } from "../../lib/time/poll-until.ts";
import { setAdminAway } from "../telemetry/admin-away.ts";
import { COLUMN } from "../telemetry/metrics/layout.ts";
import { TRANSPORTS } from "../telemetry/metrics/metrics.ts";
import { isDeepStrictEqual } from "node:util";
import { messageOf } from "../../lib/caught.ts";
import { type Config } from "../config/config.ts";
import { OptionalKeeper } from "../acme/optional-keeper.ts";
import { type Issued } from "../acme/issued.ts";
import { openConfiguredCertificates } from "../../store/open/configured-store.ts";
import { CertificateWatch } from "./check/certificate-expiry.ts";
import { readPair } from "../wire/read-certificates.ts";
import { readAcme } from "./listeners/certificates.ts";
import { type Gateway, type GatewayOptions } from "./gateway/gateway-interface.ts";
import { type BoundListener } from "./listeners/listener-plan.ts";
import { probeQuic } from "./listeners/quic-listeners.ts";
import { firstShare, retry, type Share, shareOf } from "./gateway/take-over.ts";
import { type OnEvent } from "../telemetry/event.ts";
import { type UsageKeeper } from "../admin/usage/usage-keeper.ts";
import { OptionalRefunds } from "../policy/payment/refunds/optional-refunds.ts";
import type * as Usage from "./usage-keeping.ts";
import type * as Credit from "./credit-keeping.ts";

/** The other gateway of a take-over. */
interface Progress {
  /** Resolves when it serves all that was released. */
  readonly served: Promise<void>;
  /** Resolves when it has ended without its operator's will. */
  readonly lost: Promise<void>;
}

/** The settings of a gateway with an admin interface. */
export interface AdministeredOptions extends Omit<GatewayOptions, "config" | "events"> {
  /** The gateway runs in one process, whatever the configuration says. */
  readonly isSingle?: true;
  /** The Unix socket of this program's content service; left out without one. */
  readonly contentSocket?: string;
  /** Called with the URL of the admin interface when that has changed; undefined: it is off. Never throws. */
  readonly onAdminMoved?: (url: string | undefined) => void;
}

/** The log of a server: repeated lines are counted, and `events` has the same lines as `print`. */
function countingLog(print: (line: string) => void, events: EventLog): GatewayOptions["log"] {
  const lines = new RepeatedLines((text, repeats) => {
    const line = countedLine(text, repeats);
    print(line);
    events.addLine(line, repeats.worker);
  });
  return (text, count, worker) => lines.add(text, count, worker);
}

/** Loaded with the admin interface (bench start). */
const overviews = (): typeof Overviews => require("../admin/overview/overview.ts");

/** Loaded as `overviews` is. */
const usageKeeping = (): typeof Usage => require("./usage-keeping.ts");

/** Loaded as `overviews` is. */
const creditKeeping = (): typeof Credit => require("./credit-keeping.ts");

/** Milliseconds between two figures of the last hour. @bound */
const RECORD_MS = 10_000;

/** Milliseconds between two looks for open connections of a gateway that is replaced. */
const DRAINED_MS = 20;

/** Milliseconds that a start waits for the first certificates. */
const FIRST_CERTIFICATES_MS = 10_000;

/** Starts a gateway by a configuration without problems. Rejects if that fails; then nothing stays bound. */
export async function startAdministered(
  opened: OpenedConfig,
  given: AdministeredOptions,
): Promise<AdministeredGateway> {
  const { config } = opened.loaded;
  if (config === undefined) throw new Error("Cannot start: the configuration has problems");
  const events = new EventLog();
  const options = { ...given, log: countingLog(given.log, events) };
  const { log } = options;
  const admin = createAdmin(events, log);
  const audit = new AuditFile(events, log);
  const keeper = createKeeper(config.postgres, options, events);
  try {
    await audit.use(auditPath(config));
    // The admin port is bound before there are workers, so that a port in use fails early. The interface responds 503
    // until all is ready.
    const share = firstShare(config, options.takesOver);
    const started = shareOf(config, share);
    await admin.prepare(started);
    admin.commit(started);
    const workers = options.isSingle === true ? 1 : config.server.workers || cpus().length;
    const isSingle = options.isSingle === true || config.server.workers === 1;
    const settings = readAcme(config, process.env);
    const issued = await keeper.prepare(settings);
    const gateway = await (await starter(isSingle))({
      ...options,
      config: started,
      issued,
      events,
      awaitsAdmin: config.admin.enabled,
    });
    const { onAdminMoved = ignore } = options;
    if (issued !== undefined) keeper.use(settings, issued, gateway);
    const later = createdLater(gateway, options, config.postgres);
    const parts = { opened, gateway, admin, events, audit, ...later, workers, keeper, onAdminMoved };
    const administered = new AdministeredGateway({ ...parts, config, share, log });
    // Clients that learn of the listeners afterwards find certificates, if the directory is fast. The gateway is ready
    // meanwhile, because a directory may reach it through a balancer that asks.
    if (issued !== undefined) await keeper.attempted(FIRST_CERTIFICATES_MS);
    return administered;
  } catch (error) {
    await keeper.close();
    await admin.close();
    await audit.close();
    throw error;
  }
}

// The functions below are outside `startAdministered`: functions made in it would keep the configuration at the start in
// memory.

function ignore(): void {}

function createAdmin(events: EventLog, log: (message: string) => void): OptionalAdmin {
  return new OptionalAdmin({
    environment: process.env,
    readCertificate: ({ cert_path, key_path }) => readPair({ cert_path, key_path }),
    onEvent: (event) => events.add(event),
    onError: (error) =>
      log(`internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`),
  });
}

function createdLater(
  { figures }: Gateway,
  { storePath, log, contentSocket }: AdministeredOptions,
  postgres: Config["postgres"],
): Pick<Deps, "createUsage" | "createOverview" | "openCredits"> {
  const facts = { startedAtMs: Date.now(), contentSocket };
  return {
    createUsage: () => usageKeeping().createUsageKeeper({ figures, storePath, postgres, log }),
    createOverview: () => overviews().createOverview(figures, facts),
    openCredits: () => creditKeeping().openCredits({ figures, storePath, postgres }),
  };
}

function createKeeper(
  postgres: Config["postgres"],
  { storePath, log }: AdministeredOptions,
  events: EventLog,
): OptionalKeeper {
  return new OptionalKeeper({
    open() {
      if (storePath === ":memory:" && (postgres.url ?? "") === "") {
        throw new Error("Cannot get certificates by tls.acme: there is no folder for them; set state_path");
      }
      return openConfiguredCertificates(postgres, storePath);
    },
    clock: Date.now,
    random: Math.random,
    log,
    onEvent: (event) => events.add(event),
  });
}

/** A supervisor does not serve, a single process does not supervise: each loads its own modules (bench start). */
async function starter(isSingle: boolean): Promise<(options: GatewayOptions) => Promise<Gateway>> {
  return isSingle
    ? (await import("./gateway/gateway.ts")).startGateway
    : (await import("./workers/supervisor.ts")).superviseGateway;
}

interface Deps {
  readonly opened: OpenedConfig;
  readonly gateway: Gateway;
  readonly admin: OptionalAdmin;
  readonly events: EventLog;
  readonly audit: AuditFile;
  readonly createOverview: () => Overviews.Overview;
  readonly workers: number;
  readonly createUsage: () => UsageKeeper;
  readonly openCredits: () => Credit.OpenCredits;
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
  readonly #deps: Omit<Deps, "opened" | "config" | "share">;
  /** Both are created with the admin interface. */
  #usage: UsageKeeper | undefined;
  #credits: Credit.OpenCredits | undefined;
  #overview: Overviews.Overview | undefined;
  readonly #certificates: CertificateWatch;
  readonly #refunds: OptionalRefunds;
  readonly #endWatch: () => void;
  readonly #recorder: NodeJS.Timeout;
  readonly #requests: RequestLog;
  #share: Share;
  /** The configuration that was applied last; `#share` of it is served. */
  #applied: Config;
  /** Settles when the configuration that is being applied is in place. */
  #turn: Promise<unknown> = Promise.resolve();
  #closing = false;
  #closed: Promise<void> | undefined;
  /** Another gateway takes over. */
  #releasing = false;

  constructor({ opened, config, share, ...deps }: Deps) {
    const { gateway, admin, events, keeper, workers, log } = deps;
    const { seller, counts } = gateway;
    const onEvent: OnEvent = (event) => events.add(event);
    this.#refunds = new OptionalRefunds(config, { ...seller, counts, log, onEvent, clock: Date.now });
    this.#deps = deps;
    this.events = events;
    this.#share = share;
    this.#applied = config;
    const pairs = (): Issued["pairs"] => keeper.pairs;
    this.#certificates = new CertificateWatch({ clock: Date.now, log, counts: gateway.counts, issued: pairs });
    this.#certificates.use(config);
    this.config = new LiveConfig({
      opened,
      apply: (next) => this.#inTurn(() => this.#applyNext(next)),
      // Loaded with the first change (bench start).
      checkMaterial: async (next, since) => (await import("./check/check-material.ts")).checkMaterial(next, since),
      countReload: (success) => gateway.counts.add("reloads", 1, success ? "success" : "failure"),
      onEvent: (event) => events.add(event),
    });
    this.#endWatch = watchFile(this.config, (event) => events.add(event));
    this.#requests = new RequestLog((filters, receive) => gateway.watchRequests(filters, receive));
    const parts = this.#adminParts();
    admin.serve(parts);
    this.#recorder = setInterval(() => this.adminUrl !== undefined && parts.overview.record(), RECORD_MS).unref();
    this.#tellAdmin();
    const message = `the gateway has started with ${workers} ${workers === 1 ? "worker" : "workers"}`;
    events.add({ kind: "worker", message });
    this.#keepUsage();
  }

  #adminParts(): AdminParts {
    const { gateway, events, workers, createUsage, createOverview, openCredits } = this.#deps;
    const usage = (): UsageKeeper => (this.#usage ??= createUsage());
    const overview = (): Overviews.Overview => (this.#overview ??= createOverview());
    return {
      config: this.config,
      view: viewOf(gateway, workers, this.#certificates),
      events,
      tenants: gateway.tenantDirectory,
      requests: this.#requests,
      ledger: () => gateway.figures.ledger(),
      credits: () => (this.#credits ??= openCredits()).credits,
      refunds: this.#refunds,
      get usage() {
        return usage();
      },
      get overview() {
        return overview();
      },
    };
  }

  /** The endpoints that clients connect to. */
  get listeners(): readonly BoundListener[] {
    return this.#deps.gateway.listeners;
  }

  /** The URL of the admin interface; undefined if it is off. */
  get adminUrl(): string | undefined {
    return this.#deps.admin.url;
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
      await this.#inTurn(() => this.#serveShare("none"));
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
      await retry(() => this.#inTurn(() => this.#widen(share, isClosing)), { isClosing, failed });
    }
    return !isClosing();
  }

  /** Open connections of clients. */
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
    await this.#deps.keeper.close();
    await this.#refunds.close();
    await this.#deps.gateway.close(graceMs);
    await this.#usage?.close();
    await this.#credits?.close();
    this.events.close();
    this.#requests.close();
    await this.#deps.admin.close();
    await this.#deps.audit.close();
  }

  /** Applies one configuration at a time, because two would mix. */
  #inTurn(apply: () => Promise<void>): Promise<void> {
    const next = this.#turn.then(apply);
    this.#turn = next.catch(() => {});
    return next;
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
      if (issued !== undefined) this.#deps.keeper.use(settings, issued, this.#deps.gateway);
    } catch (error) {
      this.#deps.admin.rollback();
      await this.#deps.audit.use(before);
      throw error;
    }
    const url = this.adminUrl;
    this.#deps.admin.commit(config);
    if (this.adminUrl !== url) this.#deps.onAdminMoved(this.adminUrl);
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
    if (this.adminUrl !== undefined) (this.#usage ??= this.#deps.createUsage()).start();
  }
}

/** Empty if there is no audit log. */
function auditPath({ admin }: Config): string {
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
