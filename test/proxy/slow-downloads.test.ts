/**
 * Responses for slow clients: the gateway still reads them from the upstream at once, so that its connection is free.
 */
import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createHttp2Server, type Http2Server } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listenOnLoopback } from "../../src/lib/testing/listen.ts";
import { smallDisk } from "../../src/lib/testing/small-disk.ts";
import { startGateway } from "../support/gateway.ts";
import { until } from "../support/program.ts";
import { ask, type ClientProtocol } from "./testing/ask.ts";
import { type OriginProtocol } from "./testing/echo-origin.ts";
import { Rig } from "./testing/rig.ts";
import { digestOf, openDownload, type SlowDownload } from "./testing/slow-download.ts";

const MIB = 1_048_576;
const PROTOCOLS = ["HTTP/1.1", "HTTP/2", "HTTP/3"] as const;
const ORIGINS = ["http1", "h2c"] as const;
const PAIRS = PROTOCOLS.flatMap((client) => ORIGINS.map((origin) => [client, origin] as const));
/** More than sockets, windows and memory hold together. */
const LARGE = Buffer.alloc(24 * MIB, "0123456789abcde");

let rig: Rig | undefined;
let origin: Server | Http2Server;
let folder: string;
const downloads: SlowDownload[] = [];
/** Requests to which the origin has responded completely. */
let responded: string[];

afterEach(async () => {
  for (const slow of downloads.splice(0)) slow.destroy();
  await rig?.settled();
  if (rig !== undefined) {
    await until("nothing waits", async () =>
      (await waiting("disk")) === 0 && (await waiting("stream")) === 0 ? true : undefined,
    );
    expect(rig.logged).toEqual([]);
  }
  await rig?.stop();
  rig = undefined;
  origin.close();
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});

async function startOrigin(protocol: OriginProtocol): Promise<number> {
  folder = mkdtempSync(join(tmpdir(), "turnpike-spool-"));
  responded = [];
  const reply = (
    path: string,
    respond: {
      setHeader(name: string, value: string): unknown;
      end(body: Buffer | string): unknown;
      on(event: "finish" | "error", then: () => void): unknown;
    },
  ): void => {
    const body = path.startsWith("/large") ? LARGE : "quick";
    respond.setHeader("content-length", String(body.length));
    if (path.startsWith("/events")) respond.setHeader("content-type", "text/event-stream");
    respond.on("finish", () => responded.push(path));
    respond.on("error", () => {});
    respond.end(body);
  };
  origin =
    protocol === "http1"
      ? createServer((request, response) => reply(request.url ?? "", response))
      : createHttp2Server({ settings: { maxConcurrentStreams: 1 } }, (request, response) =>
          reply(request.url, response),
        );
  return await listenOnLoopback(origin);
}

interface Serving {
  readonly client?: ClientProtocol;
  readonly protocol?: OriginProtocol;
  readonly route?: object;
  readonly pool?: object;
  readonly sections?: object;
}

/** The upstream has only one connection to the origin. */
async function serve({ client, protocol = "http1", route, pool, sections }: Serving = {}): Promise<Rig> {
  const port = await startOrigin(protocol);
  rig = await Rig.start({
    quic: client === "HTTP/3",
    upstreams: [
      {
        name: "origin",
        protocol,
        servers: [{ address: "127.0.0.1", port, max_fails: 1000 }],
        connection_pool: { max_connections: 1 },
      },
    ],
    routes: [{ path_prefix: "/", upstream: "origin", ...route }],
    buffer_pool: { temp_path: folder, ...pool },
    ...sections,
  });
  return rig;
}

async function waiting(pool: string): Promise<number> {
  const page = (await rig?.page()) ?? "";
  return Number(new RegExp(`^turnpike_buffer_bytes{pool="${pool}"} (\\d+)$`, "m").exec(page)?.[1]);
}

async function download(from: Rig, client: ClientProtocol, path: string): Promise<SlowDownload> {
  const opened = await openDownload(from, client, path);
  downloads.push(opened);
  return opened;
}

/** Resolves when nothing is in flight at the origin. */
async function freed(from: Rig): Promise<void> {
  await until("the connection is free", () => (from.inFlight === 0 && responded.length > 0 ? true : undefined));
}

describe("a response that its client does not read", () => {
  test.each(PAIRS)("by %s from %s holds no connection, and arrives complete", async (client, protocol) => {
    const gateway = await serve({ client, protocol });
    const slow = await download(gateway, client, "/large");
    await freed(gateway);
    expect(await ask(gateway, "HTTP/1.1", { path: "/quick" })).toMatchObject({ status: 200, body: "quick" });
    // The engine of an HTTP/3 client buffers much itself.
    if (client !== "HTTP/3") expect(await waiting("disk")).toBeGreaterThan(8 * MIB);
    expect(await slow.read()).toEqual({ bytes: LARGE.length, digest: digestOf(LARGE), whole: true });
  });

  test.each([
    ["a cache, which it is too large for", { cache: {} }],
    ["compression, which it does not ask for", { compression: { enabled: true } }],
    ["a mirror", { mirror: "origin" }],
  ])("on a route with %s holds no connection, and arrives complete", async (_, route) => {
    const gateway = await serve({ route });
    const slow = await download(gateway, "HTTP/1.1", "/large");
    await freed(gateway);
    expect(await ask(gateway, "HTTP/1.1", { path: "/quick" })).toMatchObject({ status: 200, body: "quick" });
    expect(await slow.read()).toEqual({ bytes: LARGE.length, digest: digestOf(LARGE), whole: true });
  });

  test.each(PROTOCOLS)("by %s that disconnects frees its space", async (client) => {
    const gateway = await serve({ client });
    const slow = await download(gateway, client, "/large");
    await freed(gateway);
    slow.destroy();
    await until("the disk is free", async () => ((await waiting("disk")) === 0 ? true : undefined));
  });

  test("is paused at its upstream beyond response_buffer_bytes, and arrives complete", async () => {
    const gateway = await serve({ pool: { response_buffer_bytes: 4 * MIB } });
    const slow = await download(gateway, "HTTP/1.1", "/large");
    await until("the disk has its part", async () => ((await waiting("disk")) >= 3 * MIB ? true : undefined));
    expect(responded).toEqual([]);
    expect(await slow.read()).toEqual({ bytes: LARGE.length, digest: digestOf(LARGE), whole: true });
  });

  test("is paused at its upstream if no disk space is available, and arrives complete", async () => {
    const gateway = await serve({ pool: { response_disk_bytes: 0 } });
    const slow = await download(gateway, "HTTP/1.1", "/large");
    await until("memory has its part", async () => ((await waiting("stream")) >= MIB / 4 ? true : undefined));
    expect(await waiting("disk")).toBe(0);
    expect(responded).toEqual([]);
    expect(await slow.read()).toEqual({ bytes: LARGE.length, digest: digestOf(LARGE), whole: true });
  });

  test("is paused at its upstream with response_buffering: false", async () => {
    const gateway = await serve({ route: { response_buffering: false } });
    const slow = await download(gateway, "HTTP/1.1", "/large");
    await until("something waits", async () => ((await waiting("stream")) > 0 ? true : undefined));
    expect(await waiting("disk")).toBe(0);
    expect(responded).toEqual([]);
    expect(await slow.read()).toMatchObject({ whole: true });
  });

  test("may take longer than total_timeout_ms while the client reads", async () => {
    const gateway = await serve({ route: { total_timeout_ms: 3000 } });
    const slow = await download(gateway, "HTTP/1.1", "/large");
    await freed(gateway);
    await Bun.sleep(3000);
    expect(await slow.read()).toEqual({ bytes: LARGE.length, digest: digestOf(LARGE), whole: true });
  });

  test("that never reads is disconnected at write_ms, and frees its space", async () => {
    const gateway = await serve({ sections: { timeouts: { idle_ms: 1000, header_ms: 500, write_ms: 700 } } });
    await download(gateway, "HTTP/1.1", "/large");
    await freed(gateway);
    await until("the disk is free", async () => ((await waiting("disk")) === 0 ? true : undefined));
  });

  test("is paused at its upstream while the disk is full, and arrives complete (needs root)", async () => {
    using small = smallDisk("4m");
    const gateway = await serve({ pool: { temp_path: small.path } });
    if (!small.isMounted) return;
    const slow = await download(gateway, "HTTP/1.1", "/large");
    await until("the disk is full", () => (gateway.logged.length > 0 ? true : undefined));
    expect(gateway.logged.splice(0)).toEqual([expect.stringContaining("ENOSPC") as string]);
    expect(responded).toEqual([]);
    expect(await slow.read()).toEqual({ bytes: LARGE.length, digest: digestOf(LARGE), whole: true });
    gateway.logged.splice(0);
  });

  test("of one client uses at most half of the disk, and that of another client still has space", async () => {
    const gateway = await serve({ pool: { response_disk_bytes: 16 * MIB } });
    await download(gateway, "HTTP/1.1", "/large");
    await until("its half is used", async () => ((await waiting("disk")) === 8 * MIB ? true : undefined));
    expect(responded).toEqual([]);
  });
});

test.each([1, 2])("a gateway of %d workers that is killed leaves no file of its slow clients", async (workers) => {
  const port = await startOrigin("http1");
  const gateway = await startGateway({
    server: { workers },
    access_log: { enabled: false },
    buffer_pool: { temp_path: folder },
    upstreams: [{ name: "origin", servers: [{ address: "127.0.0.1", port }] }],
    routes: [{ path_prefix: "/", upstream: "origin" }],
  });
  const slow = await openDownload({ port: gateway.port } as Rig, "HTTP/1.1", "/large"); // Only this part of it is used.
  downloads.push(slow);
  await until("the response is buffered", () => (responded.length === 1 ? true : undefined));
  await gateway.kill();
  expect(readdirSync(folder)).toEqual([]);
});
