/** Slow request bodies: they are buffered before an upstream connection is used, within the limits. */
import { afterEach, describe, expect, test } from "bun:test";
import { freePort } from "../../src/lib/testing/listen.ts";
import { statusOf } from "../support/message.ts";
import { until } from "../support/program.ts";
import { RawClient } from "../support/raw-client.ts";
import { ask, type ClientProtocol } from "./testing/ask.ts";
import { type EchoOrigin, type OriginProtocol, startEchoOrigin } from "./testing/echo-origin.ts";
import { Rig } from "./testing/rig.ts";
import { openUpload, type SlowUpload } from "./testing/slow-upload.ts";

const PROTOCOLS = ["HTTP/1.1", "HTTP/2", "HTTP/3"] as const;
const ORIGINS = ["http1", "h2c"] as const;
const PAIRS = PROTOCOLS.flatMap((client) => ORIGINS.map((origin) => [client, origin] as const));

let rig: Rig;
let origin: EchoOrigin;
const uploads: SlowUpload[] = [];

afterEach(async () => {
  for (const slow of uploads.splice(0)) slow.destroy();
  await rig.settled();
  expect(rig.logged).toEqual([]);
  await until("no memory is taken", async () =>
    (await bodyBytes()) === 0 && (await bytesOf("stream")) === 0 ? true : undefined,
  );
  await rig.stop();
  origin.stop();
});

interface Serving {
  readonly client?: ClientProtocol;
  readonly protocol?: OriginProtocol;
  readonly route?: object;
  readonly sections?: object;
}

/** The upstream has only one connection to the origin. */
async function serve({ client, protocol = "http1", route, sections }: Serving = {}): Promise<void> {
  origin = await startEchoOrigin(protocol);
  rig = await Rig.start({
    quic: client === "HTTP/3",
    upstreams: [{ ...origin.upstream, connection_pool: { max_connections: 1 } }],
    routes: [{ path_prefix: "/", upstream: "origin", retry: { max_retries: 0 }, ...route }],
    ...sections,
  });
}

async function bytesOf(pool: string): Promise<number> {
  return Number(new RegExp(`^turnpike_buffer_bytes{pool="${pool}"} (\\d+)$`, "m").exec(await rig.page())?.[1]);
}

function bodyBytes(): Promise<number> {
  return bytesOf("body");
}

async function upload(client: ClientProtocol, path: string, length: number): Promise<SlowUpload> {
  const opened = await openUpload(rig, client, { path, length });
  uploads.push(opened);
  return opened;
}

/** Resolves when the gateway has buffered `bytes` of bodies. */
async function gathered(bytes: number): Promise<void> {
  await until(`${bytes} bytes are gathered`, async () => ((await bodyBytes()) >= bytes ? true : undefined));
}

describe("a body that arrives slowly", () => {
  test.each(PAIRS)("by %s to %s holds no connection, and arrives complete", async (client, protocol) => {
    await serve({ client, protocol });
    const slow = await upload(client, "/slow", 6);
    slow.send("ab");
    await gathered(1);
    expect(await ask(rig, client, { path: "/quick" })).toMatchObject({ status: 200, body: "GET /quick " });
    slow.send("cd");
    expect(await ask(rig, "HTTP/1.1", { path: "/x", method: "POST", body: "12" })).toMatchObject({
      status: 200,
      body: "POST /x 12",
    });
    expect(origin.begun).toEqual(["GET /quick", "POST /x"]);
    expect(await slow.finish("ef")).toEqual({ status: 200, body: "POST /slow abcdef" });
  });

  test.each(PROTOCOLS)("by %s and breaks off never reaches the upstream", async (client) => {
    await serve({ client });
    const slow = await upload(client, "/slow", 6);
    slow.send("ab");
    await gathered(1);
    slow.destroy();
    await until("it is forgotten", async () => ((await bodyBytes()) === 0 ? true : undefined));
    expect(await ask(rig, "HTTP/1.1", { path: "/after" })).toMatchObject({ status: 200 });
    expect(origin.begun).toEqual(["GET /after"]);
  });

  test("and late gets 408, and the upstream gets nothing of it", async () => {
    await serve({ sections: { timeouts: { body_ms: 200 } } });
    const client = await RawClient.open(rig.port);
    client.send("POST /slow HTTP/1.1\r\nHost: a.test\r\nContent-Length: 6\r\n\r\nab");
    expect(statusOf(await client.finalResponse("POST"))).toBe(408);
    client.destroy();
    expect(origin.begun).toEqual([]);
  });

  test("by many clients uses at most half of the memory for bodies; beyond that it is streamed", async () => {
    const buffer_pool = { body_buffer_size: 1024, body_buffer_count: 8 };
    await serve({ sections: { buffer_pool } });
    const piece = "x".repeat(1000);
    for (let i = 0; origin.begun.length === 0; i++) {
      const slow = await upload("HTTP/1.1", `/${i}`, 1001);
      const before = await bodyBytes();
      slow.send(piece);
      await until("it is gathered, or begins", async () =>
        (await bodyBytes()) > before || origin.received === 1000 ? true : undefined,
      );
    }
    // The last request found more than half of the memory in use, and has the connection.
    expect(await bodyBytes()).toBeWithin(8192 / 2 + 1, 8192 / 2 + 1100);
    expect(await uploads.at(-1)?.finish("y")).toMatchObject({ status: 200 });
  });

  test("is streamed if the route has request_buffering: false", async () => {
    await serve({ route: { request_buffering: false } });
    const slow = await upload("HTTP/1.1", "/slow", 6);
    slow.send("ab");
    await until("it begins", () => (origin.received === 2 ? true : undefined));
    expect(await slow.finish("cdef")).toEqual({ status: 200, body: "POST /slow abcdef" });
  });

  test("goes to a mirror once it is complete", async () => {
    const mirror = await startEchoOrigin("http1");
    origin = await startEchoOrigin("http1");
    rig = await Rig.start({
      upstreams: [origin.upstream, { ...mirror.upstream, name: "mirror" }],
      routes: [{ path_prefix: "/", upstream: "origin", mirror: "mirror" }],
    });
    const slow = await upload("HTTP/1.1", "/slow", 6);
    slow.send("ab");
    await gathered(1);
    expect([...origin.begun, ...mirror.begun]).toEqual([]);
    expect(await slow.finish("cdef")).toMatchObject({ status: 200 });
    await until("the copy", () => (mirror.received === 6 ? true : undefined));
    mirror.stop();
  });
});

describe("a body that is longer than a buffer", () => {
  test.each(PAIRS)("by %s to %s is sent once the buffer is full, and arrives complete", async (client, protocol) => {
    await serve({ client, protocol, sections: { buffer_pool: { body_buffer_size: 4096 } } });
    const [first, second] = ["a".repeat(4096), "b".repeat(4096)];
    const slow = await upload(client, "/long", 10_000);
    slow.send(first);
    await gathered(4096);
    expect(origin.begun).toEqual([]);
    slow.send(second);
    await until("it begins", () => (origin.received === 8192 ? true : undefined));
    const rest = "c".repeat(10_000 - 8192);
    expect(await slow.finish(rest)).toEqual({ status: 200, body: `POST /long ${first}${second}${rest}` });
  });
});

describe("a client that waits for its 100", () => {
  test("gets it from the gateway, which buffers the body first", async () => {
    await serve();
    const client = await RawClient.open(rig.port);
    client.send("POST /x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
    expect(statusOf(await client.response())).toBe(100);
    expect(origin.begun).toEqual([]);
    client.send("body");
    expect((await client.response()).body).toBe("POST /x body");
    client.destroy();
  });

  test("gets it from the upstream if the body is announced to be longer than a buffer", async () => {
    await serve({ sections: { buffer_pool: { body_buffer_size: 1024 } } });
    const client = await RawClient.open(rig.port);
    const body = "x".repeat(2000);
    client.send("POST /x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 2000\r\nExpect: 100-continue\r\n\r\n");
    expect(statusOf(await client.response())).toBe(100);
    expect(origin.begun).toEqual(["POST /x"]);
    client.send(body);
    expect((await client.response()).body).toBe(`POST /x ${body}`);
    client.destroy();
  });

  test("gets an error at once if there is no server", async () => {
    origin = await startEchoOrigin("http1");
    const servers = [{ address: "127.0.0.1", port: await freePort(), max_fails: 1 }];
    rig = await Rig.start({ upstreams: [{ name: "gone", servers }], routes: [{ path_prefix: "/", upstream: "gone" }] });
    expect(await ask(rig, "HTTP/1.1", { path: "/x" })).toMatchObject({ status: 502 });
    const client = await RawClient.open(rig.port);
    client.send("POST /x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
    expect(statusOf(await client.response())).toBe(502);
    client.destroy();
  });
});
