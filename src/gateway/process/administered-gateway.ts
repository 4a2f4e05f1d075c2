import { OptionalAdmin } from "../admin/optional-admin.ts";
import { AuditFile } from "../admin/events/audit-file.ts";
import { EventLog } from "../admin/events/event-log.ts";
import { createOverview, type Overview } from "../admin/overview/overview.ts";
import { type AdminParts, type GatewayView } from "../admin/parts.ts";
import { type OpenedConfig } from "../admin/running-config/config-source.ts";
import { LiveConfig } from "../admin/running-config/live-config.ts";
import { type RunningConfig } from "../admin/running-config/running-config.ts";
import { watchFile } from "../admin/running-config/watch-file.ts";
import { cpus } from "node:os";
import { isDeepStrictEqual } from "node:util";
import { messageOf } from "../../lib/caught.ts";
import { type Config } from "../config/config.ts";
import { CertificateKeeper } from "../acme/keeper.ts";
import { openConfiguredCertificates } from "../../store/configured-store.ts";
import { readAcme, readPair } from "./certificates.ts";
import { type Gateway, type GatewayOptions, withEvents } from "./gateway-interface.ts";
import { type BoundListener } from "./listener-plan.ts";
import { probeQuic } from "./quic-listeners.ts";
import { checkTakeOver, retry, type Share, shareOf } from "./take-over.ts";
import { type UsageKeeper } from "../admin/usage/usage-keeper.ts";
import { createUsageKeeper } from "./usage-keeping.ts";

/** A gateway, in one process or several, that operators change while it runs. */
export interface AdministeredGateway {
  /** Where clients connect to. */
  readonly listeners: readonly BoundListener[];
  readonly config: RunningConfig;
  /** What has happened, and the lines of the log. */
  readonly events: EventLog;
  /** Where the admin interface is; undefined where it is off. */
  readonly adminUrl: string | undefined;
  /** Opens the logs by their names again. */
  reopenLogs(): Promise<void>;
  /**
   * For a gateway that was started with `takesOver`, when the one before has been told: serves the admin interface and HTTP/3 as well
   * as soon as that one has let go of their ports. Never rejects.
   * False: it was closed before.
   */
  takeRest(): Promise<boolean>;
  /** Lets what is in flight end within `graceMs`; then closes the admin interface too. */
  close(graceMs: number): Promise<void>;
  /** Another gateway takes over: as `close`, but the admin interface takes no connection any more from the start. */
  handOver(graceMs: number): Promise<void>;
}

export interface AdministeredOptions extends Omit<GatewayOptions, "config" | "events"> {
  /** It is one process, whatever the configuration says. */
  readonly isSingle?: true;
  /** The Unix socket of the content service that belongs to this program; left out: none does. */
  readonly contentSocket?: string;
  /** Told where the admin interface is when that has changed; undefined: it is off. Never throws. */
  readonly onAdminMoved?: (url: string | undefined) => void;
}

/** Milliseconds that a start waits for the first certificates. */
const FIRST_CERTIFICATES_MS = 10_000;

/** Starts a gateway by a configuration without problems. Rejects, with nothing left bound, where it cannot. */
export async function startAdministered(
  opened: OpenedConfig,
  options: AdministeredOptions,
): Promise<AdministeredGateway> {
  const { config } = opened.loaded;
  if (config === undefined) throw new Error("Cannot start: the configuration has problems");
  const events = new EventLog();
  const admin = new OptionalAdmin({
    environment: process.env,
    readCertificate: ({ cert_path, key_path }) => readPair({ cert_path, key_path }),
    onEvent: (event) => events.add(event),
    onFault: (error) =>
      options.log(`fault: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`),
  });
  const audit = new AuditFile(events, (message) => {
    options.log(message);
    events.addLine(message);
  });
  const keeper = createKeeper(config, options, events);
  try {
    await audit.use(auditPath(config));
    // Before there are workers, so that a port which is taken costs nothing; until all is there it answers 503.
    const share: Share = options.takesOver === true ? "tcp" : "all";
    if (share === "tcp") checkTakeOver(config);
    const started = shareOf(config, share);
    await admin.prepare(started);
    admin.commit(started);
    const workers = options.isSingle === true ? 1 : config.server.workers || cpus().length;
    const isSingle = options.isSingle === true || config.server.workers === 1;
    const settings = readAcme(config);
    const issued = await keeper.prepare(settings);
    const gateway = await (await starter(isSingle))({ ...options, config: started, issued, events });
    const { storePath } = options;
    const { log } = withEvents({ ...options, config, events });
    const usage = createUsageKeeper({ figures: gateway.figures, storePath, postgres: config.postgres, log });
    const overview = createOverview(gateway.figures, { startedAtMs: Date.now(), contentSocket: options.contentSocket });
    const onAdminMoved = options.onAdminMoved ?? ((): void => {});
    if (issued !== undefined) {
      keeper.use(settings, issued, gateway);
      // Then clients that are told of the listeners find certificates, if the directory is quick.
      await keeper.attempted(FIRST_CERTIFICATES_MS);
    }
    const parts = { opened, gateway, admin, events, audit, overview, workers, usage, keeper, onAdminMoved };
    return new Administered({ ...parts, config, share, log });
  } catch (error) {
    await keeper.close();
    await admin.close();
    await audit.close();
    throw error;
  }
}

function createKeeper(config: Config, options: AdministeredOptions, events: EventLog): CertificateKeeper {
  const { storePath } = options;
  return new CertificateKeeper({
    open() {
      if (storePath === ":memory:" && (config.postgres.url ?? "") === "") {
        throw new Error("Cannot get certificates by tls.acme: there is no place to keep them; set state_path");
      }
      return openConfiguredCertificates(config.postgres, storePath);
    },
    clock: Date.now,
    random: Math.random,
    log: withEvents({ ...options, config, events }).log,
    onEvent: (event) => events.add(event),
  });
}

/** A supervisor serves nothing, and a single process supervises none: each loads its own half (bench start). */
async function starter(isSingle: boolean): Promise<(options: GatewayOptions) => Promise<Gateway>> {
  return isSingle ? (await import("./gateway.ts")).startGateway : (await import("./supervisor.ts")).superviseGateway;
}

interface Deps {
  readonly opened: OpenedConfig;
  readonly gateway: Gateway;
  readonly admin: OptionalAdmin;
  readonly events: EventLog;
  readonly audit: AuditFile;
  readonly overview: Overview;
  readonly workers: number;
  readonly usage: UsageKeeper;
  readonly keeper: CertificateKeeper;
  readonly onAdminMoved: (url: string | undefined) => void;
  /** What it was started with, and how much of that it serves. */
  readonly config: Config;
  readonly share: Share;
  readonly log: (message: string) => void;
}

class Administered implements AdministeredGateway {
  readonly config: RunningConfig;
  readonly events: EventLog;
  readonly #gateway: Gateway;
  readonly #admin: OptionalAdmin;
  readonly #audit: AuditFile;
  readonly #usage: UsageKeeper;
  readonly #keeper: CertificateKeeper;
  readonly #endWatch: () => void;
  readonly #onAdminMoved: (url: string | undefined) => void;
  readonly #log: (message: string) => void;
  #share: Share;
  /** The configuration that was applied last, of which the share is served. */
  #applied: Config;
  /** Settles when the configuration that is being applied is. */
  #turn: Promise<unknown> = Promise.resolve();
  #closing = false;

  constructor(deps: Deps) {
    const {
      opened,
      gateway,
      admin,
      events,
      audit,
      overview,
      workers,
      usage,
      keeper,
      onAdminMoved,
      config,
      share,
      log,
    } = deps;
    this.#keeper = keeper;
    this.#share = share;
    this.#applied = config;
    this.#log = log;
    this.#onAdminMoved = onAdminMoved;
    this.#gateway = gateway;
    this.#audit = audit;
    this.#usage = usage;
    this.events = events;
    this.#admin = admin;
    this.config = new LiveConfig({
      opened,
      apply: (next) => this.#inTurn(() => this.#apply(next, this.#share)),
      countReload: (success) => gateway.countReload(success),
      onEvent: (event) => events.add(event),
    });
    this.#endWatch = watchFile(this.config, (event) => events.add(event));
    const parts: AdminParts = {
      config: this.config,
      view: viewOf(gateway, workers),
      events,
      tenants: gateway.tenantDirectory,
      usage,
      overview,
    };
    admin.serve(parts);
    events.add({
      kind: "worker",
      message: `the gateway has started with ${workers} ${workers === 1 ? "worker" : "workers"}`,
    });
    this.#keepUsage();
  }

  get listeners(): readonly BoundListener[] {
    return this.#gateway.listeners;
  }

  get adminUrl(): string | undefined {
    return this.#admin.url;
  }

  async reopenLogs(): Promise<void> {
    await Promise.all([this.#gateway.reopenLogs(), this.#audit.reopen()]);
  }

  async takeRest(): Promise<boolean> {
    const failed = (error: unknown): void =>
      this.#log(`${messageOf(error)}; tries again until the old gateway has ended`);
    const isClosing = (): boolean => this.#closing;
    for (const share of ["admin", "all"] as const) {
      await retry(() => this.#inTurn(() => this.#widen(share)), { isClosing, failed });
    }
    return !this.#closing;
  }

  async handOver(graceMs: number): Promise<void> {
    // Streams of events last until the gateway has ended: what matters now is that the port is free.
    const closed = this.#admin.close();
    await this.close(graceMs);
    await closed;
  }

  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    this.events.add({ kind: "worker", message: "the gateway stops" });
    this.#endWatch();
    await this.#keeper.close();
    await this.#gateway.close(graceMs);
    await this.#usage.close();
    this.events.close();
    await this.#admin.close();
    await this.#audit.close();
  }

  /** Two configurations at a time would mix. */
  #inTurn(apply: () => Promise<void>): Promise<void> {
    const next = this.#turn.then(apply);
    this.#turn = next.catch(() => {});
    return next;
  }

  async #widen(share: Share): Promise<void> {
    const { before, after } = { before: shareOf(this.#applied, this.#share), after: shareOf(this.#applied, share) };
    if (!isDeepStrictEqual(before, after)) {
      if (share === "all") await probeQuic(after, this.listeners);
      await this.#apply(this.#applied, share);
    }
    this.#share = share;
  }

  /** Everything serves by its share of a configuration, or nothing does. */
  async #apply(whole: Config, share: Share): Promise<void> {
    const config = shareOf(whole, share);
    await this.#admin.prepare(config);
    const before = this.#audit.path;
    try {
      await this.#audit.use(auditPath(config));
      const settings = readAcme(config);
      const issued = await this.#keeper.prepare(settings);
      // Listeners that the configuration adds need something to show.
      if (issued !== undefined) await this.#gateway.certify(issued);
      await this.#gateway.reload(config);
      if (issued !== undefined) this.#keeper.use(settings, issued, this.#gateway);
    } catch (error) {
      this.#admin.rollback();
      await this.#audit.use(before);
      throw error;
    }
    const url = this.adminUrl;
    this.#admin.commit(config);
    if (this.adminUrl !== url) this.#onAdminMoved(this.adminUrl);
    this.#applied = whole;
    this.#keepUsage();
  }

  /** Where there is no admin interface nobody can ask for the usage: then it is not worth a file. */
  #keepUsage(): void {
    if (this.adminUrl !== undefined) this.#usage.start();
  }
}

/** Empty: there is none. */
function auditPath({ admin }: Config): string {
  return admin.enabled ? admin.audit_log : "";
}

function viewOf(gateway: Gateway, workers: number): GatewayView {
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
    drain: (server, isDrained, by) => gateway.drain(server, isDrained, by),
  };
}
