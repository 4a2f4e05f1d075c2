/** Real gateways in processes of their own that share a real PostgreSQL database. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { encodeHeader } from "../src/payments/x402/header.ts";
import { REQUIREMENTS, signedPayment, TERMS } from "../src/payments/testing/payment.ts";
import { until } from "../src/lib/testing/until.ts";
import { hasPostgres, PASSWORD, TestPostgres } from "../src/store/testing/postgres.ts";
import { makeCertificate } from "./support/certificates.ts";
import { type Gateway, serverAt, startGateway } from "./support/gateway.ts";
import { descendants, Folder, Program } from "./support/program.ts";
import { patient } from "../src/lib/testing/patience.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(60_000));

const authority = makeCertificate({ subject: [["CN", "authority"]], isCa: true });
const folder = new Folder();
const gateways: Gateway[] = [];
let database: TestPostgres;
let origin: Bun.Server<undefined>;
let sold = 0;
let goods = "the goods";
/** The upstream waits for this promise before it responds. */
let gate: Promise<void> = Promise.resolve();

function config(postgres: object): { [key: string]: unknown } {
  return {
    x402: { enabled: true, test_mode: true, public_url: "https://shop.test" },
    upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
    routes: [
      { path_prefix: "/paid", upstream: "origin", x402: TERMS },
      { path_prefix: "/stream", upstream: "origin", x402: { ...TERMS, settle: "before" } },
    ],
    postgres,
  };
}

async function start(
  postgres: object,
  server: object = {},
  environment: Record<string, string> = {},
): Promise<Gateway> {
  const gateway = await startGateway({ ...config(postgres), server }, environment);
  gateways.push(gateway);
  return gateway;
}

function pay(gateway: Gateway, payment: unknown): Promise<Response> {
  return fetch(`http://127.0.0.1:${gateway.port}/paid`, { headers: { "payment-signature": encodeHeader(payment) } });
}

/** A client that has paid and reads nothing. `rest` reads its whole response. */
async function startReading({ port }: Gateway, path: string): Promise<{ rest(): Promise<void> }> {
  const extra = path === "/stream" ? { ...REQUIREMENTS.extra, paymentFlow: "upfront" } : REQUIREMENTS.extra;
  const payment = { ...signedPayment(Date.now() / 1000), accepted: { ...REQUIREMENTS, extra } };
  const socket = connect({ port, host: "127.0.0.1" }).pause();
  await once(socket, "connect");
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a.test\r\nPAYMENT-SIGNATURE: ${encodeHeader(payment)}\r\n\r\n`);
  let received = 0;
  socket.on("data", (chunk: Buffer) => {
    received += chunk.length;
  });
  socket.pause();
  return {
    async rest() {
      socket.resume();
      await until(() => received > goods.length);
    },
  };
}

/** Undefined if the port is not listened on. */
function statusOf(sent: Promise<Response>): Promise<number | undefined> {
  return sent.then(
    ({ status }) => status,
    () => undefined,
  );
}

async function check(file: string): Promise<{ code: number; output: string }> {
  const program = new Program(["check", file]);
  return { code: await program.exit(), output: program.output };
}

describe.skipIf(!hasPostgres)("with a database", () => {
  beforeAll(async () => {
    database = await TestPostgres.start({
      certificate: makeCertificate({ hostnames: ["127.0.0.1"], issuer: authority }),
    });
    origin = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch() {
        sold += 1;
        await gate;
        return new Response(goods);
      },
    });
  });
  afterAll(async () => {
    await database.close();
    await origin.stop(true);
    folder.remove();
  });
  beforeEach(() => {
    sold = 0;
    goods = "the goods";
    gate = Promise.resolve();
  });
  afterEach(async () => {
    await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
  });

  test("a payment is accepted once over two gateways, and by one of many simultaneous requests to both", async () => {
    const url = database.url(await database.newUser());
    const [one, two] = await Promise.all([start({ url }), start({ url }, { workers: 2 })]);
    const paid = signedPayment(Date.now() / 1000);
    expect((await pay(one, paid)).status).toBe(200);
    const elsewhere = await pay(two, paid);
    expect([elsewhere.status, await elsewhere.text(), sold]).toEqual([200, "the goods", 1]);

    const open = Promise.withResolvers<void>();
    gate = open.promise;
    const contested = signedPayment(Date.now() / 1000);
    const all = Array.from({ length: 10 }, (_, i) => pay(i % 2 === 0 ? one : two, contested));
    let refused = 0;
    for (const sent of all) void sent.then(({ status }) => (refused += status === 409 ? 1 : 0));
    await until(() => refused === 9);
    open.resolve();
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(sold).toBe(2);
  });

  test("a gateway repeats the response of a killed one, short or long, to the same request with the same payment", async () => {
    const url = database.url(await database.newUser());
    const [one, two] = await Promise.all([start({ url }), start({ url })]);
    for (const bytes of [0, 1, 131_073, 7_000_000]) {
      goods = Buffer.alloc(bytes, crypto.randomUUID()).toString();
      const paid = signedPayment(Date.now() / 1000);
      const first = await pay(one, paid);
      expect([first.status, await first.text()]).toEqual([200, goods]);
      const [before, sent] = [sold, goods];
      goods = "other goods";
      const again = await pay(two, paid);
      expect([again.status, await again.text(), sold]).toEqual([200, sent, before]);
      expect(again.headers.get("payment-response")).toBe(first.headers.get("payment-response"));
      const other = fetch(`http://127.0.0.1:${two.port}/paid/other`, {
        headers: { "payment-signature": encodeHeader(paid) },
      });
      expect((await other).status).toBe(409);
    }
    goods = "the last goods";
    const last = signedPayment(Date.now() / 1000);
    expect((await pay(one, last)).status).toBe(200);
    await one.kill();
    goods = "other goods";
    expect(await (await pay(two, last)).text()).toBe("the last goods");
  });

  test("without space in the database, a gateway accepts payments, and another one does not have its responses", async () => {
    const url = database.url(await database.newUser());
    const [none, small, other] = await Promise.all([
      start({ url, kept_response_bytes: 0 }),
      start({ url, kept_response_bytes: 100 }),
      start({ url }),
    ]);
    for (const gateway of [none, small]) {
      const paid = signedPayment(Date.now() / 1000);
      expect((await pay(gateway, paid)).status).toBe(200);
      expect((await pay(gateway, paid)).status).toBe(200);
      await until(async () => (await pay(other, paid)).status === 409);
    }
  });

  test("while the database is unavailable no payment is accepted and none is lost; then the same payment is accepted", async () => {
    const gateway = await start({ url: database.url(await database.newUser()), statement_timeout_ms: 1000 });
    const paid = signedPayment(Date.now() / 1000);
    expect((await pay(gateway, signedPayment(Date.now() / 1000))).status).toBe(200);
    await database.crash();
    const away = await pay(gateway, paid);
    expect([away.status, sold]).toEqual([503, 1]);
    expect(Number(away.headers.get("retry-after"))).toBeGreaterThan(0);
    await database.up();
    await until(async () => (await pay(gateway, paid)).status === 200, 20_000);
    expect(sold).toBe(2);
    const at = `PostgresError \\S+ at 127\\.0\\.0\\.1:${database.port}: \\S`;
    expect(gateway.output()).toMatch(new RegExp(`payment: the ledger failed on \\S+: ${at}`));
    await until(() => /the ledger works again after \d+ failures? in \d+ s/.test(gateway.output()), 40_000);
  });

  test("deliveries of which the database learns nothing are recorded when it is back", async () => {
    const user = await database.newUser();
    const gateway = await start({ url: database.url(user), statement_timeout_ms: 1000 });
    // More than both kernels buffer.
    goods = Buffer.alloc(8_000_000, "goods ").toString();
    const clients = await Promise.all(["/paid", "/paid", "/stream"].map((path) => startReading(gateway, path)));
    const count = async (where: string): Promise<number> => {
      const [row] = await database.query(`SELECT count(*) FROM ${user}.turnpike_payments WHERE ${where}`);
      return Number(row?.[0]);
    };
    await until(async () => (await count("state = 'settled'")) === clients.length);
    await database.crash();
    await Promise.all(clients.map((client) => client.rest()));
    await until(() => gateway.output().includes("the ledger did not take the result of a payment"), 20_000);
    await database.up();
    await until(async () => (await count("delivered")) === clients.length, 20_000);
    expect(await count("cuts > 0 AND route = '/paid'")).toBe(0);
  });

  test("a recorded delivery survives a crash of the database", async () => {
    const user = await database.newUser();
    const gateway = await start({ url: database.url(user), statement_timeout_ms: 1000 });
    expect((await pay(gateway, signedPayment(Date.now() / 1000))).status).toBe(200);
    const delivered = async (): Promise<string | null | undefined> =>
      (await database.query(`SELECT delivered FROM ${user}.turnpike_payments`))[0]?.[0];
    await until(async () => (await delivered()) === "t");
    await database.crash();
    await database.up();
    expect(await delivered()).toBe("t");
  });

  test("a database that fails between reservation and settlement causes no unpaid response", async () => {
    const user = await database.newUser();
    const gateway = await start({ url: database.url(user), statement_timeout_ms: 1000 });
    const open = Promise.withResolvers<void>();
    gate = open.promise;
    const paid = signedPayment(Date.now() / 1000);
    const sent = pay(gateway, paid);
    await until(() => sold === 1);
    await database.crash();
    open.resolve();
    const response = await sent;
    expect(response.status).toBe(503);
    expect(await response.text()).not.toContain("the goods");
    await database.up();
    const [row] = await database.query(`SELECT state FROM ${user}.turnpike_payments`);
    expect([undefined, "reserved", "verified", "released"]).toContain(row?.[0] ?? undefined);
  });

  test("a worker that dies while the database is unavailable is replaced, and accepts payments when the database is back", async () => {
    const url = database.url(await database.newUser());
    const gateway = await start({ url, statement_timeout_ms: 1000 }, { workers: 2 });
    await database.crash();
    for (const pid of descendants(gateway.pid, "/process/workers/worker.")) process.kill(pid, "SIGKILL");
    await until(() => (gateway.output().match(/the server is not reached/g) ?? []).length >= 2, 20_000);
    const paid = signedPayment(Date.now() / 1000);
    await until(async () => (await statusOf(pay(gateway, paid))) === 503);
    await database.up();
    await until(async () => (await statusOf(pay(gateway, paid))) === 200, 20_000);
  });

  test("over verified TLS and with a password from the environment, which never appears", async () => {
    const root = folder.write("root.pem", authority.cert);
    const postgres = {
      url: database.url("salted", "verify-full").replace("salted", "salted:ignored"),
      password_env: "TURNPIKE_TEST_PASSWORD",
      ssl_root_cert: root,
      pool_size_per_worker: 4,
    };
    await database.query("CREATE SCHEMA AUTHORIZATION salted");
    const gateway = await start(postgres, {}, { TURNPIKE_TEST_PASSWORD: PASSWORD });
    expect((await pay(gateway, signedPayment(Date.now() / 1000))).status).toBe(200);
    expect(gateway.output()).toContain("postgres.url: the password in it is ignored");
    expect(gateway.output()).not.toContain(PASSWORD);
    expect(gateway.output()).not.toContain("ignored@");
  });

  test("turnpike ledger reads the database that the configuration names", async () => {
    const url = database.url(await database.newUser());
    expect((await pay(await start({ url }), signedPayment(Date.now() / 1000))).status).toBe(200);
    const file = folder.write("shop.json", { ...config({ url }), server: { address: "127.0.0.1" } });
    const program = new Program(["ledger", "totals", "--by", "route", "--config", file]);
    expect(await program.exit()).toBe(0);
    expect(program.output).toMatch(/\/paid\b.*\b1\b/);
  });

  const FAILURES: readonly [string, object, Record<string, string>, string][] = [
    ["a wrong password", { password_env: "SECRET" }, { SECRET: "wrong" }, "password authentication failed"],
    ["no password", {}, {}, "the server requires a password, and none is configured"],
    ["a variable that is not set", { password_env: "TURNPIKE_NOT_SET" }, {}, "the environment has no such variable"],
    [
      "no such file",
      { ssl_root_cert: "/nowhere.pem" },
      {},
      'postgres.ssl_root_cert "/nowhere.pem": there is no such file',
    ],
  ];
  for (const [what, postgres, environment, expected] of FAILURES) {
    test(`a gateway with ${what} does not start, and the error has the reason`, async () => {
      const url = database.url("salted", "verify-full");
      const root = folder.write("root.pem", authority.cert);
      const said = await start({ url, ssl_root_cert: root, ...postgres }, {}, environment).then(
        () => "started",
        String,
      );
      expect(said).toContain(expected);
      expect(said).not.toContain("listening on");
    });
  }

  test("a gateway whose database does not exist does not start, and the error has the reason", async () => {
    const said = await start({ url: "postgres://me@127.0.0.1:1/db?sslmode=disable" }).then(() => "started", String);
    expect(said).toContain("Cannot use the database: the server is not reached (ECONNREFUSED)");
  });

  test("turnpike check refuses prices without a client, and needs no database for the rest", async () => {
    const off = folder.write("off.json", {
      ...config({ url: "postgres://me@db:5432/x?sslmode=prefer" }),
      server: { address: "127.0.0.1" },
    });
    const refused = await check(off);
    expect(refused.code).not.toBe(0);
    expect(refused.output).toContain(
      'sslmode "prefer" is not one of disable, require, verify-full; the database client is off',
    );
    const sound = folder.write("sound.json", {
      ...config({ url: "postgres://me@db:5432/x" }),
      server: { address: "127.0.0.1" },
    });
    expect((await check(sound)).code).toBe(0);
  });
});
