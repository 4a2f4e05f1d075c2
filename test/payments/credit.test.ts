/** Prepaid credit through the real gateway, over every protocol and on each store. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { hexToBytes } from "@noble/hashes/utils.js";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { type SignIn, signInText } from "../../src/payments/credit/sign-in.ts";
import { type Eip3009Payment, type PaymentRequired } from "../../src/payments/x402/messages.ts";
import { decodeHeader, encodeHeader } from "../../src/payments/x402/header.ts";
import { hashText } from "../../src/payments/signatures/eip712.ts";
import { signHash } from "../../src/payments/signatures/signature.ts";
import { PAYEE, PAYER, PRIVATE_KEY, REQUIREMENTS, signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { openStore } from "../../src/store/open/open-store.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../../src/store/testing/postgres.ts";
import { issueCredit } from "../../src/payments/credit/issue.ts";
import { type Store } from "../../src/store/store.ts";
import { type ProtocolGateway, PROTOCOLS, startProtocols } from "../policy/protocols.ts";
import { serverAt } from "../support/gateway.ts";
import { Folder } from "../support/program.ts";

setDefaultTimeout(patient(60_000));

const PRICE = 10_000;
const PATH = "/.turnpike/credit";
const STORES = ["sqlite", "postgres"] as const;

interface Sold {
  readonly token: string;
  readonly credit: { readonly id: string; readonly balance: string; readonly unit: string; readonly owner: string };
}

/** The fields of a request with a token. */
function bearer(token: string, key?: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, ...(key === undefined ? {} : { "idempotency-key": key }) };
}

/** The time in `ms` milliseconds. */
function at(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}

let origin: Bun.Server<undefined>;
/** The fields of requests that reached the upstream, by path. */
const runs = new Map<string, Headers>();
let count = 0;

beforeAll(() => {
  origin = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      count += 1;
      const { pathname } = new URL(request.url);
      runs.set(pathname, new Headers(request.headers));
      if (pathname.endsWith("/fails")) return new Response("sorry", { status: 500 });
      if (pathname.endsWith("/half"))
        return new Response("half", { headers: { "settlement-overrides": '{"amount":"50%"}' } });
      return new Response(`goods ${count}`);
    },
  });
});

afterAll(() => origin.stop(true));

describe.each(STORES)("on %s", (kind) => {
  if (kind === "postgres" && !hasPostgres) return;
  const folder = new Folder();
  let database: SharedPostgres | undefined;
  let user = "";
  let gateways: ProtocolGateway[] = [];
  let store: Store;

  function config(): Record<string, unknown> {
    const passes = [
      { name: "three", price: "$0.02", calls: 3, seconds: 3600, routes: ["/paid"] },
      { name: "hour", price: "$0.05", seconds: 3600 },
    ];
    const { price: _price, scheme: _scheme, ...account } = TERMS;
    const credit = { ...account, min: "$0.01", max: "$100", passes };
    const upstream = "origin";
    return {
      state_path: folder.path,
      access_log: { enabled: true, path: folder.file("access.log"), format: "json" },
      x402: { enabled: true, test_mode: true, public_url: "https://shop.test", credit },
      upstreams: [{ name: upstream, servers: [serverAt(origin.port ?? 0)] }],
      routes: [
        { path_prefix: "/paid", upstream, x402: TERMS },
        { path_prefix: "/before", upstream, x402: { ...TERMS, settle: "before" } },
        { path_prefix: "/upto", upstream, x402: { ...TERMS, scheme: "upto" } },
        { path_prefix: "/dear", upstream, x402: { ...TERMS, price: "$50" } },
        {
          path_prefix: "/own",
          upstream,
          x402: {
            ...TERMS,
            rules: [
              { payers: [PAYER], match: { path_pattern: "/own/free" }, free: true },
              { payers: [PAYER], price: "$0.002" },
            ],
          },
        },
        { path_prefix: "/free", upstream },
        {
          path_prefix: "/mixed",
          upstream,
          x402: { ...TERMS, exempt_consumers: ["friend"] },
          auth: {
            type: "chain",
            methods: [
              { type: "jwt", secret: "s".repeat(32) },
              { type: "api_key", keys: [{ key: "friend-key", name: "friend" }] },
              { type: "none" },
            ],
          },
        },
      ],
      ...(database === undefined ? {} : { postgres: { url: database.url(user) } }),
    };
  }

  beforeAll(async () => {
    if (kind === "postgres") {
      database = await sharedPostgres();
      user = await database.newUser();
    }
    gateways = [await startProtocols(config()), await startProtocols(config())];
    store =
      database === undefined ? openStore(folder.file("turnpike.db")) : openPostgresStore(database.settings({ user }));
    await store.ready();
  });

  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await store.close();
    folder.remove();
  });

  function url(path: string, gateway = 0): string {
    return `http://127.0.0.1:${gateways[gateway]?.plainPort}${path}`;
  }

  /** Asks for a purchase, and signs the payment that the challenge asks for. */
  async function signed(body: object, headers: Record<string, string> = {}): Promise<Eip3009Payment> {
    const json = { "content-type": "application/json", ...headers };
    const asked = await fetch(url(PATH), { method: "POST", headers: json, body: JSON.stringify(body) });
    expect(asked.status).toBe(402);
    const { accepts } = decodeHeader(asked.headers.get("payment-required") ?? "") as PaymentRequired;
    const [accepted = REQUIREMENTS] = accepts;
    return { ...signedPayment(Date.now() / 1000, { value: accepted.amount }), accepted };
  }

  function buyWith(payment: object, body: object, headers: Record<string, string> = {}): Promise<Response> {
    const all = { "content-type": "application/json", "payment-signature": encodeHeader(payment), ...headers };
    return fetch(url(PATH), { method: "POST", headers: all, body: JSON.stringify(body) });
  }

  async function buy(body: object = { amount: "$1" }): Promise<Sold> {
    const response = await buyWith(await signed(body), body);
    expect(response.status).toBe(201);
    return (await response.json()) as Sold;
  }

  async function balance({ credit }: Sold): Promise<number> {
    return Number((await store.credits.find(credit.id))?.balance);
  }

  /** The balance, once the charges in flight have ended. */
  async function settled(sold: Sold, amount: number): Promise<void> {
    await until(async () => (await balance(sold)) === amount);
  }

  test("a client buys credit, and its token pays over every protocol", async () => {
    const sold = await buy({ amount: "$1" });
    expect(sold.credit).toMatchObject({ balance: "1000000", unit: "money", owner: PAYER });
    for (const [i, protocol] of PROTOCOLS.entries()) {
      const headers = i === 1 ? { "x-api-key": sold.token } : bearer(sold.token);
      const reply = await gateways[i % 2]?.request(protocol, { path: `/paid/${protocol[5]}`, headers });
      expect([protocol, reply?.status]).toEqual([protocol, 200]);
      const receipt = decodeHeader(reply?.header("payment-response") ?? "");
      expect(receipt).toMatchObject({ success: true, network: "credit:84532", amount: "10000", payer: PAYER });
      expect(await balance(sold)).toBe(1_000_000 - (i + 1) * PRICE);
      const told = runs.get(`/paid/${protocol[5]}`);
      expect([told?.get("turnpike-payer"), told?.get("turnpike-amount")]).toEqual([PAYER, "10000"]);
      expect([told?.get("authorization"), told?.get("x-api-key")]).toEqual([null, null]);
    }
    const read = async (): Promise<unknown> => (await fetch(url(PATH), { headers: bearer(sold.token) })).json();
    // A delivery is recorded a moment after the client has the response.
    await until(async () => !JSON.stringify(await read()).includes('"delivered":false'));
    expect(await read()).toMatchObject({
      credit: { balance: "970000" },
      grants: [{ kind: "bought", amount: "1000000" }],
      charges: [{ route: "/paid", state: "settled", delivered: true }, {}, {}],
    });
    let log = "";
    await until(() => {
      log = readFileSync(folder.file("access.log"), "utf8");
      return log.split(`"payer":"${PAYER}"`).length > PROTOCOLS.length;
    });
    expect(log).not.toContain(sold.token);
  });

  test("a token is never forwarded, not even on a free route, and one in the query pays for nothing", async () => {
    const sold = await buy();
    const free = await fetch(url("/free/x"), { headers: { ...bearer(sold.token), "x-api-key": sold.token } });
    expect(free.status).toBe(200);
    expect(runs.get("/free/x")?.get("authorization")).toBeNull();
    expect(runs.get("/free/x")?.get("x-api-key")).toBeNull();
    const other = await fetch(url("/free/y"), { headers: { authorization: "Bearer other", "x-api-key": "mine" } });
    expect(other.status).toBe(200);
    expect(runs.get("/free/y")?.get("authorization")).toBe("Bearer other");
    expect((await fetch(url(`/paid?api_key=${sold.token}&token=${sold.token}`))).status).toBe(402);
    const two = await fetch(url("/paid"), { headers: { "x-api-key": `${sold.token}, ${sold.token}` } });
    expect(two.status).toBe(402);
    expect(await balance(sold)).toBe(1_000_000);
  });

  test("a token gets the prices of its owner at once, and a revoked one does not", async () => {
    const sold = await buy();
    for (const protocol of PROTOCOLS) {
      for (const path of ["/own/x", "/own/free"]) {
        const reply = await gateways[0]?.request(protocol, { path, headers: bearer(sold.token) });
        expect([path, reply?.status]).toEqual([path, 200]);
      }
    }
    await settled(sold, 1_000_000 - PROTOCOLS.length * 2000);
    await fetch(url(PATH), { method: "DELETE", headers: bearer(sold.token) });
    expect((await fetch(url("/own/free"), { headers: bearer(sold.token) })).status).toBe(402);
  });

  test("a token and other credentials share one route", async () => {
    const sold = await buy();
    expect((await fetch(url("/mixed/a"), { headers: { "x-api-key": "friend-key" } })).status).toBe(200);
    expect((await fetch(url("/mixed/b"), { headers: bearer(sold.token) })).status).toBe(200);
    expect((await fetch(url("/mixed/c"))).status).toBe(402);
    expect(await balance(sold)).toBe(1_000_000 - PRICE);
  });

  test("a token that does not pay gets the ordinary challenge with a reason", async () => {
    const sold = await buy({ amount: "$0.02" });
    const reason = async (path: string, token: string): Promise<unknown> => {
      const response = await fetch(url(path), { headers: bearer(token) });
      const { error, accepts } = decodeHeader(response.headers.get("payment-required") ?? "") as PaymentRequired;
      expect(accepts).toHaveLength(1);
      return [response.status, error];
    };
    expect(await reason("/dear", sold.token)).toEqual([402, "credit_insufficient"]);
    const wrong = `${sold.token.slice(0, -1)}${sold.token.endsWith("A") ? "B" : "A"}`;
    for (const token of [wrong, "tpc_", `tpc_${"0".repeat(20)}_${"x".repeat(43)}`]) {
      expect(await reason("/paid", token)).toEqual([402, "credit_token_unknown"]);
    }
    const revoked = await fetch(url(PATH), { method: "DELETE", headers: bearer(sold.token) });
    expect(await revoked.json()).toMatchObject({ credit: { state: "revoked", balance: "20000" } });
    expect(await reason("/paid", sold.token)).toEqual([402, "credit_revoked"]);
    expect(await balance(sold)).toBe(20_000);
  });

  test("a payment is used in place of a token, if a request has both", async () => {
    const sold = await buy();
    const headers = { ...bearer(sold.token), "payment-signature": encodeHeader(signedPayment(Date.now() / 1000)) };
    const response = await fetch(url("/paid"), { headers });
    expect(decodeHeader(response.headers.get("payment-response") ?? "")).toMatchObject({ network: "eip155:84532" });
    expect(await balance(sold)).toBe(1_000_000);
  });

  test("requests with one Idempotency-Key over two gateways are one charge, and get the same response", async () => {
    const sold = await buy();
    const ask = (i: number): Promise<Response> =>
      fetch(url("/paid/same", i % 2), { headers: bearer(sold.token, "key-1") });
    const first = await ask(0);
    const goods = await first.text();
    const again = await ask(kind === "sqlite" ? 0 : 1);
    expect([again.status, await again.text()]).toEqual([200, goods]);
    expect((await fetch(url("/paid/other"), { headers: bearer(sold.token, "key-1") })).status).toBe(409);
    expect(await balance(sold)).toBe(1_000_000 - PRICE);
    const many = await Promise.all(
      Array.from({ length: 20 }, (_, i) => fetch(url("/paid/raced", i % 2), { headers: bearer(sold.token, "key-2") })),
    );
    expect(many.every(({ status }) => status === 200 || status === 409)).toBe(true);
    await settled(sold, 1_000_000 - 2 * PRICE);
    for (const key of ["", "k".repeat(300)]) {
      expect((await fetch(url("/paid"), { headers: bearer(sold.token, key) })).status).toBe(400);
    }
  });

  test("a hundred requests over two gateways with a balance for ten get ten responses", async () => {
    const sold = await buy({ amount: "$0.1" });
    const all = await Promise.all(
      Array.from({ length: 100 }, (_, i) => fetch(url("/paid/race", i % 2), { headers: bearer(sold.token) })),
    );
    expect(all.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(all.filter(({ status }) => status === 402)).toHaveLength(90);
    expect(await balance(sold)).toBe(0);
  });

  test("a failed response is free, before and after, and upto charges what the upstream says", async () => {
    const sold = await buy();
    for (const path of ["/paid/fails", "/before/fails"]) {
      expect((await fetch(url(path), { headers: bearer(sold.token) })).status).toBe(500);
      await settled(sold, 1_000_000);
    }
    expect((await fetch(url("/before/x"), { headers: bearer(sold.token) })).status).toBe(200);
    await settled(sold, 1_000_000 - PRICE);
    const half = await fetch(url("/upto/half"), { headers: bearer(sold.token) });
    expect([half.status, decodeHeader(half.headers.get("payment-response") ?? "")]).toMatchObject([
      200,
      { amount: "5000" },
    ]);
    await settled(sold, 1_000_000 - 1.5 * PRICE);
  });

  test("a top-up by one payment counts once, whoever sends it again", async () => {
    const sold = await buy({ amount: "$0.02" });
    const body = { amount: "$3" };
    const payment = await signed(body, bearer(sold.token));
    const topUp = (): Promise<Response> => buyWith(payment, body, bearer(sold.token));
    const first = await topUp();
    expect([first.status, await first.json()]).toMatchObject([200, { credit: { balance: "3020000" } }]);
    const again = await Promise.all([topUp(), topUp(), buyWith(payment, body)]);
    expect(again.map(({ status }) => status)).toEqual([409, 409, 409]);
    expect(await balance(sold)).toBe(3_020_000);
    expect((await fetch(url(PATH), { method: "POST", headers: bearer("tpc_none") })).status).toBe(401);
  });

  test("a balance that has ended is closed: a top-up is refused, and its payment stays unused", async () => {
    const terms = { owner: PAYER.toLowerCase(), unit: "money", name: "", routes: [], network: TERMS.network } as const;
    const ended = { ...terms, token: TERMS.asset, expiresAt: Date.now() - 1 };
    const grant = { kind: "issued", amount: "70000", payment: "" } as const;
    const { id, token } = await issueCredit(store.credits, ended, grant, true);
    const before = await store.credits.find(id);
    const body = { amount: "$1" };
    const payment = await signed(body);
    for (const refused of [
      await fetch(url(PATH), { method: "POST", headers: bearer(token) }),
      await buyWith(payment, body, bearer(token)),
      await buyWith(payment, body, bearer(token)),
    ]) {
      expect(refused.status).toBe(403);
      expect(await refused.json()).toMatchObject({ detail: "Cannot top up this credit: it is expired" });
    }
    expect(before?.balance).toBe("70000");
    expect(await store.credits.find(id)).toEqual(before);
    expect((await buyWith(payment, body)).status).toBe(201);
  });

  test("amounts that are negative, zero, huge or no numbers buy nothing", async () => {
    const amounts = ["-1", "0", "$0", "$-5", "1e9", "9".repeat(78), "$101", "$0.001", "", " 5000000", "NaN"];
    for (const body of [...amounts.map((amount) => ({ amount })), { amount: 5 }, { pass: "none" }, { more: 1 }, []]) {
      const headers = { "content-type": "application/json" };
      const response = await fetch(url(PATH), { method: "POST", headers, body: JSON.stringify(body) });
      expect([body, response.status]).toEqual([body, 400]);
    }
  });

  test("a pass pays for its number of requests on its routes", async () => {
    const pass = await buy({ pass: "three" });
    expect(pass.credit).toMatchObject({ unit: "calls", balance: "3", name: "three" });
    const headers = bearer(pass.token);
    expect((await fetch(url("/before/x"), { headers })).status).toBe(402);
    expect((await fetch(url("/paid/fails"), { headers })).status).toBe(500);
    await settled(pass, 3);
    const statuses = await Promise.all(
      Array.from({ length: 9 }, async (_, i) => (await fetch(url("/paid/x", i % 2), { headers })).status),
    );
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 402, 402, 402, 402, 402, 402]);
    const [charge] = await store.credits.charges(pass.credit.id, 1);
    expect(charge).toMatchObject({ network: "credit:calls", token: "calls", amount: "1" });
    const topUp = await fetch(url(PATH), { method: "POST", headers });
    expect(topUp.status).toBe(403);
  });

  test("a pass for a time pays for every request until it ends", async () => {
    const pass = await buy({ pass: "hour" });
    expect(pass.credit).toMatchObject({ unit: "time", balance: "0" });
    for (const path of ["/dear/x", "/paid/x", "/before/x", "/upto/half"]) {
      expect([path, (await fetch(url(path), { headers: bearer(pass.token) })).status]).toEqual([path, 200]);
    }
  });

  test("a wallet signs in for a new token, once for each message, and only here", async () => {
    const sold = await buy();
    const asked = await fetch(url(`${PATH}/sign-in`));
    expect(asked.status).toBe(402);
    const required = decodeHeader(asked.headers.get("payment-required") ?? "") as PaymentRequired;
    const { info } = (required.extensions ?? {})["sign-in-with-x"] as { info: SignIn };
    expect(info).toMatchObject({ domain: "shop.test", uri: `https://shop.test${PATH}` });
    const sign = (change: object = {}): string => {
      const message: SignIn = {
        ...info,
        ...change,
        address: PAYER,
        chainId: "eip155:8453",
        type: "eip191",
        signature: "",
      };
      const text = signInText(message);
      const hash = hashText(`\u0019Ethereum Signed Message:\n${text.length}${text}`);
      return encodeHeader({ ...message, signature: signHash(hash, hexToBytes(PRIVATE_KEY.slice(2))) });
    };
    const send = (header: string, id = sold.credit.id): Promise<Response> =>
      fetch(url(`${PATH}/sign-in?id=${id}`), { method: "POST", headers: { "sign-in-with-x": header } });
    const header = sign();
    const both = await Promise.all([send(header), send(header)]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
    const renewed = (await both.find(({ status }) => status === 200)?.json()) as Sold;
    expect((await fetch(url("/paid"), { headers: bearer(renewed.token) })).status).toBe(200);
    expect((await fetch(url("/paid"), { headers: bearer(sold.token) })).status).toBe(402);
    const minute = 60_000;
    for (const change of [
      { domain: "evil.test" },
      { uri: "https://evil.test/" },
      { issuedAt: at(-6 * minute), expirationTime: undefined },
      { issuedAt: at(2 * minute) },
      { expirationTime: at(-1000) },
      { notBefore: at(minute) },
      { nonce: "short" },
      { statement: "two\nlines" },
    ]) {
      const fresh = { nonce: crypto.randomUUID().replaceAll("-", ""), ...change };
      expect([change, (await send(sign(fresh))).status]).toEqual([change, 401]);
    }
    const forged = { ...(decodeHeader(sign({ nonce: "0".repeat(32) })) as SignIn), address: PAYEE };
    expect((await send(encodeHeader(forged))).status).toBe(401);
    expect((await send("not base64!")).status).toBe(401);
    expect((await send(sign({ nonce: "1".repeat(32) }), "0".repeat(20))).status).toBe(404);
  });

  test("other methods and paths get errors", async () => {
    expect((await fetch(url(PATH))).status).toBe(401);
    expect((await fetch(url(PATH), { method: "PUT" })).status).toBe(405);
    expect((await fetch(url(`${PATH}/none`))).status).toBe(404);
    expect((await fetch(url(PATH), { method: "POST", body: "x" })).status).toBe(415);
  });
});
