/** Rewrites, redirects, mirrors and header rules of entries of `traffic_split`, over every protocol. */
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { begin, response, told, WireRig } from "../grpc/testing/wire.ts";
import { PROTOCOLS, type ProtocolGateway, type Reply, type Request, startProtocols } from "../policy/protocols.ts";
import { serverAt } from "../support/gateway.ts";
import * as h2 from "../support/http2-frames.ts";
import { valuesOf } from "../support/message.ts";
import { openTunnel } from "../websocket/testing/tunnel-client.ts";
import { TunnelOrigin } from "../websocket/testing/tunnel-origin.ts";
import { NamedOrigins, type Seen } from "./named-origins.ts";

setDefaultTimeout(patient(30_000));

const backend = (upstream: string, more: object = {}): object => ({ upstream, weight: 1, ...more });
const added = (value: string): object => ({ headers: { request: { add: [{ name: "X-Backend", value }] } } });
const MOVED = { host: "new.example", prefix: "/now", status: 301 };

const ROUTES: readonly object[] = [
  {
    path_prefix: "/rewritten",
    upstream: "v1",
    traffic_split: [
      backend("v1", { rewrite: { prefix: "/one" } }),
      backend("v2", { rewrite: { path: "/two", host: "two.example" }, ...added("two") }),
      backend("v3"),
    ],
  },
  {
    path_prefix: "/partly",
    upstream: "v1",
    rewrite: { prefix: "/route", host: "route.example" },
    traffic_split: [
      backend("v1", { rewrite: { host: "one.example" } }),
      backend("v2", { rewrite: { prefix: "/two" } }),
      backend("v3", added("three")),
    ],
  },
  {
    path_prefix: "/moving",
    upstream: "v1",
    traffic_split: [
      backend("v1"),
      { weight: 1, redirect: MOVED, headers: { response: { add: [{ name: "X-Moved", value: "yes" }] } } },
    ],
  },
  {
    path_prefix: "/copied",
    upstream: "v1",
    mirrors: [{ upstream: "v3" }],
    traffic_split: [
      backend("v1", { rewrite: { path: "/one" }, mirrors: [{ upstream: "v2" }, { upstream: "v1", percent: 0 }] }),
      backend("v1"),
    ],
  },
  {
    path_prefix: "/sticky",
    upstream: "v1",
    traffic_split: [backend("v1", added("one")), backend("v1", added("two")), backend("v1", added("three"))],
    traffic_split_sticky: { header: "X-User" },
  },
  {
    path_prefix: "/cached",
    upstream: "v1",
    cache: { ttl_s: 60 },
    traffic_split: [backend("v1", { rewrite: { prefix: "/one" } })],
  },
  {
    path_prefix: "/gone",
    upstream: "v1",
    cache: { ttl_s: 60 },
    traffic_split: [backend("gone", { rewrite: { prefix: "/one" } })],
  },
];

let origins: NamedOrigins;
let gateway: ProtocolGateway;

beforeAll(async () => {
  origins = await NamedOrigins.start(["v1", "v2", "v3"]);
  gateway = await startProtocols({
    upstreams: [
      ...origins.names.map((name) => ({ name, servers: [serverAt(origins.port(name))] })),
      { name: "gone", servers: [serverAt(await freePort())] },
    ],
    routes: ROUTES,
  });
});

beforeEach(() => origins.reset());

afterAll(async () => {
  await gateway.stop();
  await origins.stop();
});

/** The lines of the requests at origins, without repetitions, in alphabetical order. */
function received(line: (seen: Seen) => string): string[] {
  return [...new Set(origins.seen.map(line))].toSorted();
}

function target({ origin, path, headers }: Seen): string {
  return `${origin} ${headers.get("host") ?? ""}${path}`;
}

function copies(): string[] {
  return received((seen) => `${target(seen)} ${seen.body}`);
}

describe.each(PROTOCOLS)("by %s", (protocol) => {
  async function several(count: number, request: Request): Promise<Reply[]> {
    const replies: Reply[] = [];
    for (let i = 0; i < count; i++) replies.push(await gateway.request(protocol, request));
    return replies;
  }

  test("each backend gets its own path and host", async () => {
    await several(9, { path: "/rewritten/a?q=1" });
    expect(received((seen) => `${target(seen)} ${seen.headers.get("x-backend")}`)).toEqual([
      "v1 localhost/one/a?q=1 null",
      "v2 two.example/two?q=1 two",
      "v3 localhost/rewritten/a?q=1 null",
    ]);
    expect(received(({ headers }) => headers.get("x-forwarded-host") ?? "")).toEqual(["localhost"]);
  });

  test("a backend's path or host replaces that of the route, and the other part stays", async () => {
    await several(9, { method: "POST", path: "/partly/a", body: "x" });
    expect(received((seen) => `${target(seen)} ${seen.body}`)).toEqual([
      "v1 one.example/route/a x",
      "v2 route.example/two/a x",
      "v3 route.example/route/a x",
    ]);
  });

  test("a share of the requests is redirected", async () => {
    const replies = await several(6, { method: "POST", path: "/moving/a?q=1", body: "dropped" });
    const moved = replies.filter(({ status }) => status === 301);
    expect(moved.length).toBeWithin(2, 5);
    expect(origins.seen).toHaveLength(6 - moved.length);
    expect(new Set(moved.map((reply) => `${reply.header("location")} ${reply.header("x-moved")}`))).toEqual(
      new Set(["https://new.example/now/a?q=1 yes"]),
    );
  });

  test("mirrors of a backend get its requests only, beside the mirrors of the route", async () => {
    await several(5, { method: "POST", path: "/copied", body: "copy me" });
    await until(() => copies().length === 5);
    expect(copies()).toEqual([
      "v1 localhost/copied copy me",
      "v1 localhost/one copy me",
      "v2 localhost/one copy me",
      "v3 localhost/copied copy me",
      "v3 localhost/one copy me",
    ]);
  });

  test("a sticky client keeps its backend, also if several have the same upstream", async () => {
    const found: string[] = [];
    for (let user = 0; user < 12; user++) {
      origins.reset();
      await several(2, { path: "/sticky", headers: { "x-user": `user-${user}` } });
      const values = received(({ headers }) => headers.get("x-backend") ?? "");
      expect(values).toHaveLength(1);
      found.push(...values);
    }
    expect(new Set(found)).toEqual(new Set(["one", "two", "three"]));
  });

  test("a cache stores the response of a backend", async () => {
    const path = `/cached/${protocol}`;
    const replies = await several(2, { path });
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(received(({ path: found }) => found)).toEqual([`/one/${protocol}`]);
    expect(origins.seen).toHaveLength(1);
  });

  test("a backend that cannot be reached gives 502, behind a cache and past it", async () => {
    const [read] = await several(1, { path: "/gone" });
    const [written] = await several(1, { method: "POST", path: "/gone", body: "x" });
    expect([read?.status, written?.status]).toEqual([502, 502]);
  });
});

test("calls of gRPC and tunnels of WebSocket reach the path and host of their backend", async () => {
  const tunnels = await TunnelOrigin.start();
  const wire = await WireRig.start({
    upstreams: [{ name: "tunnels", servers: [serverAt(tunnels.port)] }],
    routes: [
      {
        path_prefix: "/old.Echo/",
        upstream: "origin",
        traffic_split: [backend("origin", { rewrite: { prefix: "/new.Echo", host: "new.example" } })],
      },
      { path_prefix: "/moved.Echo/", upstream: "origin", traffic_split: [{ weight: 1, redirect: MOVED }] },
      {
        path_prefix: "/ws",
        upstream: "origin",
        traffic_split: [backend("tunnels", { rewrite: { prefix: "/tunnels", host: "new.example" } })],
      },
    ],
  });
  try {
    const client = await wire.client();
    begin(client, 1, [], "/old.Echo/Call");
    client.send(h2.data(1, "", h2.END_STREAM));
    const call = await wire.request("/new.Echo/Call");
    expect(call.field(":authority")).toBe("new.example");
    response(call);
    expect(await told(client, 1)).toMatchObject({ grpcStatus: "0" });
    begin(client, 3, [], "/moved.Echo/Call");
    client.send(h2.data(3, "", h2.END_STREAM));
    expect(await told(client, 3)).toMatchObject({ grpcStatus: "2" });
    for (const kind of ["HTTP/1.1", "HTTP/2"] as const) {
      const tunnel = await openTunnel(kind, wire.rig, { path: "/ws/chat" });
      expect(tunnel.status).toBe(kind === "HTTP/2" ? 200 : 101);
      const asked = tunnels.requests.at(-1);
      expect(asked?.startLine).toBe("GET /tunnels/chat HTTP/1.1");
      expect(asked === undefined ? [] : valuesOf(asked, "host")).toEqual(["new.example"]);
      tunnel.destroy();
    }
  } finally {
    await wire.stop();
    await tunnels.stop();
  }
});
