import { TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { type TenantDirectory } from "../../admin/operations/parts.ts";
import { type Config } from "../../config/config.ts";
import { WorkerControl } from "../../filters/control/worker-control.ts";
import { routeBodyLimit, serve } from "../../pipeline/pipeline.ts";
import { type WatchedBatch, type WatchFilter } from "../../telemetry/request-watch.ts";
import { type MetricsPage } from "../../telemetry/telemetry.ts";
import { createTenants } from "../../tenants/provide-tenants.ts";
import { type Tenants } from "../../tenants/tenant-route.ts";
import { Directory } from "../../upstream/directory/directory.ts";
import { type Membership } from "../../upstream/member.ts";
import { type Actor, type NewEvent } from "../../telemetry/event.ts";
import { handshakeReply, httpResponse } from "../../acme/challenges.ts";
import { type Issued, NOTHING_ISSUED, type ReadTls } from "../../acme/issued.ts";
import { isAdminAway, setAdminAway } from "../../telemetry/admin-away.ts";
import { type Counts } from "../../telemetry/metrics/counts.ts";
import { readTlsMaterial } from "../listeners/certificates.ts";
import { type ConnectionLimiter } from "../connections/connection-limiter.ts";
import { compile, type Compiled, type ProcessDeps } from "../compile/compile.ts";
import { fileRoom } from "../connections/descriptor-limit.ts";
import { drainServer, GatewayFigures, type ServerName } from "./gateway-figures.ts";
import { type GatewayOptions, type GatewayProcess, type Seller, STOPPING } from "./gateway-interface.ts";
import { ListenerSet, type ReadCertificates } from "./listener-set.ts";
import { LedgerUpkeep } from "../../policy/payment/maintenance/ledger-upkeep.ts";
import { withBreakerEvents } from "../../policy/payment/maintenance/payment-events.ts";
import { type ListenerShared } from "../listeners/connection-hosts.ts";
import { bindBesideQuic, QuicListeners, readQuicMaterial } from "../listeners/quic-listeners.ts";
import { type BoundListener, listenersOf, endpointOf, probeListeners, urlOf } from "../listeners/listener-plan.ts";
import { WorkerFilters } from "../../filters/worker-filters.ts";
import { OwnFacilitator } from "../facilitators/own-facilitator.ts";
import { ProcessFacilitators } from "../facilitators/process-facilitators.ts";
import { Resources } from "./resources.ts";
import { ownTenants } from "./tenant-directory.ts";
import { dialSettingsOf } from "../../upstream/upstreams.ts";
import { WorkerStore } from "./worker-store.ts";
import { Turns } from "../../../lib/process/turns.ts";
import { endEvent } from "../../../lib/time/event-clock.ts";

/** Binds the configured listeners and serves. Rejects if that fails; then nothing stays bound. */
export async function startGateway(options: GatewayOptions): Promise<GatewayProcess> {
  const gateway = new RunningGateway(options);
  await gateway.start(options.config);
  return gateway;
}

class RunningGateway implements GatewayProcess {
  /** Without the configuration at the start, which would stay in memory after reloads. */
  readonly #options: Omit<GatewayOptions, "config">;
  readonly #wheel = new TimerWheel(undefined, (error) => this.#report(error));
  readonly #own: Resources;
  /** Undefined if another process keeps the directory. */
  readonly #directory: Directory | undefined;
  readonly #facilitators: ProcessFacilitators;
  readonly #limiter: ConnectionLimiter;
  readonly #quic: QuicListeners;
  readonly #listeners: ListenerSet;
  readonly tenants: Tenants;
  readonly #control: WorkerControl;
  readonly #filters: WorkerFilters;
  /** Settles when the last change is complete. */
  readonly #turns = new Turns();
  #config: Config;
  readonly #store: WorkerStore;
  readonly #ledger: LedgerUpkeep;
  #compiled: Compiled | undefined;
  /** All configured ports are bound. */
  #isUp = false;
  #draining = false;

  constructor({ config, ...options }: GatewayOptions) {
    this.#options = options;
    this.#config = config;
    this.#own = new Resources(config, options.slot, {
      log: options.log,
      onEvent: (event) => this.#tell(event),
      onError: (error) => this.#report(error),
    });
    if (options.awaitsAdmin === true) setAdminAway(this.#own.zone, true);
    this.#store = new WorkerStore(options, this.#own.responses);
    this.#ledger = new LedgerUpkeep({
      store: () => this.#store.opened,
      counts: this.counts,
      log: options.log,
      onEvent: (event) => this.#tell(event),
    });
    this.#directory = options.members === undefined ? this.#createDirectory() : undefined;
    this.#facilitators = this.#createFacilitators(config);
    this.#limiter = this.#own.connectionLimiter(this.#wheel, () => this.#ready().connectionLimits);
    const shared = {
      settings: () => this.#ready().settings,
      draining: () => this.#draining,
      wheel: this.#wheel,
      buffers: this.#own.buffers,
      limiter: this.#limiter,
      counts: this.counts,
      bodyLimit: (head) => routeBodyLimit(this.#ready().pipeline, head),
      handle: (exchange) => serve(this.#ready().pipeline, exchange),
      handleReserved: (exchange) => serve(this.#ready().pipeline, exchange, "reserved"),
      handleMisdirected: (exchange) => serve(this.#ready().pipeline, exchange, "misdirected"),
      refused: (request) => this.#ready().pipeline.observer.refused(request),
      onError: (error) => this.#report(error),
      challengePair: (hostname) => handshakeReply(this.#listeners.issued.challenges, hostname),
    } satisfies ListenerShared;
    this.#control = this.#createControl();
    this.#filters = new WorkerFilters({
      config,
      slot: options.slot,
      log: options.log,
      telemetry: this.#own.telemetry,
      bodies: this.#own.bodies,
      wheel: this.#wheel,
      control: () => this.#control.link,
      onError: (error) => this.#report(error),
    });
    this.#quic = new QuicListeners(shared, this.#own.telemetry.quic, options.reusePort, options.onEndpoints);
    this.#listeners = new ListenerSet(shared, this.#quic, options.issued ?? NOTHING_ISSUED);
    this.tenants = createTenants(config, {
      wheel: this.#wheel,
      buffers: this.#own.buffers,
      telemetry: this.#own.telemetry,
      onError: (error) => this.#report(error),
    });
  }

  get listeners(): readonly BoundListener[] {
    return this.#listeners.endpoints;
  }

  get connections(): number {
    return this.#listeners.connections;
  }

  async start(config: Config): Promise<void> {
    const { material, reusePort, takesOver } = this.#options;
    try {
      this.#listeners.prepare(config, {
        tls: material ?? readTlsMaterial(config),
        quic: readQuicMaterial(config),
      });
      const members = await this.#membersOf(config, this.#options.members);
      if (!reusePort && takesOver === undefined) probeListeners(config);
      const plans = listenersOf(config);
      // Clients are served as soon as they connect, so everything else is ready before the ports are bound. Port 0 is
      // the exception: it is bound first, because the kernel chooses the number then.
      const early = plans.some(({ port }) => port === 0);
      await this.#facilitators.prepare(config);
      this.#control.use(config);
      if (early) await bindBesideQuic(config, () => this.#listeners.bind(plans));
      const endpoints = early ? this.listeners : plans.map(endpointOf);
      this.#compiled = await compile(config, this.#deps(config, endpoints, members));
      await this.#store.ready();
      this.#compiled.held.use();
      if (!early) await this.#listeners.bind(plans);
      await this.#listeners.serveQuic();
      this.#isUp = true;
      this.#directory?.commit();
      await this.#facilitators.commit(config);
    } catch (error) {
      await this.close(0);
      throw error;
    }
  }

  reload(config: Config, material?: ReadTls, given?: Membership): Promise<void> {
    return this.#turns.run(() => this.#reload(config, material, given));
  }

  async #reload(config: Config, material = readTlsMaterial(config), given?: Membership): Promise<void> {
    this.#refuseWhileStopping();
    const read = { tls: material, quic: readQuicMaterial(config) };
    const members = await this.#membersOf(config, given);
    try {
      await this.#facilitators.prepare(config);
      await this.#replace(config, members, read);
      this.#directory?.commit();
      await this.#facilitators.commit(config);
    } catch (error) {
      this.#directory?.rollback();
      await this.#facilitators.rollback();
      throw error;
    }
  }

  setMembers(members: Membership): void {
    this.#compiled?.upstreams.setMembers(members);
  }

  async #replace(config: Config, members: Membership, read: ReadCertificates): Promise<void> {
    this.#refuseWhileStopping();
    const listeners = await this.#listeners.change(config, read);
    let next: Compiled | undefined;
    try {
      next = await compile(config, this.#deps(config, listeners.endpoints, members), this.#compiled);
      await this.#store.opened?.ready();
      this.#refuseWhileStopping();
      await listeners.serveQuic();
      // The last step that can fail, because it cannot be undone: listeners do not keep their old certificates.
      listeners.commit();
      const previous = this.#compiled;
      this.#compiled = next;
      this.#config = config;
      this.#own.reload(config);
      next.held.use();
      this.#control.use(config);
      previous?.held.close(next.held);
    } catch (error) {
      if (next !== this.#compiled) next?.held.close(this.#compiled?.held);
      await listeners.rollback();
      throw error;
    }
    listeners.closeOthers();
  }

  certify(issued: Issued): Promise<void> {
    return this.#turns.run(() => this.#listeners.certify(issued, this.#draining));
  }

  get counts(): Counts {
    return this.#own.telemetry.counts;
  }

  /** Throws if the gateway is stopping: no code would close a port that is opened now. */
  #refuseWhileStopping(): void {
    if (this.#draining) throw new Error(STOPPING);
  }

  async reopenLogs(): Promise<void> {
    for (const message of await this.#own.logFiles.reopen()) {
      this.#options.log(message);
      this.#tell({ kind: "log_file", message });
    }
  }

  watchRequests(filters: readonly WatchFilter[], receive: (batch: WatchedBatch) => void): void {
    this.#own.telemetry.requests.watch(filters, receive);
  }

  get closedRoutes(): readonly string[] {
    return this.#filters.closed;
  }

  metrics(): MetricsPage {
    this.#quic.tell();
    const { text, contentType } = this.#own.metrics(this.#compiled?.upstreams.servers ?? []);
    return { text: text + (this.#options.otherMetrics?.() ?? ""), contentType };
  }

  get figures(): GatewayFigures {
    return new GatewayFigures({
      zone: this.#own.zone,
      directory: this.#directory,
      ledger: () => this.#store.opened?.view,
      store: () => this.#store.open(this.#store.config ?? this.#config.postgres),
    });
  }

  get seller(): Seller {
    return { store: () => this.#store.opened, facilitators: this.#facilitators.all };
  }

  get tenantDirectory(): TenantDirectory {
    return ownTenants(this.tenants.warm);
  }

  drain(server: ServerName, drained: boolean, by: Actor): boolean {
    return drainServer(this.#directory, { server, drained, by }, (event) => this.#tell(event));
  }

  async close(graceMs: number): Promise<void> {
    const end = this.#wheel.now() + graceMs;
    this.#draining = true;
    this.#directory?.close();
    await this.#listeners.close(graceMs);
    this.#limiter.close();
    // Closed before the store and the facilitators that it uses.
    await this.#ledger.close(end - this.#wheel.now());
    this.#compiled?.held.close();
    this.tenants.warm.close();
    this.#control.close();
    await this.#facilitators.close(end - this.#wheel.now());
    // After the settlements that were under way, because they have spans of their own.
    await this.#own.tracers.flush();
    this.#wheel.close();
    this.#own.rateLimits.close();
    await this.#own.logFiles.close();
    await this.#own.responses.close();
    await this.#ledger.lateWrites.close(end - this.#wheel.now());
    await this.#store.close();
  }

  #createDirectory(): Directory {
    const { buffers, states } = this.#own;
    return new Directory({
      wheel: this.#wheel,
      buffers,
      states,
      log: this.#options.log,
      onEvent: this.#options.events === undefined ? undefined : (event) => this.#tell(event),
      onError: (error) => this.#report(error),
      dialSettings: dialSettingsOf,
      onChange: (upstream, members) => this.setMembers({ [upstream]: members }),
    });
  }

  #createControl(): WorkerControl {
    const { slot, control: shared, log } = this.#options;
    return new WorkerControl({
      index: slot === undefined ? 0 : slot.row - 1,
      shared,
      log,
      onEvent: (event) => this.#tell(event),
      onChange: () => {
        const { link } = this.#control;
        this.counts.set("controlConfigured", link === undefined ? 0 : 1);
        this.counts.set("controlReady", link?.isReady === true ? 1 : 0);
      },
    });
  }

  #createFacilitators({ postgres }: Config): ProcessFacilitators {
    const { facilitatorSocket: socket, log } = this.#options;
    return new ProcessFacilitators({
      embedded: socket === undefined ? { own: new OwnFacilitator() } : { socket },
      simulatedTransfers: () => this.#store.open(postgres).simulatedTransfers,
      counts: this.counts,
      observer: withBreakerEvents(this.counts, (event) => this.#tell(event), this.#options.log),
      log,
    });
  }

  /** The servers of a configuration that is about to be served. A commit or a rollback of the directory must follow. */
  async #membersOf(config: Config, given: Membership | undefined): Promise<Membership> {
    return given ?? (await this.#directory?.prepare(config)) ?? {};
  }

  /** Upstreams outlive a configuration, and its functions with them: none may refer to the whole of it. */
  #deps({ postgres }: Config, listeners: readonly BoundListener[], members: Membership): ProcessDeps {
    const [first] = listeners;
    return {
      wheel: this.#wheel,
      buffers: this.#own.buffers,
      telemetry: this.#own.telemetry,
      states: this.#own.states,
      members,
      state: {
        ready: () => this.#isUp && !this.#draining && !isAdminAway(this.#own.zone),
        metrics: () => this.metrics(),
        challenge: (token) => httpResponse(this.#listeners.issued.challenges, token),
      },
      bodies: this.#own.bodies,
      spool: this.#own.spool,
      responses: this.#own.responses.store,
      logFiles: this.#own.logFiles,
      rateLimits: this.#own.rateLimits,
      workerFilters: this.#filters,
      tenants: this.tenants,
      tracers: this.#own.tracers,
      store: () => this.#store.open(postgres),
      ledger: this.#ledger,
      draining: () => this.#draining,
      facilitators: this.#facilitators.all,
      clock: Date.now,
      log: this.#options.log,
      onEvent: (event) => this.#tell(event),
      onError: (error) => this.#report(error),
      baseUrl: first === undefined ? "" : urlOf(first),
      contentUpstream: this.#options.contentUpstream,
      maxOpenFiles: fileRoom(),
      listeners,
    };
  }

  #ready(): Compiled {
    if (this.#compiled === undefined) throw new Error("Cannot serve: the gateway is not started");
    return this.#compiled;
  }

  #tell(event: NewEvent): void {
    this.#options.events?.add(event);
  }

  #report(error: unknown): void {
    // The code that threw did not reach the end of its event.
    endEvent();
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#options.log(`internal error: ${text}`);
  }
}
