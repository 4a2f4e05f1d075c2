/** Attacks on prepaid credit, through the real gateway. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { hexToBytes } from "@noble/hashes/utils.js";
import { until } from "../../src/lib/testing/until.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { type SignIn, signInText } from "../../src/payments/credit/sign-in.ts";
import { type PaymentRequired } from "../../src/payments/x402/messages.ts";
import { decodeHeader, encodeHeader } from "../../src/payments/x402/header.ts";
import { hashText } from "../../src/payments/signatures/eip712.ts";
import { addressOfPrivateKey, signHash } from "../../src/payments/signatures/signature.ts";
import { REQUIREMENTS, signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";
import { Folder } from "../support/program.ts";
import { once, RawClient } from "../support/raw-client.ts";

setDefaultTimeout(patient(60_000));

const PATH = "/.turnpike/credit";
const folder = new Folder();
const runs = new Map<string, Headers>();
let origin: Bun.Server<undefined>;
let facilitator: Bun.Server<undefined>;
let gateway: Gateway;
let count = 0;
/** Lets the slow response go. */
let release = (): void => {};

function config(change: object = {}): Record<string, unknown> {
  const { price: _price, scheme: _scheme, ...account } = TERMS;
  const upstream = "origin";
  return {
    state_path: folder.path,
    access_log: {
      enabled: true,
      path: folder.file("access.log"),
      format: "json",
    },
    x402: {
      enabled: true,
      test_mode: true,
      public_url: "https://shop.test",
      credit: { ...account, min: "$0.01", max: "$100" },
      ...change,
    },
    upstreams: [{ name: upstream, servers: [serverAt(origin.port ?? 0)] }],
    routes: [
      { path_prefix: "/paid", upstream, x402: TERMS },
      { path_prefix: "/before", upstream, x402: { ...TERMS, settle: "before" } },
      { path_prefix: "/cached", upstream, x402: TERMS, cache: { enabled: true } },
      { path_prefix: "/free", upstream },
      { path_prefix: "/cached-free", upstream, cache: { enabled: true } },
      {
        path_prefix: "/cached-partly",
        upstream,
        x402: { ...TERMS, rules: [{ match: { path_pattern: "/cached-partly/free" }, free: true }] },
        cache: { enabled: true },
      },
    ],
  };
}

beforeAll(async () => {
  origin = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request, server) {
      const { pathname } = new URL(request.url);
      count += 1;
      const goods = `goods ${count}`;
      runs.set(pathname, new Headers(request.headers));
      if (server.upgrade(request)) return undefined;
      const wait = Promise.withResolvers<void>();
      release = wait.resolve;
      if (pathname.includes("slow")) await wait.promise;
      if (pathname.endsWith("fails")) return new Response("sorry", { status: 500 });
      return new Response(goods, {
        headers: { "cache-control": pathname.includes("cached") ? "max-age=60" : "no-store" },
      });
    },
    websocket: { message() {} },
  });
  facilitator = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) =>
      new URL(request.url).pathname === "/supported"
        ? Response.json({
            kinds: [{ x402Version: 2, scheme: "exact", network: "eip155:84532" }],
            extensions: [],
            signers: {},
          })
        : Response.json({
            isValid: false,
            invalidReason: "insufficient_funds",
            success: false,
            errorReason: "insufficient_funds",
          }),
  });
  gateway = await startGateway(config());
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop(true);
  await facilitator.stop(true);
  folder.remove();
});

function url(path: string): string {
  return `http://127.0.0.1:${gateway.port}${path}`;
}

const ORDER = { method: "POST", body: JSON.stringify({ amount: "$1" }) };
const JSON_TYPE = { "content-type": "application/json" };

async function signedOrder(): Promise<Record<string, string>> {
  const asked = await fetch(url(PATH), { ...ORDER, headers: JSON_TYPE });
  const { accepts } = decodeHeader(asked.headers.get("payment-required") ?? "") as PaymentRequired;
  const [accepted = REQUIREMENTS] = accepts;
  const payment = { ...signedPayment(Date.now() / 1000, { value: accepted.amount }), accepted };
  return { ...JSON_TYPE, "payment-signature": encodeHeader(payment) };
}

async function buy(headers?: Record<string, string>): Promise<{ token: string; credit: { id: string } }> {
  const bought = await fetch(url(PATH), { ...ORDER, headers: headers ?? (await signedOrder()) });
  expect(bought.status).toBe(201);
  return (await bought.json()) as { token: string; credit: { id: string } };
}

async function balance(token: string): Promise<number> {
  using database = new Database(folder.file("turnpike.db"), { readonly: true });
  const id = token.slice(4, 28);
  const row = database.query<{ balance: number }, [string]>(
    "SELECT high * 1e15 + low AS balance FROM credits WHERE id = ?",
  );
  return row.get(id)?.balance ?? -1;
}

function rows(sql: string): number {
  using database = new Database(folder.file("turnpike.db"), { readonly: true });
  return database.query<{ count: number }, []>(`SELECT count(*) AS count FROM ${sql}`).get()?.count ?? -1;
}

test("a wallet without credit that signs in leaves no row", async () => {
  const before = rows("payment_ids");
  for (let i = 1; i <= 3; i++) {
    const key = String(i).padStart(64, "0");
    const message: Omit<SignIn, "signature"> = {
      domain: "shop.test",
      address: addressOfPrivateKey(hexToBytes(key)),
      uri: `https://shop.test${PATH}`,
      version: "1",
      chainId: "eip155:8453",
      type: "eip191",
      nonce: `abcdefgh${i}`,
      issuedAt: new Date().toISOString(),
    };
    const text = signInText(message);
    const hash = hashText(`\u0019Ethereum Signed Message:\n${text.length}${text}`);
    const signature = signHash(hash, hexToBytes(key));
    const header = encodeHeader({ ...message, signature });
    const reply = await fetch(url(`${PATH}/sign-in`), { method: "POST", headers: { "sign-in-with-x": header } });
    expect([reply.status, await reply.text()]).toMatchObject([404, expect.stringContaining("no such credit")]);
  }
  expect(rows("payment_ids")).toBe(before);
});

test("no spelling of the field of a token reaches the upstream", async () => {
  const { token } = await buy();
  const spellings = [
    `Authorization: Bearer\t${token}`,
    `Authorization: bearer ${token}`,
    `Authorization:${token}`,
    `Authorization: Bearer  \t ${token}  `,
    `AUTHORIZATION: BEARER ${token}\r\nauthorization: Basic eDp5`,
    `Authorization: Token ${token}`,
    `Authorization: Bearer "${token}"`,
    `Authorization: Bearer other, Bearer ${token}`,
    `Authorization: Basic ${Buffer.from(`${token}:`).toString("base64")}`,
    `Authorization: Basic ${Buffer.from(`x:${token}`).toString("base64")}`,
    `X-API-Key: a, ${token}`,
    `Proxy-Authorization: Bearer ${token}`,
  ];
  const leaked: string[] = [];
  for (const [i, field] of spellings.entries()) {
    await once(gateway.port, `GET /free/s${i} HTTP/1.1\r\nHost: shop.test\r\n${field}\r\n\r\n`);
    const seen = [...(runs.get(`/free/s${i}`) ?? [])].map(String).join("\n");
    const secret = field.includes("Basic ") && !field.includes("eDp5") ? (field.split("Basic ")[1] ?? "") : token;
    if (seen.includes(secret)) leaked.push(field.replace(token, "TOKEN"));
  }
  expect(leaked).toEqual([]);
});

test("a big order is refused before it is read, and not sent back", async () => {
  const body = JSON.stringify({ pass: "x".repeat(500_000) });
  const headers = { "content-type": "application/json" };
  const reply = await fetch(url(PATH), { method: "POST", headers, body });
  const text = await reply.text();
  expect([reply.status, text.length < 2000]).toEqual([413, true]);
});

test("tokens are not in the log of any path, nor in the database or its files", async () => {
  const { token } = await buy();
  for (const path of ["/none", "/paid/x", PATH, `${PATH}/x`, "/.healthz", "/metrics", "/.well-known/x402"]) {
    await fetch(url(path), { headers: { authorization: `Bearer ${token}` } });
    await fetch(url(path), { headers: { "x-api-key": token } });
  }
  const { stdout } = Bun.spawnSync(["grep", "-rlF", token.slice(25), folder.path]);
  expect(stdout.toString()).toBe("");
  expect(gateway.output()).not.toContain(token.slice(25));
  await until(() => readFileSync(folder.file("access.log"), "utf8").includes("/paid/x"));
});

test("a stored response is charged to each token, and is not given to a client without one", async () => {
  const [one, two] = [await buy(), await buy()];
  const bodies: string[] = [];
  for (const { token } of [one, two, one]) {
    const reply = await fetch(url("/cached/x"), { headers: { authorization: `Bearer ${token}` } });
    expect(reply.status).toBe(200);
    bodies.push(await reply.text());
  }
  expect(new Set(bodies).size).toBe(1);
  expect((await fetch(url("/cached/x"))).status).toBe(402);
  await until(async () => (await balance(one.token)) === 980_000 && (await balance(two.token)) === 990_000);
});

test.each(["/cached-free/x", "/cached-partly/free"])(
  "a free response for the holder of a token reaches no one else from the cache: %s",
  async (path) => {
    const { token } = await buy();
    const bodyFor = async (headers: Readonly<Record<string, string>>): Promise<string> => {
      const reply = await fetch(url(path), { headers });
      expect(reply.status).toBe(200);
      return await reply.text();
    };
    const own = await bodyFor({ authorization: `Bearer ${token}` });
    const anyones = await bodyFor({});
    expect(anyones).not.toBe(own);
    expect(await bodyFor({})).toBe(anyones);
  },
);

async function post(token: string, key: string | undefined, body: string): Promise<number> {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "text/plain",
    ...(key && { "idempotency-key": key }),
  };
  const reply = await fetch(url("/paid/keys"), { method: "POST", headers, body });
  await reply.text();
  return reply.status;
}

test("one Idempotency-Key of two tokens is two charges, and without a key each request is one", async () => {
  const [one, two] = [await buy(), await buy()];
  expect(await post(one.token, "a", "x")).toBe(200);
  expect(await post(two.token, "a", "x")).toBe(200);
  expect(await post(one.token, "a", "x")).toBe(200);
  expect(await post(one.token, "a", "y")).toBe(409);
  expect(await post(two.token, undefined, "x")).toBe(200);
  expect(await post(two.token, undefined, "x")).toBe(200);
  const empty = `GET /paid/keys HTTP/1.1\r\nHost: shop.test\r\nAuthorization: Bearer ${two.token}\r\nIdempotency-Key:\r\n\r\n`;
  expect((await once(gateway.port, empty)).startLine).toContain(" 400 ");
  await until(async () => (await balance(one.token)) === 990_000 && (await balance(two.token)) === 970_000);
});

async function upgraded(fields: string): Promise<string> {
  const client = await RawClient.open(gateway.port);
  client.send(
    `GET /before/ws HTTP/1.1\r\nHost: shop.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${fields}\r\n`,
  );
  const { startLine } = await client.response();
  client.destroy();
  return startLine;
}

test("a WebSocket is opened for one charge, and not without one", async () => {
  const { token } = await buy();
  expect(await upgraded("")).toContain(" 402 ");
  expect(await upgraded(`Authorization: Bearer ${token}\r\n`)).toContain(" 101 ");
  await until(async () => (await balance(token)) === 990_000);
});

test("a purchase that is settled and cannot be recorded is made by the next request with its payment", async () => {
  const headers = await signedOrder();
  using database = new Database(folder.file("turnpike.db"));
  // The gateway may be writing.
  database.run("PRAGMA busy_timeout = 30000");
  database.run("CREATE TRIGGER broken BEFORE INSERT ON credit_grants BEGIN SELECT RAISE(ABORT, 'broken'); END");
  const failed = await fetch(url(PATH), { ...ORDER, headers });
  database.run("DROP TRIGGER broken");
  expect(failed.status).toBe(503);
  const { token } = await buy(headers);
  expect(await balance(token)).toBe(1_000_000);
});

test("a credit that was revoked or has expired while a charge is open keeps its books", async () => {
  const { token } = await buy();
  const slow = fetch(url("/paid/slow"), { headers: { authorization: `Bearer ${token}` } });
  await until(() => runs.has("/paid/slow"));
  expect(await balance(token)).toBe(990_000);
  const gone = await fetch(url(PATH), { method: "DELETE", headers: { authorization: `Bearer ${token}` } });
  expect(gone.status).toBe(200);
  release();
  expect((await slow).status).toBe(200);
  const { token: other } = await buy();
  const failing = fetch(url("/paid/slow-fails"), { headers: { authorization: `Bearer ${other}` } });
  await until(() => runs.has("/paid/slow-fails"));
  await fetch(url(PATH), { method: "DELETE", headers: { authorization: `Bearer ${other}` } });
  release();
  expect((await failing).status).toBe(500);
  await until(async () => (await balance(token)) === 990_000 && (await balance(other)) === 1_000_000);
  const topUp = await fetch(url(PATH), { method: "POST", headers: { authorization: `Bearer ${other}` } });
  expect(topUp.status).toBe(403);
});

test("credit of test mode pays nothing at a gateway that takes real payments", async () => {
  const { token } = await buy();
  await gateway.stop();
  gateway = await startGateway(config({ test_mode: false, facilitator_url: `http://127.0.0.1:${facilitator.port}` }));
  for (const path of ["/paid/real", "/before/real"]) {
    const reply = await fetch(url(path), { headers: { authorization: `Bearer ${token}` } });
    expect([path, reply.status]).toEqual([path, 402]);
  }
});

test("one address cannot flood the desk", async () => {
  const statuses = new Map<number, number>();
  for (let i = 0; i < 10; i++) {
    const replies = await Promise.all(Array.from({ length: 30 }, () => fetch(url(PATH))));
    for (const { status } of replies) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  expect([...statuses.keys()].toSorted((a, b) => a - b)).toEqual([401, 429]);
});
