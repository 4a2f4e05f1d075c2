import { afterEach, expect, test } from "bun:test";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HTTPFacilitatorClient } from "@x402/core/server";
import { messageOf } from "../../lib/caught.ts";
import { watchTimers } from "../../lib/testing/timers.ts";
import { openStore } from "../../store/open/open-store.ts";
import { createSimulatedFacilitator } from "./simulated-facilitator.ts";
import { type Facilitator, type Settlement, type Kind } from "../x402/facilitator.ts";
import { FacilitatorService, type ServiceOptions } from "./facilitator-service.ts";
import { HttpFacilitator } from "./http-facilitator.ts";
import { UnsupportedError } from "../x402/kinds.ts";
import { type FacilitatorEndpoint, type FacilitatorServer, serveFacilitator } from "./serve-facilitator.ts";
import { freshAccount } from "../evm/testing/shop.ts";
import { channelConfig, channelRequirements, signedDeposit } from "../testing/channels.ts";
import { PAYER, REQUIREMENTS, signedPayment } from "../testing/payment.ts";
import { type Hex } from "../x402/address.ts";

const NOW_S = 1_800_000_000;
const LOOPBACK: FacilitatorEndpoint = { hostname: "127.0.0.1", port: 0 };
const HASH = `0x${"ab".repeat(32)}`;
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

interface Served extends FacilitatorServer {
  readonly logged: readonly string[];
}

async function serve(
  change: (real: Facilitator) => Partial<Facilitator> = () => ({}),
  options: Partial<ServiceOptions> = {},
  place: FacilitatorEndpoint = LOOPBACK,
): Promise<Served> {
  const store = openStore(":memory:", () => NOW_S * 1000);
  const real = createSimulatedFacilitator(store.simulatedTransfers, () => NOW_S * 1000);
  const logged: string[] = [];
  const log = (message: string): void => void logged.push(message);
  const server = await serveFacilitator({ ...real, ...change(real) }, place, { log, ...options });
  cleanups.push(
    () => store.close(),
    () => server.close(0),
  );
  return { ...server, logged };
}

function bodyOf(payment: unknown): string {
  return JSON.stringify({ x402Version: 2, paymentPayload: payment, paymentRequirements: REQUIREMENTS });
}

async function post(url: string, body: RequestInit["body"], headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: "POST",
    body: body ?? null,
    headers: { "content-type": "application/json", ...headers },
  });
  const json: unknown = await response.json();
  return { status: response.status, json, headers: response.headers };
}

/** The SDK types networks as template strings, and payments by scheme. */
function toSdk(payment: unknown): never {
  return payment as never;
}

test("x402's own client verifies and settles, and receives only listed reasons", async () => {
  const kinds: Kind[] = [
    { scheme: "exact", network: "eip155:*" },
    { scheme: "upto", network: "eip155:1", extra: { facilitatorAddress: PAYER } },
  ];
  const signers = { "eip155:*": [PAYER] };
  const { url } = await serve(() => ({ supported: async () => kinds }), { signers });
  const client = new HTTPFacilitatorClient({ url });
  const supported: unknown = await client.getSupported();
  expect(supported).toEqual({
    kinds: kinds.map((kind) => ({ x402Version: 2, ...kind })),
    extensions: ["turnpike-find"],
    signers,
  });
  const payment = signedPayment(NOW_S);
  expect(await client.verify(toSdk(payment), toSdk(REQUIREMENTS))).toMatchObject({ isValid: true, payer: PAYER });
  const settled = await client.settle(toSdk(payment), toSdk(REQUIREMENTS));
  expect(settled).toMatchObject({ success: true, network: REQUIREMENTS.network, payer: PAYER });
  expect(await client.settle(toSdk(payment), toSdk(REQUIREMENTS))).toEqual(settled);
  expect(await client.verify(toSdk(payment), toSdk(REQUIREMENTS))).toMatchObject({
    isValid: false,
    invalidReason: "invalid_exact_evm_nonce_already_used",
    payer: PAYER,
  });
  const short = signedPayment(NOW_S, { value: "1" });
  expect(await client.settle(toSdk(short), toSdk(REQUIREMENTS))).toMatchObject({
    success: false,
    errorReason: "invalid_exact_evm_payload_authorization_value_mismatch",
    transaction: "",
  });
});

test("a settlement with an unknown outcome is pending, with its transaction", async () => {
  let open: Settlement = { kind: "unknown", cause: "https://rpc.example/secret", transaction: HASH };
  const { url } = await serve(() => ({ settle: async () => open }));
  const { status, json } = await post(`${url}/settle`, bodyOf(signedPayment(NOW_S)));
  expect([status, json]).toEqual([
    200,
    { success: false, errorReason: "settlement_pending", transaction: HASH, network: REQUIREMENTS.network },
  ]);
  const ours = new HttpFacilitator({ url, timeoutMs: 5000 });
  expect(await ours.settle(signedPayment(NOW_S), REQUIREMENTS)).toMatchObject({ kind: "unknown", transaction: HASH });
  open = { ...open, transaction: "", isUnsent: true };
  const unsent = await post(`${url}/settle`, bodyOf(signedPayment(NOW_S)));
  expect(unsent.json).toMatchObject({ success: false, transaction: "", extra: { unsent: true } });
});

test("an unreachable chain is not a refusal", async () => {
  const cause = "https://rpc.example/secret";
  let kind: "unavailable" | "failed" = "unavailable";
  const { url } = await serve(() => ({ verify: async () => ({ kind, cause }) }));
  const first = await post(`${url}/verify`, bodyOf(signedPayment(NOW_S)));
  expect([first.status, first.headers.get("retry-after")]).toEqual([503, "1"]);
  kind = "failed";
  const second = await post(`${url}/verify`, bodyOf(signedPayment(NOW_S)));
  expect(second.status).toBe(502);
  expect(JSON.stringify([first, second])).not.toContain("secret");
});

async function fail(): Promise<never> {
  throw new RangeError("https://rpc.example/secret");
}

test("errors of the facilitator are not sent to the caller", async () => {
  const { url, logged } = await serve(() => ({ verify: fail, settle: fail, supported: fail }));
  const responses = [
    await post(`${url}/verify`, bodyOf(signedPayment(NOW_S))),
    await post(`${url}/settle`, bodyOf(signedPayment(NOW_S))),
    await fetch(`${url}/supported`).then(async (response) => ({
      status: response.status,
      json: await response.text(),
    })),
  ];
  expect(responses.map(({ status }) => status)).toEqual([500, 500, 500]);
  expect(JSON.stringify([responses, logged])).not.toContain("secret");
  expect(logged).toEqual(["/verify", "/settle", "/supported"].map((path) => `facilitator: ${path} failed: RangeError`));
});

test("errors of the facilitator about channels are not sent to the caller either", async () => {
  const { url, logged } = await serve(() => ({ channels: { verify: fail, settle: fail } }));
  const [payer, token] = [freshAccount(), { address: REQUIREMENTS.asset as Hex, name: "T", version: "1" }]; // It is one.
  const seller = { payTo: payer.address, authorizer: payer.address };
  const accepted = channelRequirements(token, "eip155:84532", seller);
  const config = channelConfig(accepted, payer.address);
  const payload = signedDeposit(accepted, config, { amount: 5000n, most: 1000n, signer: payer, now: NOW_S });
  const paymentPayload = { x402Version: 2, accepted, payload };
  const body = JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements: accepted });
  for (const path of ["/verify", "/settle"]) {
    const { status, json } = await post(url + path, body);
    expect([status, JSON.stringify(json).includes("secret")]).toEqual([500, false]);
  }
  expect(logged).toEqual(["/verify", "/settle"].map((path) => `facilitator: ${path} failed: RangeError`));
});

const MALFORMED: readonly (readonly [name: string, body: string])[] = [
  ["nothing", ""],
  ["no JSON", "{"],
  ["null", "null"],
  ["a payment of version 1", bodyOf({ ...signedPayment(NOW_S), x402Version: 1 })],
  ["no authorization", bodyOf({ ...signedPayment(NOW_S), payload: null })],
  ["no number", bodyOf(signedPayment(NOW_S)).replace('"value":"10000"', '"value":"1e3"')],
  ["a prototype", '{"__proto__":{"x402Version":2}}'],
];

for (const [name, body] of MALFORMED) {
  test(`a body with ${name} is a bad request on each path`, async () => {
    const { url } = await serve();
    for (const path of ["/verify", "/settle", "/find"]) {
      const { status, json, headers } = await post(url + path, body);
      expect([status, headers.get("content-type")]).toEqual([400, "application/problem+json"]);
      expect(json).toMatchObject({ type: "urn:turnpike:error:invalid-parameters", status: 400 });
    }
  });
}

test("a body that is too long is not read to its end", async () => {
  const { url } = await serve();
  const long = JSON.stringify({ pad: "x".repeat(300_000) });
  expect((await post(`${url}/verify`, long)).status).toBe(413);
  const stream = new Response(long).body;
  expect((await post(`${url}/verify`, stream)).status).toBe(413);
});

test("other paths and methods get a 404 or 405", async () => {
  const { url } = await serve();
  expect((await fetch(`${url}/discovery/resources`)).status).toBe(404);
  const wrong = await fetch(`${url}/settle`);
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
  expect((await fetch(`${url}/supported`, { method: "POST" })).status).toBe(405);
  expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: "ok" });
});

test("with a token set, a caller without it can only read the health", async () => {
  const { url } = await serve(undefined, { token: "secret-token" });
  for (const authorization of ["", "Bearer wrong", "secret-token", "Bearer secret-token "]) {
    const headers: Record<string, string> = authorization === "" ? {} : { authorization };
    const response = await post(`${url}/settle`, bodyOf(signedPayment(NOW_S)), headers);
    // Surrounding spaces are not part of a field value.
    expect([authorization, response.status]).toEqual([authorization, authorization.endsWith(" ") ? 200 : 401]);
  }
  expect((await fetch(`${url}/supported`)).status).toBe(401);
  expect((await fetch(`${url}/health`)).status).toBe(200);
  const ours = new HttpFacilitator({ url, timeoutMs: 5000, headers: { authorization: "Bearer secret-token" } });
  expect(await ours.verify(signedPayment(NOW_S), REQUIREMENTS)).toEqual({ kind: "valid", payer: PAYER });
});

test("a web page in a browser can neither send payments nor read responses through its own host name", async () => {
  const { url } = await serve();
  const body = bodyOf(signedPayment(NOW_S));
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""]) {
    expect((await post(`${url}/settle`, body, { "content-type": type })).status).toBe(415);
  }
  expect((await post(`${url}/verify`, body, { "content-type": "application/json; charset=utf-8" })).status).toBe(200);
  const asked = await fetch(`${url}/settle`, { method: "OPTIONS" });
  expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([405, null]);
  expect((await post(`${url}/verify`, body, { host: "evil.example" })).status).toBe(400);
});

test("without a token the service listens only on loopback addresses", async () => {
  const everywhere: FacilitatorEndpoint = { hostname: "0.0.0.0", port: 0 };
  const refused = await serve(undefined, {}, everywhere).then(String, String);
  expect(refused).toContain("Cannot listen on 0.0.0.0: programs that reach it could spend this key's gas");
  const { url } = await serve(undefined, { token: "secret" }, everywhere);
  expect(url).toStartWith("http://");
});

test("a Unix socket is readable only by its owner, replaces a dead one, and is removed at the end", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-facilitator-service-"));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  const unix = join(folder, "facilitator.sock");
  const server = await serve(undefined, {}, { unix });
  expect(statSync(unix).mode & 0o777).toBe(0o600);
  expect(server.url).toBe(`unix:${unix}`);
  const ours = new HttpFacilitator({ url: server.url, timeoutMs: 5000 });
  expect(await ours.verify(signedPayment(NOW_S), REQUIREMENTS)).toEqual({ kind: "valid", payer: PAYER });
  expect(await serve(undefined, {}, { unix }).then(String, String)).toContain("Cannot listen on the socket");
  await server.close(0);
  expect(() => statSync(unix)).toThrow("ENOENT");
  writeFileSync(unix, "no socket");
  expect(await serve(undefined, {}, { unix }).then(String, String)).toContain("Cannot listen on the socket");
});

test("the service stops after settlements in progress have ended, and accepts no new ones meanwhile", async () => {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const server = await serve((real) => ({
    async settle(...call) {
      begun.resolve();
      await end.promise;
      return real.settle(...call);
    },
  }));
  const settling = post(`${server.url}/settle`, bodyOf(signedPayment(NOW_S)));
  await begun.promise;
  let isClosed = false;
  const closed = server.close(60_000).then(() => (isClosed = true));
  const late = await post(`${server.url}/settle`, bodyOf(signedPayment(NOW_S)));
  expect([late.status, late.headers.get("retry-after"), isClosed]).toEqual([503, "1", false]);
  expect((await fetch(`${server.url}/health`)).status).toBe(503);
  end.resolve();
  expect((await settling).json).toMatchObject({ success: true });
  await closed;
  const gone = new HttpFacilitator({ url: server.url, timeoutMs: 5000 });
  expect(await gone.verify(signedPayment(NOW_S), REQUIREMENTS)).toMatchObject({ kind: "unavailable" });
});

test("calls beyond the limit get a 503 with Retry-After", async () => {
  const store = openStore(":memory:");
  const end = Promise.withResolvers<void>();
  const real = createSimulatedFacilitator(store.simulatedTransfers, Date.now);
  const supported: Facilitator["supported"] = async () => {
    await end.promise;
    return real.supported();
  };
  const service = new FacilitatorService({ ...real, supported }, { log() {} });
  const ask = (): Promise<Response> => service.handle(new Request("http://localhost/supported"), () => {});
  const waiting = Array.from({ length: 512 }, ask);
  const late = await ask();
  expect([late.status, late.headers.get("retry-after")]).toEqual([503, "1"]);
  end.resolve();
  const responses = await Promise.all(waiting);
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await ask()).status).toBe(200);
  await store.close();
});

test("a caller that disconnects in the middle of a body leaves nothing behind", async () => {
  const { url } = await serve();
  const { port } = new URL(url);
  const socket = connect({ host: "127.0.0.1", port: Number(port) });
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  socket.end("POST /settle HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{");
  await new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
    socket.resume();
  });
  expect((await fetch(`${url}/health`)).status).toBe(200);
});

test("a body that does not arrive within 5 seconds ends its request, and one that arrives leaves no timer", async () => {
  let isOver = false;
  using timers = watchTimers((ms) => (ms === 5000 && isOver ? 1 : ms));
  const { url } = await serve();
  expect((await post(`${url}/settle`, bodyOf(signedPayment(NOW_S)))).status).toBe(200);
  expect(timers.pending(5000)).toBe(0);
  isOver = true;
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(url).port) });
  socket.write(
    "POST /settle HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{}",
  );
  const [response] = (await once(socket, "data")) as [Buffer];
  expect(response.toString()).toStartWith("HTTP/1.1 408 ");
  socket.destroy();
});

test("a caller receives the reachable chains, and learns that one is missing", async () => {
  const kind: Kind = { scheme: "exact", network: "eip155:84532" };
  const { url } = await serve(() => ({
    supported: async () => {
      throw new UnsupportedError("eip155:1: no connection", [kind]);
    },
  }));
  const error: unknown = await new HttpFacilitator({ url, timeoutMs: 2000 })
    .supported()
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UnsupportedError);
  expect((error as UnsupportedError).kinds).toEqual([kind]);
});

test("a caller and the log learn why no chain is reachable", async () => {
  const logged: string[] = [];
  const gone = new UnsupportedError("eip155:1: no connection");
  const facilitator = { supported: () => Promise.reject(gone) };
  const { url } = await serve(() => facilitator, { log: (line) => void logged.push(line) });
  const response = await fetch(`${url}/supported`);
  const why = "Cannot query what the facilitator supports: eip155:1: no connection";
  expect(await response.json()).toMatchObject({ status: 503, detail: why });
  expect(logged).toEqual([`facilitator: ${why}`]);
});

test("a Unix socket that accepts connections without responding is left to its process", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-socket-"));
  const unix = join(folder, "facilitator.sock");
  const held = new Set<Socket>();
  const silent = createServer((socket) => void held.add(socket));
  await new Promise<void>((resolve) => silent.listen(unix, resolve));
  cleanups.push(
    () => rmSync(folder, { recursive: true }),
    () => {
      for (const socket of held) socket.destroy();
      silent.close();
    },
  );
  expect(await serve(undefined, {}, { unix }).then(String, String)).toContain("Cannot listen on the socket");
  expect(held.size).toBe(1);
  expect(statSync(unix).isSocket()).toBe(true);
});

test("the status counts results by their kind, lists settlements, and names callers and the gas of the signers, only for the operator", async () => {
  const gas = [
    { network: "eip155:84532", account: PAYER, balance: "0.5", wei: 5n, isLow: true },
    { network: "eip155:8453", account: PAYER, cause: "the chain cannot be queried" },
  ] as const;
  const clock = () => NOW_S * 1000;
  const headers = { authorization: "Bearer s3cret" };
  const { url } = await serve(() => ({}), {
    gas: () => gas,
    clock,
    token: "s3cret",
    callers: [{ name: "shop", token: "another" }],
    rate: { perSecond: 0.5, now: () => 0 },
  });
  const wrong = bodyOf(signedPayment(NOW_S, { value: "1" }));
  await post(`${url}/verify`, wrong, headers);
  await post(`${url}/settle`, bodyOf(signedPayment(NOW_S)), headers);
  await post(`${url}/settle`, wrong, headers);
  for (let i = 0; i < 2; i += 1) await post(`${url}/verify`, wrong, { authorization: "Bearer another" });
  const status: unknown = await (await fetch(`${url}/status`, { headers })).json();
  expect(status).toEqual({
    since: "2027-01-15T08:00:00.000Z",
    counts: {
      "settle: invalid_exact_evm_payload_authorization_value_mismatch": 1,
      "settle: settled": 1,
      "verify: invalid_exact_evm_payload_authorization_value_mismatch": 2,
    },
    callers: [
      { name: "", verifications: 1, settlements: 2, limited: 0 },
      { name: "shop", verifications: 1, settlements: 0, limited: 1 },
    ],
    settlements: ["invalid_exact_evm_payload_authorization_value_mismatch", "settled"].map((result) => ({
      at: "2027-01-15T08:00:00.000Z",
      network: "Base Sepolia (eip155:84532)",
      amount: "$0.01",
      result,
      transaction: result === "settled" ? expect.stringMatching(/^0x[0-9a-f]{64}$/) : "",
    })),
    signers: [
      { network: "Base Sepolia (eip155:84532)", account: PAYER, gas: "0.5", state: "low" },
      { network: "Base (eip155:8453)", account: PAYER, gas: "the chain cannot be queried", state: "unknown" },
    ],
  });
  expect((await fetch(`${url}/status`)).status).toBe(401);
  const named = await fetch(`${url}/status`, { headers: { authorization: "Bearer another" } });
  expect(named.status).toBe(403);
  const page = await fetch(url);
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(await page.text()).not.toContain(PAYER);
});

test("the status lists at most 50 settlements", async () => {
  const { url } = await serve(() => ({ settle: async () => ({ kind: "refused", reason: "insufficient_funds" }) }));
  for (let i = 0; i < 51; i += 1) await post(`${url}/settle`, bodyOf(signedPayment(NOW_S)));
  const status: unknown = await (await fetch(`${url}/status`)).json();
  expect(status).toMatchObject({ counts: { "settle: insufficient_funds": 51 }, settlements: { length: 50 } });
});

test("a body may have 256 KiB", async () => {
  const { url } = await serve();
  const body = " ".repeat(256 * 1024);
  expect((await post(`${url}/verify`, body)).status).toBe(400);
  expect((await post(`${url}/verify`, `${body} `)).status).toBe(413);
});

test("the service listens on the given address alone", async () => {
  const first = await serve();
  const port = Number(new URL(first.url).port);
  expect(new URL(first.url).hostname).toBe("127.0.0.1");
  const second = await serve(undefined, {}, { hostname: "127.0.0.1", port }).then(String, messageOf);
  expect(second).toBe(`Cannot listen on 127.0.0.1:${port}: EADDRINUSE`);
});
