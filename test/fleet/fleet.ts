/** Three gateways and two content services in separate processes, with PostgreSQL, Redis, and links that can be cut. */
import { join } from "node:path";
import { freePort } from "../../src/lib/testing/listen.ts";
import { TERMS } from "../../src/payments/testing/payment.ts";
import { TestPostgres } from "../../src/store/testing/postgres.ts";
import { RedisServer } from "../policy/testing/redis-server.ts";
import { LOCALHOST, TEST_CA } from "../support/certificates.ts";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";
import { Folder, Program } from "../support/program.ts";
import { Link } from "./link.ts";
import { withBrowser } from "../../src/content/testing/state-folder.ts";

const TOKEN = "the-token-of-the-test-fleet";
/** Seconds for which a payment is valid: a clock with an error of a minute must not make it invalid. */
export const VALID_S = 300;
/** Tokens of a client on the limited route. No bucket gains one during a test. */
export const BURST = 30;
const SHIFT = join(import.meta.dir, "shifted-clock.ts");

export interface GatewayLinks {
  readonly postgres: Link;
  readonly redis: Link;
  readonly content: readonly Link[];
}

/** A machine with a gateway, which can be killed and restarted. */
export class GatewayMachine {
  readonly links: GatewayLinks;
  readonly #fleet: Fleet;
  readonly #statePath: string;
  #gateway: Gateway | undefined;

  constructor(fleet: Fleet, links: GatewayLinks, statePath: string) {
    this.#fleet = fleet;
    this.links = links;
    this.#statePath = statePath;
  }

  /** Undefined while it does not run. */
  get url(): string | undefined {
    return this.#gateway === undefined ? undefined : `http://127.0.0.1:${this.#gateway.port}`;
  }

  get pid(): number | undefined {
    return this.#gateway?.pid;
  }

  get output(): string {
    return this.#gateway?.output() ?? "";
  }

  /** `shiftMs`: the number of milliseconds by which its clock is ahead. */
  async start(shiftMs = 0): Promise<void> {
    const clock = { BUN_OPTIONS: `--preload=${SHIFT}`, TURNPIKE_TEST_SHIFT_MS: String(shiftMs) };
    this.#gateway = await startGateway(this.#fleet.configOf(this.links, this.#statePath), {
      FLEET_REDIS: `redis://127.0.0.1:${this.links.redis.port}`,
      FLEET_TOKEN: TOKEN,
      ...(shiftMs === 0 ? {} : clock),
    });
  }

  async kill(): Promise<void> {
    const gateway = this.#gateway;
    this.#gateway = undefined;
    await gateway?.kill();
  }

  async stop(): Promise<void> {
    await this.#gateway?.stop();
    this.#gateway = undefined;
  }
}

/** A machine with a content service on a fixed port. */
export class ContentMachine {
  readonly port: number;
  readonly #folder: Folder;
  #program: Program | undefined;

  constructor(folder: Folder, port: number) {
    this.#folder = folder;
    this.port = port;
  }

  async start(): Promise<void> {
    const flags = [
      "--listen",
      `127.0.0.1:${this.port}`,
      "--state-dir",
      withBrowser(this.#folder.file(`content-${this.port}`)),
    ];
    const files = ["--tls-cert", this.#folder.file("cert.pem"), "--tls-key", this.#folder.file("key.pem")];
    const token = ["--token-env", "FLEET_TOKEN", "--drain-delay", "0"];
    this.#program = new Program(["content", ...flags, ...files, ...token], { env: { FLEET_TOKEN: TOKEN } });
    await this.#program.sees(/listening on /);
  }

  async kill(): Promise<void> {
    this.#program?.kill("SIGKILL");
    await this.#program?.exit();
  }

  async stop(): Promise<void> {
    await this.#program?.stop();
  }
}

export class Fleet {
  readonly folder = new Folder();
  readonly gateways: GatewayMachine[] = [];
  readonly contents: ContentMachine[] = [];
  /** The requests that the origin has processed, by the name of the goods. */
  readonly runs = new Map<string, number>();
  readonly postgres: TestPostgres;
  readonly redis: RedisServer;
  readonly user: string;
  readonly #origin: Bun.Server<undefined>;

  private constructor(stores: { postgres: TestPostgres; redis: RedisServer; user: string }) {
    this.postgres = stores.postgres;
    this.redis = stores.redis;
    this.user = stores.user;
    this.#origin = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => this.#give(request) });
    this.folder.write("ca.pem", TEST_CA.cert);
    this.folder.write("cert.pem", LOCALHOST.cert);
    this.folder.write("key.pem", LOCALHOST.key);
  }

  /** `statePath` is the folder of the state of each gateway; by default one in the folder of the fleet. */
  static async start(
    size: { readonly gateways: number; readonly contents: number },
    statePath = (folder: Folder, i: number) => folder.file(`state-${i}`),
  ): Promise<Fleet> {
    const [postgres, redis] = await Promise.all([TestPostgres.start(), RedisServer.start()]);
    const fleet = new Fleet({ postgres, redis, user: await postgres.newUser() });
    try {
      for (let i = 0; i < size.contents; i++) fleet.contents.push(new ContentMachine(fleet.folder, await freePort()));
      for (let i = 0; i < size.gateways; i++) {
        const links = {
          postgres: await Link.open({ host: "127.0.0.1", port: postgres.port }),
          redis: await Link.open({ path: redis.url.slice("redis+unix://".length) }),
          content: await Promise.all(fleet.contents.map(({ port }) => Link.open({ host: "127.0.0.1", port }))),
        };
        fleet.gateways.push(new GatewayMachine(fleet, links, statePath(fleet.folder, i)));
      }
      await Promise.all([...fleet.contents, ...fleet.gateways].map((machine) => machine.start()));
      return fleet;
    } catch (error) {
      await fleet.close();
      throw error;
    }
  }

  configOf(links: GatewayLinks, statePath: string): { readonly [key: string]: unknown } {
    const terms = { ...TERMS, max_timeout_seconds: VALID_S };
    const database = this.postgres.url(this.user).replace(`:${this.postgres.port}/`, `:${links.postgres.port}/`);
    return {
      state_path: statePath,
      access_log: { enabled: false },
      postgres: { url: database, statement_timeout_ms: 1000 },
      rate_limit_store: { redis_url_env: "FLEET_REDIS", timeout_ms: 500 },
      x402: { enabled: true, test_mode: true, public_url: "https://shop.test" },
      upstreams: [
        { name: "origin", servers: [serverAt(this.#origin.port ?? 0)] },
        {
          name: "content",
          tls: true,
          tls_ca_path: this.folder.file("ca.pem"),
          token_env: "FLEET_TOKEN",
          load_balancer: "least_conn",
          servers: links.content.map(({ port }) => ({
            address: "127.0.0.1",
            port,
            max_fails: 1,
            fail_timeout_ms: 500,
          })),
          health_check: { path: "/ready", interval_ms: 500, unhealthy_threshold: 2, healthy_threshold: 1 },
        },
      ],
      routes: [
        { path_prefix: "/goods", upstream: "origin", x402: terms },
        { path_prefix: "/upfront", upstream: "origin", x402: { ...terms, settle: "before" } },
        {
          path_prefix: "/qr",
          upstream: "content",
          retry: { any_method: true, max_retries: 2, try_timeout_ms: 3000 },
          x402: terms,
        },
        {
          path_prefix: "/limited",
          upstream: "origin",
          rate_limit: { requests_per_second: 0.002, burst_size: BURST, key: "header:X-Client" },
        },
      ],
    };
  }

  async close(): Promise<void> {
    await Promise.all([...this.gateways, ...this.contents].map((machine) => machine.stop()));
    for (const { links } of this.gateways)
      for (const link of [links.postgres, links.redis, ...links.content]) link.close();
    await this.#origin.stop(true);
    await this.postgres.close();
    await this.redis.stop();
    this.folder.remove();
  }

  /** The goods contain the number of the origin's run. */
  #give(request: Request): Response {
    const { searchParams } = new URL(request.url);
    const name = searchParams.get("name") ?? "";
    const run = (this.runs.get(name) ?? 0) + 1;
    this.runs.set(name, run);
    return new Response(`${name}, run ${run}. `.padEnd(Number(searchParams.get("size") ?? 0), "x"));
  }
}
