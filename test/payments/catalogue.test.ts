/** The list of a gateway's priced routes, from the real program. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { connect } from "node:http2";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

const TERMS = { asset: "USDC", network: "base-sepolia", pay_to: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C" };
const PATH = "/.well-known/x402";

let gateway: Gateway;
let origin: Bun.Server<undefined>;
let url: string;

beforeAll(async () => {
  origin = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("the origin's own") });
  const upstreams = [{ name: "shop", servers: [{ address: "127.0.0.1", port: origin.port }] }];
  gateway = await startGateway({
    x402: { enabled: true, test_mode: true, public_url: "https://api.example.com" },
    upstreams,
    routes: [
      { path_prefix: "/goods", upstream: "shop", x402: { ...TERMS, price: "$0.01", description: "Goods" } },
      { path_prefix: "/more", upstream: "shop", x402: { ...TERMS, price: "$0.02" } },
      { path_prefix: "/free", upstream: "shop" },
      { path_prefix: "/.well-known", upstream: "shop" },
    ],
  });
  url = `http://127.0.0.1:${gateway.port}`;
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop(true);
});

test("priced routes are listed free of charge with their payment requirements, and free routes are not listed", async () => {
  const response = await fetch(url + PATH);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
  const challenge = JSON.parse(atob((await fetch(`${url}/goods`)).headers.get("payment-required") ?? "")) as {
    accepts: unknown;
  };
  expect(await response.json()).toMatchObject({
    x402Version: 2,
    total: 2,
    resources: [
      { url: "https://api.example.com/goods", description: "Goods", accepts: challenge.accepts },
      { url: "https://api.example.com/more", accepts: [{ amount: "20000" }] },
    ],
  });
});

test("the prices of paths name the free ones, and leave out those without a route", async () => {
  const response = await fetch(`${url}${PATH}?path=/more&path=/free/a&path=/none&path=/%zz`);
  expect(await response.json()).toMatchObject({ total: 1, resources: [{ path: "/more" }], free: ["/free/a"] });
});

test("the manifest and llms.txt list the same resources, and llms.txt leaves its path to a free route", async () => {
  const manifest = await fetch(`${url}${PATH}.json`);
  expect(manifest.headers.get("access-control-allow-origin")).toBe("*");
  expect(await manifest.json()).toMatchObject({
    x402Version: 2,
    lastUpdated: expect.any(Number),
    items: [
      {
        resource: { url: "https://api.example.com/goods", description: "Goods" },
        type: "http",
        accepts: [{ amount: "10000" }],
        input: { method: "GET" },
      },
      { resource: { url: "https://api.example.com/more" } },
    ],
  });
  const text = await (await fetch(`${url}/llms.txt`)).text();
  expect(text).toStartWith("# api.example.com\n");
  expect(text).toContain(
    "- [any method https://api.example.com/goods](https://api.example.com/goods): Goods. $0.01 a request, on Base Sepolia (eip155:84532)\n",
  );
  expect(text).toContain("Test mode");
});

test("a free route keeps /llms.txt, and both documents can be switched off", async () => {
  const upstreams = [{ name: "shop", servers: [{ address: "127.0.0.1", port: origin.port }] }];
  const routes = [
    { path_prefix: "/goods", upstream: "shop", x402: { ...TERMS, price: "$0.01" } },
    { path_prefix: "/", upstream: "shop" },
  ];
  for (const [discovery, llms, manifest] of [
    [{}, "the origin's own", '{"x402Version":2'],
    [{ llms_txt: "always" }, "# 127.0.0.1", '{"x402Version":2'],
    [{ llms_txt: "never", manifest: false }, "the origin's own", "the origin's own"],
  ] as const) {
    const other = await startGateway({ x402: { enabled: true, test_mode: true, discovery }, upstreams, routes });
    const at = `http://127.0.0.1:${other.port}`;
    expect(await (await fetch(`${at}/llms.txt`)).text()).toStartWith(llms);
    expect(await (await fetch(`${at}${PATH}.json`)).text()).toStartWith(manifest);
    await other.stop();
  }
});

test("the list is the same over HTTP/2, has no body for HEAD, and supports no other method", async () => {
  const text = await (await fetch(url + PATH)).text();
  const session = connect(url);
  const stream = session.request({ ":path": PATH });
  let body = "";
  for await (const chunk of stream.setEncoding("utf8")) body += String(chunk);
  session.close();
  expect(body).toBe(text);
  const head = await fetch(url + PATH, { method: "HEAD" });
  expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, String(text.length), ""]);
  const post = await fetch(url + PATH, { method: "POST" });
  expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  expect(await (await fetch(`${url}${PATH}/more`)).text()).toBe("the origin's own");
});

test("a gateway without priced routes does not reserve the path", async () => {
  const servers = [{ address: "127.0.0.1", port: origin.port }];
  const free = await startGateway({
    upstreams: [{ name: "shop", servers }],
    routes: [{ path_prefix: "/", upstream: "shop" }],
  });
  expect(await (await fetch(`http://127.0.0.1:${free.port}${PATH}`)).text()).toBe("the origin's own");
  await free.stop();
});
