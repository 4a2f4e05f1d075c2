/** The access log, and the treatment of a server whose connections are all in use. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { smallDisk } from "../../src/lib/testing/small-disk.ts";
import { everythingTo, serverAt } from "../support/gateway.ts";
import { statusOf } from "../support/message.ts";
import { Folder, Program, until } from "../support/program.ts";
import { once, RawClient } from "../support/raw-client.ts";
import { echo, RawOrigin } from "../support/raw-origin.ts";

let folder: Folder;
let origin: RawOrigin;
let program: Program | undefined;

beforeEach(async () => {
  folder = new Folder();
  origin = await RawOrigin.start();
});

afterEach(async () => {
  await program?.stop();
  await origin.stop();
  folder.remove();
});

async function serve(rest: object): Promise<number> {
  const server = { address: "127.0.0.1", port: 0, workers: 1 };
  program = new Program(["--config", folder.write("turnpike.json", { server, ...rest })]);
  const [, port] = await program.sees(/listening on http:\/\/\S*?:(\d+)/);
  return Number(port);
}

function logged(count: number): Promise<string[]> {
  return until(`${count} lines`, () => {
    const lines = readFileSync(folder.file("access.log"), "utf8").trimEnd().split("\n");
    return lines.length >= count ? lines : undefined;
  });
}

const HEAD = "Host: a.test\r\nUser-Agent: probe\r\nX-Request-Id: id-1\r\n";

test("one line for each request: successful, not found, cut off, and cancelled by the client", async () => {
  const log = { enabled: true, path: folder.file("access.log"), format: "json" };
  const { upstreams } = everythingTo(origin.port);
  const port = await serve({ upstreams, routes: [{ path_prefix: "/in", upstream: "origin" }], access_log: log });
  await once(port, `GET /in?q=1 HTTP/1.1\r\n${HEAD}\r\n`);
  await once(port, `POST /in/post HTTP/1.1\r\n${HEAD}Content-Length: 5\r\n\r\nhello`);
  await once(port, `GET /out HTTP/1.1\r\n${HEAD}\r\n`);
  const left = await RawClient.open(port);
  left.send(`POST /in/left HTTP/1.1\r\n${HEAD}Content-Length: 50\r\n\r\nhello`);
  await origin.until("the first bytes", () => (origin.bytes.endsWith("hello") ? true : undefined));
  left.destroy();
  await logged(4);
  origin.response = (_request, connection) => connection.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
  const cut = await RawClient.open(port);
  cut.send(`GET /in/cut HTTP/1.1\r\n${HEAD}\r\n`);
  await cut.closed();
  const entries = (await logged(5)).map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(entries.map(({ method, path, status }) => [method, path, status])).toEqual([
    ["GET", "/in", 200],
    ["POST", "/in/post", 200],
    ["GET", "/out", 404],
    ["POST", "/in/left", 499],
    ["GET", "/in/cut", 200],
  ]);
  expect(entries[0]).toMatchObject({
    client: "127.0.0.1",
    host: "a.test",
    query: "?q=1",
    request_id: "id-1",
    user_agent: "probe",
  });
  expect(entries.map(({ bytes_received: bytes }) => bytes)).toEqual([0, 5, 0, 5, 0]);
  expect(entries.map(({ bytes_sent: bytes }) => bytes)).toMatchObject([11, 19, expect.any(Number), 0, 4]);
});

test("requests that are refused before they are complete, and probes of the gateway itself, are logged too", async () => {
  const log = { enabled: true, path: folder.file("access.log"), format: "json" };
  const { upstreams, routes } = everythingTo(origin.port);
  const port = await serve({ upstreams, routes, access_log: log });
  await once(port, `GET /a%2Fb HTTP/1.1\r\n${HEAD}\r\n`);
  await once(port, "GET / HTTP/1.1\r\n\r\n");
  await once(port, "\x16\x03\x01 nonsense\r\n\r\n");
  await once(port, `GET /.healthz HTTP/1.1\r\n${HEAD}\r\n`);
  const entries = (await logged(4)).map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(entries.map(({ path, status }) => [path, status])).toEqual([
    ["/a%2Fb", 400],
    ["/", 400],
    ["nonsense", 400],
    ["/.healthz", 200],
  ]);
  expect(entries[0]).toMatchObject({ request_id: "id-1", method: "GET", client: "127.0.0.1" });
});

test("the last lines are written when the gateway has stopped, and a sample rate of 0 writes none", async () => {
  const log = { enabled: true, path: folder.file("access.log") };
  const { upstreams, routes } = everythingTo(origin.port);
  const quiet = { path_prefix: "/quiet", upstream: "origin", access_log: { sample_rate: 0 } };
  const port = await serve({ upstreams, routes: [...routes, quiet], access_log: log });
  const client = await RawClient.open(port);
  for (let i = 0; i < 50; i++) {
    client.send(`GET /${i} HTTP/1.1\r\n${HEAD}\r\nGET /quiet HTTP/1.1\r\n${HEAD}\r\n`);
    await client.response();
    await client.response();
  }
  client.destroy();
  await program?.stop();
  const lines = readFileSync(folder.file("access.log"), "utf8").trimEnd().split("\n");
  expect(lines).toHaveLength(50);
  expect(lines[7]).toMatch(
    /^127\.0\.0\.1 - - \[\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d \+0000\] "GET \/7 HTTP\/1\.1" 200 6 "-" "probe"$/,
  );
});

test("a server whose connections are all in use stays in rotation", async () => {
  const upstream = {
    name: "origin",
    servers: [{ ...serverAt(origin.port), max_fails: 1, fail_timeout_ms: 60_000 }],
    connection_pool: { max_connections: 1 },
  };
  const port = await serve({
    upstreams: [upstream],
    routes: [{ path_prefix: "/", upstream: "origin", connect_timeout_ms: 50, retry: { max_retries: 0 } }],
  });
  const release = Promise.withResolvers<void>();
  origin.response = (request, connection) => void release.promise.then(() => echo(request, connection));
  const slow = await RawClient.open(port);
  slow.send(`GET /slow HTTP/1.1\r\n${HEAD}\r\n`);
  await origin.until("the slow request", () => origin.requests[0]);
  expect(statusOf(await once(port, `GET /waits HTTP/1.1\r\n${HEAD}\r\n`))).toBe(504);
  release.resolve();
  expect(statusOf(await slow.response())).toBe(200);
  expect(statusOf(await once(port, `GET /next HTTP/1.1\r\n${HEAD}\r\n`))).toBe(200);
  slow.destroy();
});

test("a client that reads too slowly takes no server out of rotation", async () => {
  const upstream = {
    name: "origin",
    servers: [{ ...serverAt(origin.port), max_fails: 1, fail_timeout_ms: 60_000 }],
  };
  const port = await serve({
    upstreams: [upstream],
    // A buffered response frees its upstream connection before the client has read it.
    routes: [
      {
        path_prefix: "/",
        upstream: "origin",
        total_timeout_ms: 1500,
        response_buffering: false,
        retry: { max_retries: 0 },
      },
    ],
  });
  const body = "x".repeat(30_000_000);
  origin.response = (request, connection) => {
    if (!request.startLine.includes("large")) echo(request, connection);
    else connection.send(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  };
  const slow = await RawClient.open(port);
  slow.socket.pause();
  slow.send(`GET /large HTTP/1.1\r\n${HEAD}\r\n`);
  await origin.until("the end of the connection", () =>
    origin.connections.some((connection) => connection.closed) ? true : undefined,
  );
  expect(statusOf(await once(port, `GET /next HTTP/1.1\r\n${HEAD}\r\n`))).toBe(200);
  slow.destroy();
});

const WARNING = /warning: Cannot write the access log "\S+": ENOSPC\. Lines are lost until it can be written again\n/g;

/** Sends requests on ten connections, so that each of a few workers gets some. */
async function askOften(port: number): Promise<void> {
  const head = `GET /in HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`;
  await Promise.all(Array.from({ length: 10 }, () => once(port, head)));
}

async function scraped(port: number, name: string): Promise<number> {
  const { body } = await once(port, "GET /metrics HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n");
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(body)?.[1]);
}

test("two workers whose log cannot be written report it once, and count the lost lines", async () => {
  const { upstreams, routes } = everythingTo(origin.port);
  const server = { address: "127.0.0.1", port: 0, workers: 2 };
  const port = await serve({ server, upstreams, routes, access_log: { enabled: true, path: "/dev/full" } });
  await until("losses of both", async () => {
    await askOften(port);
    return (await scraped(port, "turnpike_access_logs_failing")) === 2 ? true : undefined;
  });
  expect(await scraped(port, "turnpike_access_log_lines_dropped_total")).toBeGreaterThan(1);
  expect(program?.output.match(WARNING)).toHaveLength(1);
});

test("all workers together report a full disk once, and its end once", async () => {
  using disk = smallDisk("4m");
  if (!disk.isMounted) return;
  const filler = join(disk.path, "filler");
  const { upstreams, routes } = everythingTo(origin.port);
  const server = { address: "127.0.0.1", port: 0, workers: 2 };
  const log = { enabled: true, path: join(disk.path, "access.log") };
  const port = await serve({ server, upstreams, routes, access_log: log });
  // The space that is needed for all lines until the log works again.
  const room = Buffer.alloc(4 * 1024 * 1024);
  expect(() => writeFileSync(filler, room)).not.toThrow();
  await until("losses of both", async () => {
    await askOften(port);
    return (await scraped(port, "turnpike_access_logs_failing")) === 2 ? true : undefined;
  });
  rmSync(filler);
  await until("the end of it", async () => {
    await askOften(port);
    return program?.output.includes("lines were lost") === true ? true : undefined;
  });
  const lost = Number(/"\S+" can be written again: (\d+) lines were lost/.exec(program?.output ?? "")?.[1]);
  expect(lost).toBe(await scraped(port, "turnpike_access_log_lines_dropped_total"));
  expect(program?.output.match(WARNING)).toHaveLength(1);
  expect(program?.output.match(/lines were lost/g)).toHaveLength(1);
  expect(await scraped(port, "turnpike_access_logs_failing")).toBe(0);
});
