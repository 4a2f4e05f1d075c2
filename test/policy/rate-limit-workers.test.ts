import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { everythingTo, serverAt } from "../support/gateway.ts";
import { statusOf } from "../support/message.ts";
import { descendants, Folder, Program, until } from "../support/program.ts";
import { RawClient } from "../support/raw-client.ts";
import { echo, RawOrigin } from "../support/raw-origin.ts";
import { PROTOCOLS, type ProtocolGateway, startProtocols } from "./protocols.ts";
import { patient } from "../../src/lib/testing/patience.ts";

const TIME_MS = patient(60_000);
const WORKERS = 4;
/** One token in 500 s, so that no bucket gains one during a test. */
const RATE = 0.002;

let origin: RawOrigin;
const programs: Program[] = [];
const folders: Folder[] = [];

beforeAll(async () => {
  origin = await RawOrigin.start();
});

afterEach(async () => {
  await Promise.all(programs.splice(0).map((program) => program.stop()));
  for (const folder of folders.splice(0)) folder.remove();
  origin.reset();
  origin.response = echo;
});

afterAll(() => origin.stop());

interface Served {
  readonly program: Program;
  readonly port: number;
  readonly reload: (config: object) => Promise<void>;
}

async function serve(config: object): Promise<Served> {
  const folder = new Folder();
  folders.push(folder);
  const server = { address: "127.0.0.1", port: 0, workers: WORKERS, trusted_proxies: ["127.0.0.1"] };
  const write = (rest: object): string =>
    folder.write("turnpike.json", { server, access_log: { enabled: false }, ...rest });
  const program = new Program(["--config", write(config)]);
  programs.push(program);
  const [, port] = await program.sees(/listening on http:\/\/\S*?:(\d+)/);
  let reloads = 0;
  return {
    program,
    port: Number(port),
    async reload(next) {
      write(next);
      program.kill("SIGHUP");
      await program.sees(new RegExp(`(?:reloaded[^]*?){${++reloads}}`));
    },
  };
}

/** Sends `times` requests over consecutive connections. Returns the statuses, 0 if a connection ended first. */
async function ask(port: number, address: string, times: number): Promise<number[]> {
  const found: number[] = [];
  let client = await RawClient.open(port).catch(() => undefined);
  for (let i = 0; i < times; i++) {
    try {
      client ??= await RawClient.open(port);
      client.send(`GET /x HTTP/1.1\r\nHost: a.test\r\nX-Forwarded-For: ${address}\r\n\r\n`);
      found.push(statusOf(await client.finalResponse("GET")));
    } catch {
      found.push(0);
      client?.destroy();
      client = undefined;
    }
  }
  client?.destroy();
  return found;
}

/** Sends one request from each of `count` addresses over one connection. Returns the number of responses with 200. */
async function flood(port: number, first: number, count: number): Promise<number> {
  const batch = 100;
  let sent = 0;
  let responded = 0;
  let allowed = 0;
  let rest = "";
  const done = Promise.withResolvers<number>();
  const send = (socket: Socket): void => {
    let heads = "";
    for (const end = sent + batch; sent < end; sent++) {
      const n = first + sent;
      const address = `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
      heads += `GET /x HTTP/1.1\r\nHost: a.test\r\nX-Forwarded-For: ${address}\r\n\r\n`;
    }
    socket.write(heads);
  };
  const socket = connect(port, "127.0.0.1", () => send(socket));
  socket.on("data", (chunk) => {
    const text = rest + chunk.toString("latin1");
    // The possible beginning of a status line.
    const end = Math.max(text.lastIndexOf("\n"), 0);
    rest = text.slice(end);
    for (const [, status] of text.slice(0, end).matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
      responded++;
      if (status === "200") allowed++;
    }
    if (responded === count) socket.end();
    else if (responded === sent) send(socket);
  });
  socket.on("close", () => done.resolve(allowed));
  socket.on("error", done.reject);
  return await done.promise;
}

function countOf(statuses: readonly number[], status: number): number {
  return statuses.filter((found) => found === status).length;
}

function limited(burst: number, more: object = {}): { upstreams: object[]; routes: object[] } {
  const { upstreams } = everythingTo(origin.port);
  const rate_limit = { requests_per_second: RATE, burst_size: burst, key: "ip", ...more };
  return { upstreams, routes: [{ path_prefix: "/", upstream: "origin", rate_limit }] };
}

test(
  "four workers with many simultaneous connections, over all protocols, accept exactly the burst",
  async () => {
    const burst = 150;
    const rate_limit = { requests_per_second: RATE, burst_size: burst, key: "ip" };
    const gateway: ProtocolGateway = await startProtocols({
      server: { workers: WORKERS },
      upstreams: [{ name: "origin", servers: [serverAt(origin.port)] }],
      routes: [{ path_prefix: "/", upstream: "origin", rate_limit }],
    });
    try {
      expect(descendants(gateway.program.pid, "/process/workers/worker.")).toHaveLength(WORKERS);
      const asked = PROTOCOLS.flatMap((protocol) =>
        Array.from({ length: 100 }, async () => (await gateway.request(protocol)).status),
      );
      const statuses = await Promise.all(asked);
      expect(countOf(statuses, 200)).toBe(burst);
      expect(countOf(statuses, 429)).toBe(statuses.length - burst);
      expect(origin.requests).toHaveLength(burst);
    } finally {
      await gateway.stop();
    }
  },
  TIME_MS,
);

test(
  "while tokens refill, the workers together accept exactly the rate",
  async () => {
    const { port } = await serve(limited(100, { requests_per_second: 200 }));
    const start = performance.now();
    // One client sends requests without a pause, so that no token is lost because the bucket is full.
    const statuses = (await Promise.all(Array.from({ length: 32 }, () => ask(port, "198.51.100.1", 60)))).flat();
    const seconds = (performance.now() - start) / 1000;
    expect(countOf(statuses, 200) + countOf(statuses, 429)).toBe(statuses.length);
    expect(countOf(statuses, 200)).toBeLessThanOrEqual(100 + seconds * 200 + 1);
    expect(countOf(statuses, 200)).toBeGreaterThanOrEqual(100);
  },
  TIME_MS,
);

test(
  "workers that are killed in a flood leave the buckets unchanged: the burst is not granted twice",
  async () => {
    const burst = 300;
    const { program, port } = await serve(limited(burst));
    const responses = Promise.all(Array.from({ length: 24 }, () => ask(port, "198.51.100.1", 100)));
    // A third worker that dies early would stop the server.
    for (let killed = 0; killed < 2; killed++) {
      await until("requests under way", () => (origin.requests.length > 40 * (killed + 1) ? true : undefined));
      const [victim] = descendants(program.pid, "/process/workers/worker.");
      if (victim !== undefined) process.kill(victim, "SIGKILL");
    }
    const statuses = (await responses).flat();
    const lost = countOf(statuses, 0);
    expect(countOf(statuses, 200)).toBeLessThanOrEqual(burst);
    expect(countOf(statuses, 200) + lost).toBeGreaterThanOrEqual(burst);
    expect(origin.requests.length).toBeLessThanOrEqual(burst);
    expect(origin.requests.length + lost).toBeGreaterThanOrEqual(burst);
    await until("all workers again", () =>
      descendants(program.pid, "/process/workers/worker.").length === WORKERS ? true : undefined,
    );
    const after = (await Promise.all(Array.from({ length: 16 }, () => ask(port, "198.51.100.1", 2)))).flat();
    expect(countOf(after, 429)).toBe(32);
    const others = (await Promise.all(Array.from({ length: 16 }, () => ask(port, "198.51.100.2", 20)))).flat();
    expect(countOf(others, 200)).toBe(burst);
  },
  TIME_MS,
);

test(
  "a reload keeps the buckets of an unchanged limit, and starts a changed limit with full buckets",
  async () => {
    const { port, reload } = await serve(limited(20));
    expect(countOf(await ask(port, "198.51.100.1", 15), 200)).toBe(15);
    const { upstreams, routes } = limited(20);
    const rate_limit = { requests_per_second: RATE, burst_size: 3 };
    const more = Array.from({ length: 200 }, (_, i) => ({ path_prefix: `/r${i}`, upstream: "origin", rate_limit }));
    await reload({ upstreams, routes: [...routes, ...more] });
    expect(countOf(await ask(port, "198.51.100.1", 15), 200)).toBe(5);
    await reload(limited(21));
    expect(countOf(await ask(port, "198.51.100.1", 30), 200)).toBe(21);
    await reload(limited(20));
    expect(countOf(await ask(port, "198.51.100.1", 5), 200)).toBe(0);
  },
  TIME_MS,
);

test(
  "a flood of 100,000 addresses takes no memory, and no tokens from known or new clients",
  async () => {
    const { upstreams, routes } = limited(3);
    // Responses from the cache are limited as well, and 100,000 requests need no origin.
    const { program, port } = await serve({ upstreams, routes: routes.map((route) => ({ ...route, cache: {} })) });
    origin.response = (_, connection) =>
      connection.send("HTTP/1.1 200 OK\r\nCache-Control: max-age=3600\r\nContent-Length: 0\r\n\r\n");
    const resident = (): number =>
      descendants(program.pid, "/process/workers/worker.").reduce(
        (sum, pid) => sum + Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]),
        0,
      );
    expect(await ask(port, "198.51.100.1", 1)).toEqual([200]);
    const clients = 20;
    const each = 5000;
    await flood(port, 200_000, 5000);
    const before = resident();
    const responded = await Promise.all(Array.from({ length: clients }, (_, i) => flood(port, i * each, each)));
    expect(responded.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(clients * each - 100);
    expect(resident() - before).toBeLessThan(WORKERS * 50 * 1024);
    expect(await ask(port, "198.51.100.1", 3)).toEqual([200, 200, 429]);
    expect(await ask(port, "198.51.100.2", 4)).toEqual([200, 200, 200, 429]);
  },
  TIME_MS,
);
