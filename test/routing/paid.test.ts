/** Routes with conditions and actions, together with a price. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";
import { NamedOrigins } from "./named-origins.ts";

setDefaultTimeout(patient(30_000));

const TERMS = { asset: "USDC", network: "base-sepolia", pay_to: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C" };

let origins: NamedOrigins;
let gateway: Gateway;
let url: string;

beforeAll(async () => {
  origins = await NamedOrigins.start(["shop"]);
  gateway = await startGateway({
    x402: { enabled: true, test_mode: true, public_url: "https://api.example.com" },
    upstreams: [{ name: "shop", servers: [serverAt(origins.port("shop"))] }],
    routes: [
      { path_prefix: "/", upstream: "shop" },
      {
        path_prefix: "/orders",
        name: "write",
        upstream: "shop",
        match: { methods: ["POST"] },
        x402: { ...TERMS, price: "$0.01" },
      },
      { path_prefix: "/orders", upstream: "shop" },
      { path_prefix: "/once", upstream: "shop", match: { exact_path: true }, x402: { ...TERMS, price: "$0.02" } },
      { path_prefix: "/moved", redirect: { path: "/there" }, x402: { ...TERMS, price: "$0.03" } },
      { path_prefix: "/tip", fixed_response: { body: "thanks" }, x402: { ...TERMS, price: "$0.04" } },
    ],
  });
  url = `http://127.0.0.1:${gateway.port}`;
});

afterAll(async () => {
  await gateway.stop();
  await origins.stop();
});

const status = async (path: string, init?: RequestInit): Promise<number> =>
  (await fetch(url + path, { redirect: "manual", ...init })).status;

test("a price by method, and of redirects and fixed responses", async () => {
  expect(await status("/orders")).toBe(200);
  expect(await status("/orders", { method: "POST" })).toBe(402);
  expect(await status("/moved")).toBe(402);
  expect(await status("/tip")).toBe(402);
  expect(await status("/once")).toBe(402);
  expect(await status("/once/below")).toBe(200);
});

test("no other spelling and no method override avoids a price by method", async () => {
  origins.reset();
  expect(await status("/once/")).toBe(400);
  expect(await status("/ONCE")).toBe(400);
  expect(await status("/once;x=1")).toBe(400);
  expect(await status("/orders", { headers: { "x-http-method-override": "POST" } })).toBe(400);
  expect(origins.seen).toEqual([]);
});

test("the catalogue lists the methods of a price", async () => {
  const all = (await (await fetch(`${url}/.well-known/x402`)).json()) as { resources: { url: string }[] };
  expect(all.resources.map(({ url: resource }) => resource)).toEqual(
    ["/orders", "/once", "/moved", "/tip"].map((path) => `https://api.example.com${path}`),
  );
  expect(all.resources[0]).toMatchObject({ methods: ["POST"] });
  const one = await (await fetch(`${url}/.well-known/x402?path=/orders`)).json();
  expect(one).toMatchObject({ resources: [{ path: "/orders", methods: ["POST"], accepts: [{ amount: "10000" }] }] });
});
