import { pickVariables } from "../../../lib/process/child-environment.ts";
import { workerVariables } from "./worker-variables.ts";
import { cpus } from "node:os";
import { BufferPool } from "../../../lib/memory/buffer-pool.ts";
import { messageOf } from "../../../lib/caught.ts";
import { TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { type Issued, NOTHING_ISSUED } from "../../acme/issued.ts";
import { type Config } from "../../config/config.ts";
import { readTlsMaterial } from "../listeners/certificates.ts";
import { drainServer, GatewayFigures, type ServerName } from "../gateway/gateway-figures.ts";
import { type Gateway, type GatewayOptions, type Seller, STOPPING } from "../gateway/gateway-interface.ts";
import { type Actor, type EventDetails, type NewEvent } from "../../telemetry/event.ts";
import { setAdminAway } from "../../telemetry/admin-away.ts";
import { type Counts } from "../../telemetry/metrics/counts.ts";
import { type WatchedBatch, type WatchFilter } from "../../telemetry/request-watch.ts";
import { SUPERVISOR_ROW } from "../../telemetry/metrics/layout.ts";
import { type MetricsPage, metricsPage, SupervisorTelemetry } from "../../telemetry/telemetry.ts";
import { ControlSocket } from "../../filters/control/control-socket.ts";
import { sharedControl } from "../../filters/control/control-settings.ts";
import { Directory } from "../../upstream/directory/directory.ts";
import { type Member } from "../../upstream/member.ts";
import { ServerStates } from "../../upstream/outlier-detection.ts";
import { HeldPorts } from "../listeners/held-ports.ts";
import { HeldSockets } from "../listeners/held-sockets.ts";
import { type BoundListener, listenersOf, endpointOf, withPorts } from "../listeners/listener-plan.ts";
import { type Served, type ToWorker } from "./messages.ts";
import { SharedFacilitator } from "../facilitators/own-facilitator.ts";
import { ProcessFacilitators } from "../facilitators/process-facilitators.ts";
import { bindBesideQuic, quicPlansOf } from "../listeners/quic-listeners.ts";
import { Restarts } from "./restarts.ts";
import { capacitiesOf } from "../gateway/resources.ts";
import { SupervisorLedger } from "./supervisor-ledger.ts";
import { tenantsOf } from "../gateway/tenant-directory.ts";
import { dialSettingsOf } from "../../upstream/upstreams.ts";
import { type WorkerEvents, WorkerProcess } from "./worker-process.ts";
import { endEvent } from "../../../lib/time/event-clock.ts";

/** Milliseconds until workers have closed a port that a reload took away. */
const LET_GO_MS = 1000;
/**
 * Milliseconds after the grace of requests until a worker that has not ended is killed. Its claims, its settlements and its
 * last writes have at least a second each. @bound
 */
const STOP_MARGIN_MS = 5000;
/** Memory for data that probes and discovery send to peers that do not read. */
const BUFFERS = { bufferSize: 65_536, bufferCount: 256, reserve: 0 };

/** Runs the gateway in worker processes that share its ports. Rejects if the workers cannot start. */
export async function superviseGateway(options: GatewayOptions): Promise<Gateway> {
  const supervisor = new Supervisor(options);
  await supervisor.start(options.config);
  return supervisor;
}

class Supervisor implements Gateway {
  listeners: readonly BoundListener[] = [];
  readonly connections = 0;
  /** A worker that does not serve yet has no tenants. */
  readonly tenantDirectory = tenantsOf(() =>
    [...this.#workers].filter(({ started }) => started).map(({ tenants }) => tenants),
  );
  /** Without the configuration at the start, which would stay in memory after reloads. */
  readonly #options: Omit<GatewayOptions, "config">;
  readonly #clock: () => number;
  readonly #workers = new Set<WorkerProcess>();
  readonly #telemetry: SupervisorTelemetry;
  readonly #wheel = new TimerWheel(undefined, (error) => this.#report(error));
  readonly #directory: Directory;
  readonly #embedded: SharedFacilitator;
  readonly #facilitators: ProcessFacilitators;
  readonly #tcp = new HeldPorts();
  readonly #udp: HeldSockets;
  readonly #ledger: SupervisorLedger;
  readonly #control: ControlSocket;
  readonly #events: WorkerEvents = {
    heard: ({ row, process }, notice) => {
      if (notice.kind === "event") this.#tell(notice.event);
      else if (notice.kind === "endpoints") this.#udp.changed(process.pid, this.#quicPorts);
      else if (notice.kind === "requests") this.#watched?.receive(notice);
      else this.#options.log(notice.text, notice.count, row);
    },
    stuck: ({ process }) => {
      this.#options.log(`worker ${process.pid} handles no events any more; it is ended`);
      process.kill("SIGKILL");
    },
    died: (worker) => this.#died(worker),
  };
  readonly #restarts = new Restarts({
    start: async () => {
      await this.#begin(this.#launch(), true);
      this.counts.add("workerRestarts", 1);
    },
    failed: (error) => {
      this.#options.log(messageOf(error));
      this.#tell({ kind: "worker", message: messageOf(error), outcome: "failed" });
    },
    isClosing: () => this.#closing,
    log: (message) => this.#options.log(message),
  });
  /** Rows that belong to no process. */
  readonly #rows: number[];
  #served: Served;
  /** The requests that operators watch. */
  #watched: { readonly filters: readonly WatchFilter[]; readonly receive: (batch: WatchedBatch) => void } | undefined;
  #closing = false;
  #reloadedAt = Number.NEGATIVE_INFINITY;

  /** `clock` returns monotonic milliseconds. */
  constructor({ config, ...options }: GatewayOptions, clock: () => number = () => performance.now()) {
    this.#options = options;
    this.#clock = clock;
    const count = config.server.workers || cpus().length;
    this.#telemetry = new SupervisorTelemetry(count);
    if (options.awaitsAdmin === true) setAdminAway(this.#telemetry.zone, true);
    this.#rows = Array.from({ length: count }, (_, index) => count - index);
    this.#served = {
      config,
      material: undefined,
      issued: options.issued ?? NOTHING_ISSUED,
      members: {},
    };
    this.#udp = new HeldSockets(options.log);
    this.#ledger = new SupervisorLedger(options.storePath);
    this.#control = new ControlSocket({
      log: options.log,
      onEvent: (event) => this.#tell(event),
      onChange: () => {
        for (const { control } of this.#workers) control.tellState();
      },
    });
    this.#embedded = new SharedFacilitator(options.log);
    this.#facilitators = new ProcessFacilitators({
      embedded: { own: this.#embedded },
      simulatedTransfers: () => {
        const store = this.#ledger.store(this.#served.config);
        if (store === undefined) throw new Error("Cannot record a simulated transfer: the supervisor has no store");
        return store.simulatedTransfers;
      },
      counts: this.counts,
      // The workers count their own requests.
      observer: { asked() {}, breakerChanged() {} },
      log: options.log,
    });
    this.#directory = new Directory({
      wheel: this.#wheel,
      buffers: new BufferPool(BUFFERS),
      states: new ServerStates(this.#telemetry.zone, SUPERVISOR_ROW),
      log: options.log,
      onEvent: options.events === undefined ? undefined : (event) => this.#tell(event),
      onError: (error) => this.#report(error),
      dialSettings: dialSettingsOf,
      onChange: (upstream, members) => this.#tellMembers(upstream, members),
    });
  }

  async start(config: Config): Promise<void> {
    const material = readTlsMaterial(config);
    try {
      // The workers load their modules while this process prepares: loading takes each of them as long as that (bench
      // start).
      const launched: WorkerProcess[] = [];
      while (this.#rows.length > 0) launched.push(this.#launch());
      const members = await this.#directory.prepare(config);
      // Workers share their ports with every process that asks the kernel to share, so another server on a port would
      // go unnoticed. All workers must bind the same port, so the kernel chooses a port 0 now.
      const { takesOver } = this.#options;
      this.listeners =
        takesOver === undefined
          ? await bindBesideQuic(config, () => this.#tcp.choose(config))
          : listenersOf(config).map(endpointOf);
      this.#served = { ...this.#served, config: withPorts(config, this.listeners), material, members };
      await this.#facilitators.prepare(config);
      this.#control.use(sharedControl(config));
      const [first, ...others] = launched;
      // The first worker starts alone, so that an error that would stop every worker is reported once.
      if (first !== undefined) await this.#begin(first);
      await Promise.all(others.map((worker) => this.#begin(worker)));
      this.#directory.commit();
      await this.#facilitators.commit(config);
    } catch (error) {
      await this.close(0);
      throw error;
    } finally {
      this.#tcp.release();
    }
  }

  /** Serves by `config` in every worker, or in none: rejects, and all go back, if one worker rejects it. */
  async reload(config: Config): Promise<void> {
    if (this.#closing) throw new Error(STOPPING);
    const material = readTlsMaterial(config);
    const members = await this.#directory.prepare(config);
    this.#udp.release();
    try {
      // Our workers may still hold an old port.
      const isPassing = (): boolean => this.#clock() - this.#reloadedAt <= LET_GO_MS;
      const endpoints = await this.#tcp.chooseSoon(withPorts(config, this.listeners), this.listeners, isPassing);
      await this.#facilitators.prepare(config);
      // Workers that serve by the new configuration may call the control socket at once.
      if (!this.#control.isConfigured) this.#control.use(sharedControl(config));
      await this.#replace({ ...this.#served, config: withPorts(config, endpoints), material, members });
      this.listeners = endpoints;
      this.#directory.commit();
      await this.#facilitators.commit(config);
    } catch (error) {
      this.#directory.rollback();
      await this.#facilitators.rollback();
      throw error;
    } finally {
      this.#tcp.release();
      this.#control.use(sharedControl(this.#served.config));
      for (const worker of this.#workers) if (worker.started) this.#holdPorts(worker);
    }
  }

  #holdPorts({ process }: WorkerProcess): void {
    if (!this.#closing) this.#udp.hold(process.pid, this.#quicPorts);
  }

  get #quicPorts(): ReadonlySet<number> {
    return new Set(quicPlansOf(this.#served.config, this.listeners).map(({ port }) => port));
  }

  async #replace(next: Served): Promise<void> {
    const previous = this.#served;
    // Set first, so that a worker that is started meanwhile starts with it.
    this.#served = next;
    const workers = [...this.#workers];
    const responses = await Promise.all(workers.map((worker) => worker.ask(() => this.#reloadMessage(worker))));
    const refusal = responses.find((response) => response.kind === "failed");
    this.#reloadedAt = this.#clock();
    if (refusal === undefined) return;
    // Keeps certificates that were issued meanwhile.
    this.#served = { ...previous, issued: this.#served.issued };
    await Promise.all([...this.#workers].map((worker) => worker.ask(() => this.#reloadMessage(worker))));
    throw new Error(refusal.reason);
  }

  /** Sends an upstream's servers to the workers, without a reply. One that cannot receive them gets them later. */
  #tellMembers(upstream: string, members: readonly Member[]): void {
    const changed = { [upstream]: members };
    this.#served = { ...this.#served, members: { ...this.#served.members, ...changed } };
    for (const worker of this.#workers) worker.send({ kind: "members", members: changed });
  }

  async certify(issued: Issued): Promise<void> {
    // Set first, so that a worker that is started meanwhile starts with it.
    this.#served = { ...this.#served, issued };
    const responses = await Promise.all(
      [...this.#workers].map((worker) => worker.ask(() => ({ kind: "certify", issued }))),
    );
    const refusal = responses.find((response) => response.kind === "failed");
    if (refusal !== undefined) throw new Error(refusal.reason);
  }

  get counts(): Counts {
    return this.#telemetry.counts;
  }

  async reopenLogs(): Promise<void> {
    for (const worker of this.#workers) worker.send({ kind: "reopen" });
  }

  watchRequests(filters: readonly WatchFilter[], receive: (batch: WatchedBatch) => void): void {
    this.#watched = { filters, receive };
    for (const worker of this.#workers) worker.send({ kind: "watch", filters });
  }

  get closedRoutes(): readonly string[] {
    return [...new Set([...this.#workers].flatMap(({ closedRoutes }) => closedRoutes))];
  }

  metrics(): MetricsPage {
    const { zone } = this.#telemetry;
    return metricsPage(zone, capacitiesOf(this.#served.config), this.figures.counted());
  }

  get figures(): GatewayFigures {
    const { zone } = this.#telemetry;
    return new GatewayFigures({
      zone,
      directory: this.#directory,
      ledger: () => this.#ledger.view(this.#served.config),
    });
  }

  get seller(): Seller {
    return { store: () => this.#ledger.store(this.#served.config), facilitators: this.#facilitators.all };
  }

  drain(server: ServerName, drained: boolean, by: Actor): boolean {
    return drainServer(this.#directory, { server, drained, by }, (event) => this.#tell(event));
  }

  async close(graceMs: number): Promise<void> {
    const end = this.#clock() + graceMs;
    this.#closing = true;
    this.#udp.release();
    this.#directory.close();
    this.#wheel.close();
    const workers = [...this.#workers];
    for (const worker of workers) worker.send({ kind: "close", graceMs });
    const kill = setTimeout(() => {
      for (const { process } of workers) process.kill("SIGKILL");
    }, graceMs + STOP_MARGIN_MS);
    await Promise.all(workers.map(({ process }) => process.exited));
    clearTimeout(kill);
    this.#control.close();
    await this.#facilitators.close(end - this.#clock());
    await this.#ledger.close();
  }

  /** Read for each message, because another configuration may name other variables. */
  get #environment(): Readonly<Record<string, string>> {
    return pickVariables(workerVariables(this.#served.config));
  }

  #reloadMessage(worker: WorkerProcess): ToWorker {
    return { kind: "reload", ...worker.toldOf(this.#served), environment: this.#environment };
  }

  /** Starts a worker's process, which waits for its configuration. Throws without room for a process. */
  #launch(): WorkerProcess {
    const row = this.#rows.pop();
    const zone = this.#telemetry.zone.fd;
    if (row === undefined || zone === undefined) throw new Error("Cannot start a worker: there are enough");
    try {
      const worker = new WorkerProcess({ row, zone, control: this.#control }, this.#events, this.#clock);
      this.#workers.add(worker);
      return worker;
    } catch (error) {
      this.#rows.push(row);
      throw error;
    }
  }

  /** Makes a worker serve. `again`: it replaces one. Rejects if it cannot serve; then its row is free. */
  async #begin(worker: WorkerProcess, again = false): Promise<void> {
    const { storePath } = this.#options;
    const facilitatorSocket = this.#embedded.socket;
    const slot = { row: worker.row, workers: this.#telemetry.zone.shape.rows - 1 };
    const response = await worker.ask(() => ({
      kind: "start",
      ...worker.toldOf(this.#served),
      environment: this.#environment,
      storePath,
      facilitatorSocket,
      slot,
      again,
    }));
    if (response.kind === "started") {
      worker.begin();
      if (this.#watched !== undefined) worker.send({ kind: "watch", filters: this.#watched.filters });
      this.#tellOf(worker, again ? "has started in place of one that ended" : "has started");
      if (again) this.#udp.replaced();
      this.#holdPorts(worker);
      return;
    }
    this.#workers.delete(worker);
    await worker.discard();
    this.#freeRow(worker);
    throw new Error(response.kind === "failed" ? response.reason : "Cannot start a worker: its process ended");
  }

  #tell(event: NewEvent): void {
    this.#options.events?.add(event);
  }

  #tellOf({ row, process: { pid } }: WorkerProcess, what: string, details: EventDetails = {}): void {
    this.#tell({
      kind: "worker",
      message: `worker ${row} (process ${pid}) ${what}`,
      details: { row, pid, ...details },
    });
  }

  #died(worker: WorkerProcess): void {
    const known = this.#workers.delete(worker);
    // `#begin` handles a worker that never started.
    if (!known || !worker.started) return;
    this.#freeRow(worker);
    this.#udp.died(worker.process.pid);
    if (this.#closing) return;
    const { exitCode, signalCode, pid } = worker.process;
    this.#options.log(`worker ${pid} ended; starting another`);
    const how = signalCode === null ? `with code ${exitCode}` : `by ${signalCode}`;
    this.#tellOf(worker, `ended ${how}; another is started`, { exit_code: exitCode, signal: signalCode });
    this.#restarts.died(this.#clock() - worker.bornAt);
  }

  /** Frees the row. The counters of the process stay; its gauges are cleared. */
  #freeRow({ row }: WorkerProcess): void {
    this.#telemetry.workerDied(row);
    this.#rows.push(row);
  }

  #report(error: unknown): void {
    // The code that threw did not reach the end of its event.
    endEvent();
    this.#options.log(`internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
}
