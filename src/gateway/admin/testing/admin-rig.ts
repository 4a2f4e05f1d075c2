import { expect } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SharedZone } from "../../../lib/memory/shared-zone.ts";
import { Facilitators } from "../../../payments/facilitator/facilitators.ts";
import { openStore, openUsageStore } from "../../../store/open/open-store.ts";
import { type Store } from "../../../store/store.ts";
import { type Config } from "../../config/config.ts";
import { OptionalRefunds } from "../../policy/payment/refunds/optional-refunds.ts";
import { type Actor } from "../../telemetry/event.ts";
import { Counts } from "../../telemetry/metrics/counts.ts";
import { zoneShape } from "../../telemetry/metrics/layout.ts";
import { AdminServer } from "../admin-server.ts";
import { EventLog, type GatewayEvent } from "../events/event-log.ts";
import { RequestLog } from "../events/request-log.ts";
import { OPERATIONS } from "../operations/operations.ts";
import { type AdminParts, type GatewayView } from "../operations/parts.ts";
import { ContentJobs } from "../overview/content-jobs.ts";
import { createOverview } from "../overview/overview.ts";
import { openConfig } from "../running-config/config-source.ts";
import { LiveConfig } from "../running-config/live-config.ts";
import { type OverviewUpstream, type Tenant } from "../shapes/common.ts";
import { UsageKeeper } from "../usage/usage-keeper.ts";

/** The keys of a rig's interface. */
export const FULL_KEY = "the-key-of-operators";
export const READ_ONLY_KEY = "the-key-of-readers-1";

/** The address of a seller and owner of credits, the token of its prices, and a configuration that sells credit. */
export const OWNER = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
export const USDC = "0x036cbd53842c5426634e7929541ec2318f3dcf7e";
const TERMS = { asset: "USDC", network: "base-sepolia", pay_to: OWNER };
export const SELLING = {
  x402: { enabled: true, test_mode: true, credit: TERMS },
  routes: [{ path_prefix: "/read", fixed_response: {}, x402: { ...TERMS, price: "$0.01" } }],
};

/** One request to a rig. */
export interface RigCall {
  /** Undefined: the operators' key; empty: none. */
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is text. */
  readonly body?: unknown;
}

/** A response of a rig. */
export interface RigResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // Tests read responses freely; the schemas of the description state their form.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** For tests only: the admin interface on a real port, with a real configuration file, store and logs, and no traffic. */
export class AdminRig implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "turnpike-admin-"));
  readonly file = join(this.folder, "turnpike.json");
  readonly zone = SharedZone.local(zoneShape(1));
  readonly errors: unknown[] = [];
  readonly drains: unknown[] = [];
  /** Unix milliseconds. */
  now = 1_800_000_000_000;
  upstreams: readonly OverviewUpstream[] = [];
  closedRoutes: readonly string[] = [];
  certificates: ReturnType<GatewayView["certificates"]> = [{ path: "/a.pem", from: 1, to: 2_000_000_000_000 }];
  tenants: Tenant[] = [];
  /** The reason why the next configurations cannot be applied. */
  refusal: string | undefined;
  /** The store that operations use; undefined: only the workers have one. */
  store: () => Store | undefined;
  readonly events = new EventLog(() => this.now);
  readonly server: AdminServer;
  readonly #requests = new RequestLog(
    () => () => {},
    () => this.now,
  );
  #parts: AdminParts | undefined;
  #applied: Config | undefined;
  readonly #store: Store;
  readonly #refunds: OptionalRefunds[] = [];

  private constructor() {
    this.#store = openStore(":memory:", () => this.now);
    this.store = () => this.#store;
    this.server = new AdminServer({
      environment: process.env,
      readCertificate: () => ({ cert: "", key: "" }),
      onEvent: (event) => this.events.add(event),
      onError: (error) => void this.errors.push(error),
    });
  }

  /** `content` is the Unix socket of the content service. */
  static async start(document: object = {}, { content }: { content?: string } = {}): Promise<AdminRig> {
    const rig = new AdminRig();
    const admin = { enabled: true, port: 0, api_key: FULL_KEY, read_api_key: READ_ONLY_KEY };
    writeFileSync(rig.file, JSON.stringify({ server: { address: "127.0.0.1" }, admin, ...document }));
    const opened = await openConfig({ path: rig.file, flags: {} });
    const { config } = opened.loaded;
    if (config === undefined) throw new Error(JSON.stringify(opened.loaded.problems));
    const live = new LiveConfig({
      opened,
      apply: (next) => rig.#apply(next),
      countReload: () => {},
      onEvent: (event) => rig.events.add(event),
    });
    rig.#parts = rig.#partsOf(live, config, content);
    rig.server.serve(rig.#parts);
    await rig.#apply(config);
    return rig;
  }

  get config(): Config {
    if (this.#applied === undefined) throw new Error("no configuration was applied");
    return this.#applied;
  }

  /** Events that are not lines of the log, oldest first. */
  get told(): readonly GatewayEvent[] {
    return this.events.since(0).filter(({ kind }) => kind !== "log");
  }

  get messages(): readonly string[] {
    return this.told.map(({ message }) => message);
  }

  /** The store that the rig has opened. */
  get opened(): Store {
    return this.#store;
  }

  /** Runs `run` while operations have this store. */
  async during(store: () => Store | undefined, run: () => Promise<void>): Promise<void> {
    const { store: before } = this;
    this.store = store;
    try {
      await run();
    } finally {
      this.store = before;
    }
  }

  async call(method: string, path: string, options: RigCall = {}): Promise<RigResponse> {
    const response = await this.fetch(method, path, options);
    const text = await response.text();
    const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "") && text !== "";
    const body: unknown = isJson ? JSON.parse(text) : undefined;
    const { status, headers } = response;
    if (isJson && response.ok) expectDescribed(method, path, { headers, body });
    return { status, headers, text, body };
  }

  fetch(method: string, path: string, { key = FULL_KEY, headers = {}, body }: RigCall = {}): Promise<Response> {
    return fetch(new URL(path, this.server.url), {
      method,
      redirect: "manual",
      headers: {
        ...(key === "" ? {} : { "x-api-key": key }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The server waits for the ends of the streams.
    this.events.close();
    this.#requests.close();
    await this.server.close();
    for (const refunds of this.#refunds) await refunds.close();
    await this.#store.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #apply(config: Config): Promise<void> {
    if (this.refusal !== undefined) throw new Error(this.refusal);
    await this.server.prepare(config);
    this.server.commit(config);
    this.#applied = config;
  }

  #partsOf(live: LiveConfig, config: Config, content: string | undefined): AdminParts {
    const clock = (): number => this.now;
    const ledger = () => this.store()?.view;
    const refunds = new OptionalRefunds(config, {
      store: () => this.store(),
      facilitators: new Facilitators({
        simulatedTransfers: () => this.#store.simulatedTransfers,
        now: clock,
        environment: process.env,
        embedded: () => {
          throw new Error("there is none");
        },
        random: () => 0.5,
        observer: { asked() {}, breakerChanged() {} },
        log: (line) => this.events.addLine(line),
      }),
      counts: new Counts(this.zone.counters(1)),
      clock,
      log: (line) => this.events.addLine(line),
      onEvent: (event) => this.events.add(event),
    });
    this.#refunds.push(refunds);
    return {
      config: live,
      view: this.#view(),
      events: this.events,
      requests: this.#requests,
      overview: createOverview(
        { zone: this.zone, upstreams: () => this.upstreams, ledger },
        { startedAtMs: 17, clock, contentSocket: content },
      ),
      usage: new UsageKeeper({
        zone: this.zone,
        open: () => {
          if (this.store() === undefined) throw new Error("there is no store");
          return openUsageStore(join(this.folder, "usage.db"), clock);
        },
        inMemory: true,
        log: (line) => this.events.addLine(line),
        clock,
      }),
      jobs: new ContentJobs(content),
      ledger,
      credits: () => this.store()?.credits,
      channels: () => this.store()?.channels,
      refunds,
      tenants: {
        list: async () => this.tenants,
        drop: async (key) => {
          const kept = this.tenants.filter((tenant) => tenant.key !== key);
          const isKnown = kept.length < this.tenants.length;
          this.tenants = kept;
          return isKnown;
        },
      },
    };
  }

  #view(): GatewayView {
    const closedRoutes = (): readonly string[] => this.closedRoutes;
    return {
      startedAt: 17,
      port: 8080,
      workers: 3,
      get closedRoutes() {
        return closedRoutes();
      },
      metrics: () => ({ text: "up 1\n", contentType: "text/plain; version=0.0.4" }),
      certificates: () => this.certificates,
      drain: ({ upstream, server }, isDrained, by: Actor) => {
        this.drains.push([upstream, server, isDrained, by.kind]);
        return this.upstreams.some(
          ({ name, servers }) => name === upstream && servers.some((one) => one.server === server),
        );
      },
    };
  }
}

/** The response of an operation has all that its description states, and nothing else. */
function expectDescribed(
  method: string,
  path: string,
  { headers, body }: { readonly headers: Headers; readonly body: unknown },
): void {
  const { pathname } = new URL(path, "http://admin");
  const operation = OPERATIONS.find((one) => {
    const pattern = new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
    return one.method === method.toLowerCase() && pattern.test(pathname);
  });
  if (operation?.success.schema === undefined) return;
  expect(operation.success.schema.parse(body)).toEqual(body);
  const fields = [...(operation.conditional === true ? ["ETag"] : []), ...Object.keys(operation.success.headers ?? {})];
  expect(fields.filter((name) => !headers.has(name))).toEqual([]);
  expect(headers.has("etag")).toBe(fields.includes("ETag"));
}
