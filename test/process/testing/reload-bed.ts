/**
 * Every resource that a configuration can open, with the necessary servers, and faults at each step of its creation.
 */
import { createServer, type Server } from "node:net";
import { Catalog } from "../../../src/gateway/upstream/directory/testing/catalog.ts";
import { freePort, listenOnLoopback, listeningPort } from "../../../src/lib/testing/listen.ts";
import { TERMS } from "../../../src/payments/testing/payment.ts";
import { sharedPostgres, type SharedPostgres } from "../../../src/store/testing/postgres.ts";
import { RedisServer } from "../../policy/testing/redis-server.ts";
import { LOCALHOST, makeCertificate, TEST_CA } from "../../support/certificates.ts";
import { serverAt } from "../../support/gateway.ts";
import { Folder } from "../../support/program.ts";
import { once } from "../../support/raw-client.ts";
import { RawOrigin } from "../../support/raw-origin.ts";

/** A token that names a key, so that the key set is fetched. */
const TOKEN = ['{"alg":"RS256","kid":"a"}', "{}", "x"].map((part) => Buffer.from(part).toString("base64url")).join(".");

type Config = ReturnType<ReloadBed["configuration"]>;

export class ReloadBed {
  readonly folder = new Folder();
  readonly redis: RedisServer;
  readonly database: SharedPostgres;
  readonly #user: string;
  readonly #origin: RawOrigin;
  readonly #catalog = new Catalog();
  /** The facilitator, and the publisher of keys. */
  readonly #service = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => Response.json({ kinds: [{ x402Version: 2, scheme: "exact", network: "eip155:84532" }], keys: [] }),
  });
  readonly #taken: Server;
  readonly #ports: readonly number[];

  private constructor(servers: {
    readonly redis: RedisServer;
    readonly database: SharedPostgres;
    readonly user: string;
    readonly origin: RawOrigin;
    readonly taken: Server;
    readonly ports: readonly number[];
  }) {
    this.redis = servers.redis;
    this.database = servers.database;
    this.#user = servers.user;
    this.#origin = servers.origin;
    this.#taken = servers.taken;
    this.#ports = servers.ports;
    this.#catalog.set([{ address: "127.0.0.1", port: servers.origin.port }]);
    const other = makeCertificate({ hostnames: ["localhost"], issuer: TEST_CA });
    for (const [i, { cert, key }] of [LOCALHOST, other].entries()) {
      this.folder.write(`cert${i}.pem`, cert);
      this.folder.write(`key${i}.pem`, key);
    }
  }

  static async start(): Promise<ReloadBed> {
    const database = await sharedPostgres();
    const taken = createServer();
    await listenOnLoopback(taken);
    return new ReloadBed({
      redis: await RedisServer.start(),
      database,
      user: await database.newUser(),
      origin: await RawOrigin.start(),
      taken,
      ports: [await freePort(), await freePort(), await freePort()],
    });
  }

  async stop(): Promise<void> {
    this.#taken.close();
    await this.#service.stop(true);
    await this.#catalog.stop();
    await this.redis.stop();
    await this.#origin.stop();
    this.folder.remove();
  }

  /** Two configurations with different numbers share only the first listener. */
  configuration(number: number, workers: number) {
    const odd = number % 2;
    const loopback = { address: "127.0.0.1" };
    const server = {
      workers,
      static_root: this.folder.path,
      listeners: [
        { ...loopback, port: this.#ports[0] },
        { ...loopback, port: this.#ports[1 + odd], use_tls: true, quic_enabled: true },
      ],
    };
    const pool = { max_idle: 10 + number };
    const health = { path: "/health", interval_ms: 1000 + odd };
    const found = { address: "127.0.0.1", port: this.#catalog.port, service: "app", interval_s: 10 + number };
    const jwt = { type: "jwt", algorithm: "RS256", jwks_url: `${this.#service.url.origin}/keys${number}` };
    return {
      server,
      state_path: this.folder.path,
      tls: { cert_path: this.folder.file(`cert${odd}.pem`), key_path: this.folder.file(`key${odd}.pem`) },
      access_log: { enabled: true, path: this.folder.file(`access${number}.log`) },
      rate_limit_store: { redis_url_env: "TEST_REDIS", timeout_ms: 5000 + number },
      postgres: { url: this.database.url(this.#user) },
      x402: {
        enabled: true,
        facilitator_url: `${this.#service.url.origin}/f${number}`,
        public_url: "https://shop.test",
      },
      upstreams: [
        { name: "plain", servers: [serverAt(this.#origin.port)], connection_pool: pool, health_check: health },
        { name: "found", servers: [], connection_pool: pool, catalog_discovery: found },
      ],
      routes: [
        { path_prefix: "/limited", upstream: "plain", rate_limit: { requests_per_second: 1000, burst_size: 1000 } },
        { path_prefix: "/found", upstream: "found", cache: { max_entries: 10 + number } },
        { path_prefix: "/jwt", upstream: "plain", auth: jwt },
        { path_prefix: "/paid", upstream: "plain", x402: TERMS },
        { path_prefix: "/logged", upstream: "plain", access_log: { path: this.folder.file(`route${number}.log`) } },
      ],
    };
  }

  /** Changes that make a configuration fail, each at another step of its creation. */
  get faults(): readonly ((config: Config) => object)[] {
    const absent = (name: string): string => this.folder.file(`absent/${name}`);
    return [
      () => ({ tls: { cert_path: absent("cert.pem"), key_path: absent("key.pem") } }),
      () => ({ rate_limit_store: { redis_url_env: "UNSET", timeout_ms: 5000 } }),
      () => ({ access_log: { enabled: true, path: absent("access.log") } }),
      ({ routes }) => ({
        routes: [...routes, { path_prefix: "/last", upstream: "plain", access_log: { path: absent("last.log") } }],
      }),
      ({ postgres }) => ({ postgres: { ...postgres, pool_size_per_worker: 4 } }),
      ({ server }) => ({ server: { ...server, static_root: absent("root") } }),
      ({ server }) => {
        const port = listeningPort(this.#taken);
        return { server: { ...server, listeners: [...server.listeners, { address: "127.0.0.1", port }] } };
      },
    ];
  }

  /** Uses every feature once, so that it opens its resources. */
  async use(): Promise<void> {
    for (const path of ["/limited", "/found", "/jwt", "/paid", "/logged"]) {
      const fields = path === "/jwt" ? `Authorization: Bearer ${TOKEN}\r\n` : "";
      await once(this.#ports[0] ?? 0, `GET ${path} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n${fields}\r\n`);
    }
  }
}
