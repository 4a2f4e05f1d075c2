/**
 * An upstream that routes name is deleted and added again, in all workers, over every protocol and with both ledgers:
 * meanwhile its routes respond with 503 and settle no payment, and requests in flight end as before.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { TERMS } from "../../src/payments/testing/payment.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../../src/store/testing/postgres.ts";
import { serverAt } from "../support/gateway.ts";
import { until } from "../support/program.ts";
import { ask, newPayment, nonceOf, PROTOCOLS, type Shop, Shops } from "./shops.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(60_000));

const KEY = "the-key-of-operators";
const BEFORE = { ...TERMS, settle: "before" };
/** Requests at once, so that the kernel gives some to each worker. */
const AT_ONCE = 12;

const shops = new Shops();
let database: SharedPostgres | undefined;
let held: (() => void)[] = [];
let arrived = 0;
const origin = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch({ url }) {
    arrived++;
    if (url.includes("held")) await new Promise<void>((resolve) => held.push(resolve));
    return new Response("of origin");
  },
});
const other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("of other") });

const ORIGIN = { name: "origin", servers: [serverAt(origin.port ?? 0)] };
const split = (...names: string[]): object[] => names.map((upstream) => ({ upstream, weight: 1 }));
const ROUTES = [
  { path_prefix: "/free", upstream: "origin" },
  { path_prefix: "/after", upstream: "origin", x402: TERMS },
  { path_prefix: "/before", upstream: "origin", x402: BEFORE },
  { path_prefix: "/split", upstream: "other", traffic_split: split("origin", "other") },
  { path_prefix: "/paid-split", upstream: "other", traffic_split: split("origin", "other"), x402: BEFORE },
  {
    path_prefix: "/changed-split",
    upstream: "other",
    traffic_split: [{ upstream: "origin", weight: 1, rewrite: { path: "/x" } }, ...split("other")],
    x402: BEFORE,
  },
  { path_prefix: "/mirrored", upstream: "other", mirror: "origin" },
  { path_prefix: "/other", upstream: "other" },
];

afterAll(async () => {
  for (const end of held) end();
  await shops.close();
  await Promise.all([origin.stop(true), other.stop(true)]);
});

describe.each(["SQLite", "PostgreSQL"])("%s", (store) => {
  if (store === "PostgreSQL" && !hasPostgres) return;
  let shop: Shop;
  let admin = "";

  beforeAll(async () => {
    if (store === "PostgreSQL") database = await sharedPostgres();
    const port = await freePort();
    admin = `http://127.0.0.1:${port}`;
    shop = await shops.open({
      server: { workers: 2 },
      admin: { enabled: true, port, api_key: KEY },
      upstreams: [ORIGIN, { name: "other", servers: [serverAt(other.port ?? 0)] }],
      routes: ROUTES,
      ...(database === undefined ? {} : { postgres: { url: database.url(await database.newUser()) } }),
    });
  });

  async function call(method: string, path: string, body?: object) {
    const headers = { "x-api-key": KEY, "content-type": "application/json" };
    const response = await fetch(admin + path, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  /** Describes the response to a request. With `settle`, the request has a new payment. */
  async function gets(path: string, protocol: (typeof PROTOCOLS)[number], settle?: "before" | "after") {
    const payment = newPayment(settle);
    const headers = settle === undefined ? {} : { "payment-signature": encodeHeader(payment) };
    const { status, headers: fields, body } = await ask(protocol, shop, { path, headers });
    const isWaiting = status === 503 && Number(fields["retry-after"]) > 0 && body.includes(":no-servers");
    const settled = shops.facilitator.settles.get(nonceOf(payment)) ?? 0;
    return `${isWaiting ? "waits" : status === 200 ? body : status}${settled > 0 ? ", settled" : ""}`;
  }

  async function allGet(path: string, settle?: "before" | "after"): Promise<string[]> {
    const all = Array.from({ length: AT_ONCE }, (_, i) => gets(path, PROTOCOLS[i % 3] ?? "HTTP/2", settle));
    return [...new Set(await Promise.all(all))].toSorted();
  }

  test("its routes wait until it is added again, and no payment is settled meanwhile", async () => {
    expect(await allGet("/after", "after")).toEqual(["of origin, settled"]);
    held = [];
    const paths = ["/free/held", "/before/held", "/after/held"] as const;
    const inFlight = PROTOCOLS.map((protocol, i) =>
      gets(paths[i] ?? "", protocol, i === 0 ? undefined : i === 1 ? "before" : "after"),
    );
    await until("requests are in flight", () => (held.length === 3 ? true : undefined));
    const verified = Promise.withResolvers<undefined>();
    let asked = false;
    shops.facilitator.hand = () => {
      if (asked) return undefined;
      asked = true;
      return verified.promise;
    };
    const admitted = gets("/before", "HTTP/1.1", "before");
    await until("a payment is verified", () => (asked ? true : undefined));
    const before = arrived;

    expect(await call("DELETE", "/v1/upstreams/origin")).toMatchObject({
      status: 200,
      body: {
        deleted: "origin",
        waiting: ["/free", "/after", "/before", "/split", "/paid-split", "/changed-split", "/mirrored"],
      },
    });
    expect(await allGet("/free")).toEqual(["waits"]);
    for (const settle of ["after", "before"] as const) {
      expect(await allGet(`/${settle}`)).toEqual(["waits"]);
      expect(await allGet(`/${settle}`, settle)).toEqual(["waits"]);
    }
    expect(await allGet("/split")).toEqual(["of other", "waits"]);
    expect(await allGet("/paid-split", "before")).toEqual(["of other, settled"]);
    expect(await allGet("/changed-split", "before")).toEqual(["of other, settled"]);
    expect(await allGet("/mirrored")).toEqual(["of other"]);
    expect(await allGet("/other")).toEqual(["of other"]);
    expect([arrived, held.length]).toEqual([before, 3]);
    const { body: listed } = await call("GET", "/v1/upstreams");
    expect(listed).toMatchObject({ upstreams: [{ name: "origin", deleted: true, servers: [] }, { name: "other" }] });

    verified.resolve(undefined);
    expect(await admitted).toBe("of origin, settled");
    for (const end of held) end();
    expect(await Promise.all(inFlight)).toEqual(["of origin", "of origin, settled", "of origin, settled"]);

    expect((await call("POST", "/v1/upstreams", ORIGIN)).status).toBe(201);
    expect(await allGet("/free")).toEqual(["of origin"]);
    expect(await allGet("/after", "after")).toEqual(["of origin, settled"]);
    expect(await allGet("/before", "before")).toEqual(["of origin, settled"]);
    expect(await allGet("/split")).toEqual(["of origin", "of other"]);
    expect(await allGet("/mirrored")).toEqual(["of other"]);
  });
});
