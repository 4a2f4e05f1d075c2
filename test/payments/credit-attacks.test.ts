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
import { once } from "../support/raw-client.ts";

setDefaultTimeout(patient(60_000));

const PATH = "/.turnpike/credit";
const folder = new Folder();
const runs = new Map<string, Headers>();
let origin: Bun.Server<undefined>;
let facilitator: Bun.Server<undefined>;
let gateway: Gateway;

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
      { path_prefix: "/free", upstream },
    ],
  };
}

beforeAll(async () => {
  origin = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      runs.set(new URL(request.url).pathname, new Headers(request.headers));
      return new Response(`goods ${runs.size}`);
    },
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

async function buy(): Promise<{ token: string; credit: { id: string } }> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ amount: "$1" });
  const asked = await fetch(url(PATH), { method: "POST", headers, body });
  const { accepts } = decodeHeader(asked.headers.get("payment-required") ?? "") as PaymentRequired;
  const [accepted = REQUIREMENTS] = accepts;
  const payment = { ...signedPayment(Date.now() / 1000, { value: accepted.amount }), accepted };
  const bought = await fetch(url(PATH), {
    method: "POST",
    headers: { ...headers, "payment-signature": encodeHeader(payment) },
    body,
  });
  expect(bought.status).toBe(201);
  return (await bought.json()) as { token: string; credit: { id: string } };
}

function count(sql: string): number {
  using database = new Database(folder.file("turnpike.db"), { readonly: true });
  return database.query<{ count: number }, []>(`SELECT count(*) AS count FROM ${sql}`).get()?.count ?? -1;
}

test("a wallet without credit that signs in leaves no row", async () => {
  const before = count("payment_ids");
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
  expect(count("payment_ids")).toBe(before);
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

test("credit of test mode pays nothing at a gateway that takes real payments", async () => {
  const { token } = await buy();
  await gateway.stop();
  gateway = await startGateway(config({ test_mode: false, facilitator_url: `http://127.0.0.1:${facilitator.port}` }));
  for (const path of ["/paid/real", "/before/real"]) {
    const reply = await fetch(url(path), { headers: { authorization: `Bearer ${token}` } });
    expect([path, reply.status]).toEqual([path, 402]);
  }
});
