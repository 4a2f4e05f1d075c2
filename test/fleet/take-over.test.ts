/**
 * A take-over of a gateway that uses all features at once: HTTP/1.1, HTTP/2 and HTTP/3 with paying clients, ACME with an
 * order under way, WASM filters, tenants and a WebSocket. No request and no payment is lost.
 */
import { Database } from "bun:sqlite";
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTls } from "node:tls";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { TERMS } from "../../src/payments/testing/payment.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { hasPebble, TestDirectory } from "../acme/testing/test-directory.ts";
import { CountingFacilitator } from "../payments/counting-facilitator.ts";
import { newPayment, nonceOf } from "../payments/shops.ts";
import { LOCALHOST, TEST_CA } from "../support/certificates.ts";
import { serverAt } from "../support/gateway.ts";
import { Http3Client } from "../support/http3-client.ts";
import { Folder, Program, until } from "../support/program.ts";
import { Manager } from "../tenants/testing/manager.ts";
import { SERVERS } from "../tenants/testing/server-machine.ts";
import { tenantFilter } from "../tenants/testing/tenant-filter.ts";
import { openTunnel } from "../websocket/testing/tunnel-client.ts";
import { TunnelOrigin } from "../websocket/testing/tunnel-origin.ts";

setDefaultTimeout(patient(60_000));

const ADDRESS = "127.0.0.1";
const KEY = "0123456789abcdef0123456789abcdef";
/** `npm run test:fleet` sets it: the take-over needs some 25 s. */
const isLong = Number(Bun.env["TURNPIKE_TEST_FLEET"] ?? 0) > 0;
if (!isLong) console.log("Skipped: only npm run test:fleet takes a gateway with all features over");
else if (!hasPebble) console.log("Skipped: it needs pebble");

/** Names of `tls.acme`. The order for the second is under way during the take-over. */
const DOMAINS = ["first.test", "second.test"];

const folder = new Folder();
const closers: (() => unknown)[] = [() => folder.remove()];

afterAll(async () => {
  for (const close of closers.toReversed()) await close();
});

/** Serves `/sold` at once, and `/slow` after `release`. Counts the runs of each path and query. */
class Origin {
  readonly runs = new Map<string, number>();
  readonly release = Promise.withResolvers<void>();
  readonly server = Bun.serve({
    hostname: ADDRESS,
    port: 0,
    idleTimeout: 0,
    fetch: async ({ url }) => {
      const { pathname, search } = new URL(url);
      this.runs.set(pathname + search, (this.runs.get(pathname + search) ?? 0) + 1);
      if (search.includes("slow")) await this.release.promise;
      return new Response("goods");
    },
  });
}

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** One request of a protocol; rejects if the connection ends first. */
type Ask = (path: string, headers: Readonly<Record<string, string>>) => Promise<Reply>;

function byFetch(origin: string, connection: "keep-alive" | "close"): Ask {
  return async (path, headers) => {
    const tls = { ca: TEST_CA.cert };
    const response = await fetch(origin + path, { headers: { ...headers, connection }, tls });
    return { status: response.status, headers: response.headers.toJSON(), body: await response.text() };
  };
}

/** Each request has a connection of its own. */
function byHttp2(port: number): Ask {
  return (path, headers) =>
    new Promise((resolve, reject) => {
      const session = connectHttp2(`https://localhost:${port}`, { ca: TEST_CA.cert });
      session.on("error", reject);
      const stream = session.request({ ":path": path, ...headers });
      let received: Readonly<Record<string, unknown>> = {};
      let body = "";
      stream.setEncoding("utf8");
      stream.on("response", (block) => (received = block));
      stream.on("data", (chunk: string) => (body += chunk));
      stream.on("error", reject);
      stream.on("end", () => {
        session.close();
        resolve({ status: Number(received[":status"]), headers: received, body });
      });
    });
}

/** Like a browser: HTTP/3 until GOAWAY, then HTTP/2 until a new connection can be opened. */
class ByHttp3 {
  used = 0;
  /** Requests whose connection ended before their response. */
  repeated = 0;
  readonly #port: number;
  readonly #fallback: Ask;
  #client: Http3Client | undefined;
  readonly #clients: Http3Client[] = [];
  #isOpening = false;

  constructor(port: number) {
    this.#port = port;
    this.#fallback = byHttp2(port);
  }

  readonly ask: Ask = async (path, headers) => {
    const client = this.#client;
    if (client === undefined || client.receivedGoaway || client.isClosed) {
      if (!this.#isOpening) void this.#open();
      return this.#fallback(path, headers);
    }
    try {
      const { headers: received, body } = await client.request("GET", path, undefined, headers);
      this.used += 1;
      return { status: Number(received[":status"]), headers: received, body: body.toString() };
    } catch {
      // RFC 9114 §5.2: requests that GOAWAY leaves out were not processed. The client cannot see which these are, and
      // repeats the request with the same payment.
      this.repeated += 1;
      return this.#fallback(path, headers);
    }
  };

  close(): void {
    for (const client of this.#clients) client.close();
  }

  async #open(): Promise<void> {
    this.#isOpening = true;
    // Requests of the old connection may still be under way.
    this.#client = undefined;
    // The old gateway refuses new connections while it drains.
    this.#client = await Http3Client.connect(this.#port).catch(() => undefined);
    if (this.#client !== undefined) this.#clients.push(this.#client);
    this.#isOpening = false;
  }
}

interface Bought {
  readonly path: string;
  readonly nonce: string;
  readonly reply: Reply;
}

/** Sends one paid request, and repeats it as long as the response asks for that. */
async function buy(ask: Ask, path: string, fields: Readonly<Record<string, string>> = {}): Promise<Bought> {
  const payment = newPayment();
  const nonce = nonceOf(payment);
  const target = `${path}?${nonce}`;
  for (;;) {
    const reply = await ask(target, { ...fields, "payment-signature": encodeHeader(payment) });
    if (reply.headers["retry-after"] === undefined) return { path: target, nonce, reply };
    await Bun.sleep(20);
  }
}

/** Clients that buy one response after the other. */
class Load {
  readonly sales: Bought[] = [];
  readonly failures: unknown[] = [];
  #ends = false;
  readonly #done: Promise<unknown>;

  constructor(buyers: readonly (() => Promise<Bought>)[]) {
    this.#done = Promise.all(buyers.map((one) => this.#repeat(one)));
  }

  async end(): Promise<void> {
    this.#ends = true;
    await this.#done;
  }

  async #repeat(one: () => Promise<Bought>): Promise<void> {
    while (!this.#ends) {
      await one().then(
        (sale) => this.sales.push(sale),
        (error: unknown) => this.failures.push(error),
      );
    }
  }
}

/** The issuer of the certificate that a client gets for a name. */
function issuerAt(port: number, servername: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: ADDRESS, port, servername, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.issuer ?? "");
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

interface World {
  readonly plain: number;
  readonly tls: number;
  readonly origin: Origin;
  readonly tunnels: TunnelOrigin;
  readonly directory: TestDirectory;
  readonly facilitator: CountingFacilitator;
  readonly manager: Manager;
  readonly config: string;
}

async function openWorld(): Promise<World> {
  const [plain, tls, admin] = [await freePort(), await freePort(), await freePort()];
  const directory = await TestDirectory.start({ httpPort: plain, tlsPort: tls });
  const facilitator = new CountingFacilitator();
  const origin = new Origin();
  const tunnels = await TunnelOrigin.start();
  const [sockets, control, state] = [folder.file("vms"), folder.file("control.sock"), folder.file("state")];
  for (const path of [sockets, state]) mkdirSync(path);
  const manager = new Manager({ kind: SERVERS, control, folder: sockets });
  await manager.listen();
  closers.push(
    () => manager.close(),
    () => tunnels.stop(),
    () => origin.server.stop(true),
  );
  closers.push(
    () => facilitator.close(),
    () => directory.close(),
  );
  const module = folder.file("filter.wasm");
  writeFileSync(module, tenantFilter("x-tenant"));
  const acme = { domains: DOMAINS, directory_url: directory.url, ca_path: directory.caPath, terms_agreed: true };
  const config = folder.write("turnpike.json", {
    server: {
      workers: 2,
      listeners: [
        { address: ADDRESS, port: plain },
        { address: ADDRESS, port: tls, use_tls: true, quic_enabled: true },
      ],
    },
    state_path: state,
    access_log: { enabled: false },
    tls: {
      cert_path: folder.write("cert.pem", LOCALHOST.cert),
      key_path: folder.write("key.pem", LOCALHOST.key),
      acme,
    },
    admin: { enabled: true, address: ADDRESS, port: admin, api_key: KEY },
    x402: { enabled: true, facilitator_url: facilitator.url, public_url: "https://shop.test" },
    upstreams: [
      { name: "origin", servers: [serverAt(origin.server.port ?? 0)] },
      { name: "tunnels", servers: [serverAt(tunnels.port)] },
    ],
    routes: [
      { path_prefix: "/", upstream: "tunnels" },
      { path_prefix: "/sold", upstream: "origin", x402: TERMS },
      { path_prefix: "/tenant", tenant: { socket_dir: sockets, header: "x-tenant" }, x402: TERMS },
    ],
    wasm_filters: ["/sold", "/tenant"].map((match) => ({ match, module, instances: 4 })),
    wasm_control_socket: control,
  });
  return { plain, tls, origin, tunnels, directory, facilitator, manager, config };
}

async function start(config: string, more: readonly string[] = []): Promise<Program> {
  const program = new Program(["--config", config, ...more]);
  closers.push(() => program.stop());
  await program.sees(/listening on https/);
  return program;
}

/** Lets the first order pass, and holds the second one at its end until the returned function is called. */
function holdSecondOrder(directory: TestDirectory): { isHeld: () => boolean; release: () => void } {
  const held = Promise.withResolvers<void>();
  let orders = 0;
  let isHeld = false;
  directory.intercept = async (path) => {
    if (!path.startsWith("/finalize-order/")) return undefined;
    orders += 1;
    isHeld = orders === 2;
    if (isHeld) await held.promise;
    return undefined;
  };
  return { isHeld: () => isHeld, release: held.resolve };
}

test.skipIf(!hasPebble || !isLong)("with all features at once, no request and no payment is lost", async () => {
  const world = await openWorld();
  const { plain, tls, origin, directory, facilitator, manager, config } = world;
  const order = holdSecondOrder(directory);
  const before = await start(config);
  await before.sees(/got a certificate for first\.test/);
  await until("the second order", () => order.isHeld() || undefined);

  const http3 = new ByHttp3(tls);
  closers.push(() => http3.close());
  const asks: readonly Ask[] = [
    byFetch(`http://${ADDRESS}:${plain}`, "keep-alive"),
    byFetch(`https://localhost:${tls}`, "close"),
    byHttp2(tls),
    http3.ask,
  ];
  const load = new Load(
    asks.flatMap((ask) => [() => buy(ask, "/sold"), () => buy(ask, "/tenant", { "x-tenant": "acme" })]),
  );
  await until("sales by HTTP/3", () => http3.used > 10 || undefined);
  const slow = asks.map((ask) => buy(ask, "/sold/slow"));
  await until(
    "slow requests",
    () => [...origin.runs.keys()].filter((path) => path.startsWith("/sold/slow")).length === 4 || undefined,
  );
  const tunnel = await openTunnel("HTTP/1.1", { port: plain, tlsPort: tls }, { path: "/tunnel" });
  closers.push(() => tunnel.destroy());

  const after = await start(config, ["--take-over", String(before.pid)]);
  await before.sees(/another gateway takes over/);
  const seen = load.sales.length;
  await until("sales of the new gateway", () => load.sales.length > seen + 50 || undefined);
  expect(before.running).toBe(true);
  origin.release.resolve();
  order.release();
  const slowSales = await Promise.all(slow);
  // The drain waits for the tunnel too.
  const [there] = world.tunnels.tunnels;
  tunnel.end.send("last words");
  await until("the tunnel's bytes", () => there?.text === "last words" || undefined);
  tunnel.destroy();
  expect(await before.exit()).toBe(0);
  await after.sees(new RegExp(`took over from process ${before.pid}`));
  const used = http3.used;
  await until("sales of the new gateway by HTTP/3", () => http3.used > used + 10 || undefined);
  await load.end();

  expect(load.failures).toEqual([]);
  // Those on their way when the old gateway sent GOAWAY: one of each of the two loops.
  expect(http3.repeated).toBeLessThanOrEqual(2);
  const sales = [...load.sales, ...slowSales];
  const wrong = sales.filter(({ path, nonce, reply }) => {
    const { status, headers, body } = reply;
    const goods = path.startsWith("/tenant") ? '{"tenant":"acme"' : "goods";
    const isSold = status === 200 && body.startsWith(goods) && headers["payment-response"] !== undefined;
    const isOnce = facilitator.settles.get(nonce) === 1 && (origin.runs.get(path) ?? 1) === 1;
    return !isSold || !isOnce || (path.startsWith("/sold") && headers["x-seen"] !== "yes");
  });
  expect(wrong).toEqual([]);
  expect(facilitator.transfers.size).toBe(sales.length);
  expect([manager.started, manager.failures]).toEqual([1, []]);

  await until("both certificates", async () => {
    const issuers = await Promise.all(DOMAINS.map((domain) => issuerAt(tls, domain)));
    return issuers.every((issuer) => issuer.includes("Pebble")) || undefined;
  });
  // The order that was under way may begin again, and no other does.
  expect(directory.orders.length).toBeLessThanOrEqual(3);
  after.kill("SIGTERM");
  expect(await after.exit()).toBe(0);
  const database = new Database(folder.file("state/turnpike.db"), { readonly: true });
  const rows = database.query("SELECT state, delivered, count(*) AS count FROM payments GROUP BY 1, 2").all();
  database.close();
  expect(rows).toEqual([{ state: "settled", delivered: 1, count: sales.length }]);
});
