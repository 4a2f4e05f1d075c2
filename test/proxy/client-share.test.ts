/** One client must leave connections of an upstream's pool for others. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { get, Http2Client } from "../support/http2-client.ts";
import { statusOf } from "../support/message.ts";
import { RawClient } from "../support/raw-client.ts";
import { echo, RawOrigin } from "../support/raw-origin.ts";
import { Rig } from "./testing/rig.ts";

let origin: RawOrigin;
let rig: Rig;
const clients: { destroy(): unknown }[] = [];

beforeEach(async () => {
  origin = await RawOrigin.start();
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await rig.settled();
  expect(rig.logged).toEqual([]);
  await rig.stop();
  await origin.stop();
});

/** X-Forwarded-For names the clients. The origin never responds to paths that begin with `/hold`. */
async function serve(pool: object, server: object = {}): Promise<void> {
  origin.response = (request, connection) => {
    if (!request.startLine.includes(" /hold")) echo(request, connection);
  };
  rig = await Rig.start({
    upstreams: [{ name: "origin", servers: [{ address: "127.0.0.1", port: origin.port }], connection_pool: pool }],
    routes: [{ path_prefix: "/", upstream: "origin", retry: { max_retries: 0 } }],
    server,
  });
}

async function askFrom(address: string, path: string): Promise<RawClient> {
  const client = await RawClient.open(rig.port);
  clients.push(client);
  client.send(`GET ${path} HTTP/1.1\r\nHost: a.test\r\nX-Forwarded-For: ${address}\r\n\r\n`);
  return client;
}

async function held(count: number): Promise<void> {
  await origin.until(`${count} requests`, () =>
    origin.summaries.filter((line) => line.includes("/hold")).length === count ? true : undefined,
  );
}

test("one address with its maximum of connections leaves connections for another", async () => {
  await serve({ max_connections: 10 }, { trusted_proxies: ["127.0.0.1/32"] });
  for (let i = 0; i < 10; i++) await askFrom("1.1.1.1", `/hold${i}`);
  await held(8);
  const other = await askFrom("2.2.2.2", "/quick");
  expect(statusOf(await other.response())).toBe(200);
  expect((await rig.counts("origin")).waiting).toBe(2);
});

test("one HTTP/2 connection leaves connections for others of its address", async () => {
  await serve({ max_connections: 10 });
  const crowd = await Http2Client.ready(rig.port);
  clients.push(crowd);
  crowd.send(...Array.from({ length: 10 }, (_, i) => get(2 * i + 1, `/hold${i}`)));
  await held(5);
  const other = await askFrom("127.0.0.1", "/quick");
  expect(statusOf(await other.response())).toBe(200);
});

test("a connection that a client returns serves its next request, and other clients in turn", async () => {
  await serve({ max_connections: 5 }, { trusted_proxies: ["127.0.0.1/32"] });
  const holders = [];
  for (let i = 0; i < 4; i++) holders.push(await askFrom("1.1.1.1", `/hold${i}`));
  await held(4);
  const next = await askFrom("1.1.1.1", "/next");
  const other = await askFrom("2.2.2.2", "/quick");
  expect(statusOf(await other.response())).toBe(200);
  expect(origin.summaries).not.toContain("GET /next");
  holders[0]?.destroy();
  expect(statusOf(await next.response())).toBe(200);
});

test("with client_share 100 one client may use all connections", async () => {
  await serve({ max_connections: 10, client_share: 100 });
  for (let i = 0; i < 10; i++) await askFrom("127.0.0.1", `/hold${i}`);
  await held(10);
});
