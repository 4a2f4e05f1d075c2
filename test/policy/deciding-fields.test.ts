/** Fields by which the gateway decides, sent twice or in another spelling, over every protocol. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { serverAt } from "../support/gateway.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { PROTOCOLS, type ProtocolGateway, startProtocols } from "./protocols.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(40_000));

const RATE = { requests_per_second: 1000, burst_size: 1000 };
let origin: RawOrigin;
let gateway: ProtocolGateway;

beforeAll(async () => {
  origin = await RawOrigin.start();
  const asked = serverAt(origin.port);
  const upstream = "origin";
  gateway = await startProtocols({
    upstreams: [{ name: upstream, servers: [asked] }],
    routes: [
      { path_prefix: "/tenant", tenant: { socket_dir: "/nowhere", header: "X-Tenant" } },
      { path_prefix: "/limited", upstream, rate_limit: { ...RATE, key: "header:X-Client" } },
      {
        path_prefix: "/split",
        upstream,
        traffic_split: [{ upstream, weight: 1 }],
        traffic_split_sticky: { header: "X-User" },
      },
      {
        path_prefix: "/asked",
        upstream,
        auth: {
          type: "forward_auth",
          url: `http://127.0.0.1:${origin.port}/check`,
          headers_forward: ["X-Session", "Cookie"],
        },
      },
      { path_prefix: "/env", upstream, match: { headers: [{ name: "X-Env", value: "admin" }] }, name: "admin" },
      { path_prefix: "/env", upstream },
      { path_prefix: "/plan", upstream, match: { query: [{ name: "plan", value: "free" }] }, name: "free" },
      { path_prefix: "/plan", upstream },
      { path_prefix: "/", upstream },
    ],
    // It does not load, so the tenant route responds with 503 to the requests that pass the check.
    wasm_filters: [{ match: "/tenant", module: "/nowhere.wasm" }],
  });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

beforeEach(() => origin.reset());

const CASES = [
  ["/tenant", "x-tenant"],
  ["/limited", "x-client"],
  ["/split", "x-user"],
  ["/asked", "x-session"],
  ["/env", "x-env"],
  ["/env/below", "x-env"],
  ["/", "x-env"],
] as const;

for (const protocol of PROTOCOLS) {
  test.each(CASES)(`over ${protocol}, %s refuses %s if it comes twice or with underscores`, async (path, name) => {
    const ask = async (...headers: (readonly [string, string])[]): Promise<number> =>
      (await gateway.request(protocol, { path, headers })).status;
    const other = name.replaceAll("-", "_");
    expect(await ask([name, "admin"], [name, "b"])).toBe(400);
    expect(await ask([name, "admin"], ["x-more", "1"], [name, ""])).toBe(400);
    expect(await ask([name, "same"], [name, "same"])).toBe(400);
    expect(await ask([name, "admin"], [other, "b"])).toBe(400);
    expect(await ask([other, "admin"])).toBe(400);
    if (protocol === "HTTP/1.1") expect(await ask([name, "admin"], [name.toUpperCase(), "b"])).toBe(400);
    expect(origin.requests).toEqual([]);
    if (path === "/tenant") return;
    expect(await ask([name, "a, b"], ["x-more", "1"], ["x-more", "2"])).toBe(200);
  });

  test(`over ${protocol}, trailers lose fields by which the route decides`, async () => {
    const trailers = [
      ["x-client", "b"],
      ["x_client", "b"],
      ["x-env", "admin"],
      ["x-sum", "5"],
    ] as const;
    const request = { method: "POST", path: "/limited", headers: { "x-client": "a" }, body: "body", trailers };
    expect((await gateway.request(protocol, request)).status).toBe(200);
    expect(origin.requests.at(-1)?.trailers.map(([name]) => name.toLowerCase())).toEqual(["x-sum"]);
  });
}

test.each(PROTOCOLS)("over %s, a query parameter by which a route is selected comes once", async (protocol) => {
  const ask = async (query: string): Promise<number> =>
    (await gateway.request(protocol, { path: `/plan?${query}` })).status;
  for (const query of ["plan=free&plan=full", "a=1&plan=full&b=2&plan=", "plan=free&pl%61n=full", "plan&plan"])
    expect(await ask(query)).toBe(400);
  expect(origin.requests).toEqual([]);
  for (const query of ["plan=free", "plan=full&a=1&a=2", "a=1&a=2", "plan=free%26plan=full"])
    expect(await ask(query)).toBe(200);
  const elsewhere = async (path: string): Promise<number> =>
    (await gateway.request(protocol, { path: `${path}?plan=a&plan=b` })).status;
  expect([await elsewhere("/"), await elsewhere("/plan/below"), await elsewhere("/env")]).toEqual([400, 400, 200]);
});

test("two Cookie lines are refused if the authentication service reads them; over HTTP/2 and HTTP/3 they are one field", async () => {
  const headers = [
    ["cookie", "a=1"],
    ["cookie", "b=2"],
  ] as const;
  const statuses = PROTOCOLS.map(
    async (protocol) => (await gateway.request(protocol, { path: "/asked", headers })).status,
  );
  expect(await Promise.all(statuses)).toEqual([400, 200, 200]);
});
