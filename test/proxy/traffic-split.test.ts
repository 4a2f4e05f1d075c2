/** The upstreams of requests on a route with a traffic split, over every client protocol. */
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { startGateway } from "../support/gateway.ts";
import { type HeaderList } from "../support/http2-hpack.ts";
import { once } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { ask, type ClientProtocol } from "./testing/ask.ts";
import { Http2Origin } from "./testing/http2-origin.ts";
import { Rig } from "./testing/rig.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

const REQUESTS = 10_000;
const LANES = 32;

const rigs: Rig[] = [];
const stops: (() => unknown)[] = [];

afterEach(async () => {
  for (const rig of rigs) expect(rig.logged).toEqual([]);
  await Promise.all(rigs.splice(0).map((rig) => rig.stop()));
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

/** An origin that responds with its name and the received Cookie. */
function named(name: string): number {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ headers }) => new Response(`${name} ${headers.get("cookie") ?? ""}`),
  });
  stops.push(() => server.stop(true));
  return server.port ?? 0;
}

function upstream(name: string, port: number, more: object = {}): object {
  return { name, servers: [{ address: "127.0.0.1", port }], ...more };
}

async function start(upstreams: readonly object[], route: object, quic = false): Promise<Rig> {
  const rig = await Rig.start({ upstreams, routes: [{ path_prefix: "/", upstream: "a", ...route }], quic });
  rigs.push(rig);
  return rig;
}

const SPLIT = [
  { upstream: "a", weight: 70 },
  { upstream: "b", weight: 30 },
];

test("a route with traffic_split needs no upstream", async () => {
  const routes = [{ path_prefix: "/", traffic_split: [{ upstream: "b", weight: 1 }] }];
  const rig = await Rig.start({ upstreams: [upstream("b", named("b"))], routes });
  rigs.push(rig);
  expect(await (await fetch(`http://127.0.0.1:${rig.port}/`)).text()).toBe("b ");
});

test("ten thousand simultaneous requests are split exactly by weight", async () => {
  const [a, b, c] = [named("a"), named("b"), named("c")];
  const rig = await start([upstream("a", a), upstream("b", b), upstream("c", c)], {
    traffic_split: [...SPLIT, { upstream: "c", weight: 0 }],
  });
  const found = new Map<string, number>();
  let left = REQUESTS;
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      const body = await (await fetch(`http://127.0.0.1:${rig.port}/x`)).text();
      found.set(body, (found.get(body) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  expect([...found.keys()].toSorted()).toEqual(["a ", "b "]);
  expect(Math.abs((found.get("b ") ?? 0) - 0.3 * REQUESTS)).toBeLessThan(6);
});

test("several workers together split traffic as one does, and select the same upstream for a sticky client", async () => {
  const ports = { a: named("a"), b: named("b") };
  const gateway = await startGateway({
    server: { workers: 3 },
    access_log: { enabled: false },
    upstreams: [upstream("a", ports.a), upstream("b", ports.b)],
    routes: [{ path_prefix: "/", upstream: "a", traffic_split: SPLIT, traffic_split_sticky: { header: "X-User" } }],
  });
  stops.push(() => gateway.stop());
  /** Each on its own connection, whichever worker has it. */
  const getBy = async (user: number): Promise<string> => {
    const field = user === -1 ? "" : `X-User: user ${user}\r\n`;
    const request = `GET / HTTP/1.1\r\nHost: a.test\r\n${field}Connection: close\r\n\r\n`;
    return (await once(gateway.port, request)).body;
  };
  const chosen: string[] = [];
  for (let i = 0; i < 500; i++) chosen.push(await getBy(-1));
  expect(Math.abs(chosen.filter((body) => body === "b ").length - 150)).toBeLessThan(18);
  const kept: string[] = [];
  for (let user = 0; user < 20; user++) {
    const bodies = new Set([
      await getBy(user),
      await getBy(user),
      await getBy(user),
      await getBy(user),
      await getBy(user),
    ]);
    expect(bodies.size).toBe(1);
    kept.push(...bodies);
  }
  expect(new Set(kept)).toEqual(new Set(["a ", "b "]));
});

test("an empty list leaves all requests to the route's upstream", async () => {
  const rig = await start([upstream("a", named("a")), upstream("b", named("b"))], { traffic_split: [] });
  for (let i = 0; i < 5; i++) expect((await ask(rig, "HTTP/1.1", { path: "/x" })).body).toBe("a ");
});

test("all tries of a request go to the selected upstream", async () => {
  const refusing = await RawOrigin.start();
  refusing.response = (_, connection) => connection.reset();
  stops.push(() => refusing.stop());
  const rig = await start(
    [
      upstream("a", named("a")),
      { name: "b", servers: [{ address: "127.0.0.1", port: refusing.port, max_fails: 100 }] },
    ],
    { traffic_split: [{ upstream: "b", weight: 1 }], retry: { max_retries: 3 } },
  );
  expect(await ask(rig, "HTTP/1.1", { path: "/x" })).toMatchObject({ status: 502 });
  expect(refusing.requests).toHaveLength(4);
  expect(await rig.counts("a")).toMatchObject({ requests: 0 });
});

test("upstreams of one split may speak different protocols", async () => {
  const second = await Http2Origin.start();
  stops.push(() => second.stop());
  second.onRequest = (request) => request.response(200, "h2");
  const rig = await start([upstream("a", named("a")), upstream("b", second.port, { protocol: "h2c" })], {
    traffic_split: [
      { upstream: "a", weight: 1 },
      { upstream: "b", weight: 1 },
    ],
  });
  const bodies: string[] = [];
  for (let i = 0; i < 6; i++) bodies.push((await ask(rig, "HTTP/1.1", { path: "/x" })).body);
  expect(new Set(bodies)).toEqual(new Set(["a ", "h2"]));
  expect(second.requests[0]?.field(":scheme")).toBe("http");
});

async function get(rig: Rig, protocol: ClientProtocol, fields: HeaderList): Promise<string> {
  return (await ask(rig, protocol, { path: "/shop/x", fields })).body;
}

describe.each(["HTTP/1.1", "HTTP/2", "HTTP/3"] as const)("a client that keeps its upstream, by %s,", (protocol) => {
  /** Two independent gateways that list the same upstreams in another order. */
  async function pair(sticky: object): Promise<[Rig, Rig]> {
    const upstreams = [upstream("a", named("a")), upstream("b", named("b"))];
    const route = { path_prefix: "/shop", traffic_split_sticky: sticky };
    return [
      await start(upstreams, { ...route, traffic_split: SPLIT }, protocol === "HTTP/3"),
      await start(upstreams.toReversed(), { ...route, traffic_split: SPLIT.toReversed() }, protocol === "HTTP/3"),
    ];
  }

  test("gets it by header at either of two gateways", async () => {
    const [one, other] = await pair({ header: "X-User" });
    const found: string[] = [];
    for (let user = 0; user < 12; user++) {
      const fields: HeaderList = [["x-user", `user-${user}`]];
      const body = await get(one, protocol, fields);
      expect(await get(other, protocol, fields)).toBe(body);
      expect(await get(one, protocol, fields)).toBe(body);
      found.push(body);
    }
    expect(new Set(found)).toEqual(new Set(["a ", "b "]));
  });
});

describe("a client that keeps its upstream by cookie", () => {
  test.each(["HTTP/1.1", "HTTP/2"] as const)(
    "by %s gets it at either of two gateways, and upstreams do not see the cookie",
    async (protocol) => {
      const upstreams = [upstream("a", named("a")), upstream("b", named("b"))];
      const route = { path_prefix: "/shop", traffic_split: SPLIT, traffic_split_sticky: { cookie: {} } };
      const [one, other] = [await start(upstreams, route), await start(upstreams.toReversed(), route)];
      for (let client = 0; client < 8; client++) {
        const first = await fetch(`http://127.0.0.1:${one.port}/shop`);
        const [name = ""] = (await first.text()).split(" ");
        const cookie = first.headers.get("set-cookie") ?? "";
        expect(cookie).toMatch(/^turnpike_split=[\w-]{6}; Path=\/shop; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
        const fields: HeaderList = [
          ["cookie", "mine=1"],
          ["cookie", cookie.slice(0, cookie.indexOf(";"))],
        ];
        for (const rig of [other, one]) {
          expect((await ask(rig, protocol, { path: "/shop/x", fields })).body).toBe(`${name} mine=1`);
        }
      }
    },
  );

  test("gets no new cookie while it has one", async () => {
    const rig = await start([upstream("a", named("a"))], {
      traffic_split: [{ upstream: "a", weight: 1 }],
      traffic_split_sticky: { cookie: { name: "s" } },
    });
    const response = await fetch(`http://127.0.0.1:${rig.port}/`, { headers: { cookie: "s=abcdef" } });
    expect(response.headers.get("set-cookie")).toBeNull();
  });
});
