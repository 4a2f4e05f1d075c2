/** Health and discovery in a server of two workers: all workers use the results of one directory. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { Catalog, type Service } from "../../src/gateway/upstream/directory/testing/catalog.ts";
import { DnsServer } from "../../src/gateway/upstream/directory/testing/dns-server.ts";
import { descendants, Folder, Program, until } from "../support/program.ts";
import { valueOf } from "../support/prometheus.ts";
import { once, RawClient } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { type Message } from "../support/message.ts";
import { patient } from "../../src/lib/testing/patience.ts";

const TIME_MS = patient(30_000);
/** Connections over both workers. The probability that one worker gets none of them is 1 in 2^31. */
const CONNECTIONS = 32;
const INTERVAL_MS = 100;

let folder: Folder;
let program: Program | undefined;
let origins: Named[];

/** An origin that returns its name, and is healthy or not. */
interface Named {
  readonly name: string;
  readonly origin: RawOrigin;
  status: string;
  /** Times at which it was probed. */
  readonly probes: number[];
}

beforeEach(() => {
  folder = new Folder();
  origins = [];
});

afterEach(async () => {
  await program?.stop();
  program = undefined;
  for (const { origin } of origins) await origin.stop();
  folder.remove();
});

async function startOrigin(name: string): Promise<Named> {
  const origin = await RawOrigin.start();
  const named: Named = { name, origin, status: "200 OK", probes: [] };
  origin.response = ({ startLine }, connection) => {
    const isProbe = startLine.startsWith("GET /health ");
    if (isProbe) named.probes.push(performance.now());
    const status = isProbe ? named.status : "200 OK";
    connection.send(`HTTP/1.1 ${status}\r\nContent-Length: ${name.length}\r\n\r\n${name}`);
  };
  origins.push(named);
  return named;
}

/** All of 127.0.0.0/8 belongs to this machine. */
function listenOn(hostname: string, port = 0): Bun.Server<undefined> {
  return Bun.serve({ hostname, port, fetch: () => new Response(hostname) });
}

function serverOf({ origin }: Named): object {
  // Failed requests never take it out of rotation; only probes do.
  return { address: "127.0.0.1", port: origin.port, max_fails: 1_000_000 };
}

async function serve(upstream: object, workers = 2): Promise<number> {
  program = new Program(["--config", writeConfig(upstream, workers)]);
  const [, port] = await program.sees(/listening on http:\/\/\S*?:(\d+)/);
  return Number(port);
}

function writeConfig(upstream: object, workers = 2): string {
  return folder.write("turnpike.json", {
    server: { address: "127.0.0.1", port: 0, workers },
    upstreams: [{ name: "app", servers: [], ...upstream }],
    routes: [{ path_prefix: "/", upstream: "app" }],
    access_log: { enabled: false },
  });
}

function get(port: number, path = "/x"): Promise<Message> {
  return once(port, `GET ${path} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n`);
}

/** The names of the responding servers over many connections; `502` without one. */
async function responding(port: number): Promise<string> {
  const all = await Promise.all(Array.from({ length: CONNECTIONS }, () => get(port)));
  const names = all.map(({ startLine, body }) => (startLine.includes(" 200 ") ? body : "502"));
  return [...new Set(names)].toSorted().join(" ");
}

function responses(port: number, names: string): Promise<true> {
  return until(`all responses come from ${names}`, async () => ((await responding(port)) === names ? true : undefined));
}

test(
  "an unhealthy server gets no request of any worker, returns when it is healthy, and is probed once an interval",
  async () => {
    const [a, b] = [await startOrigin("a"), await startOrigin("b")];
    const port = await serve({
      servers: [serverOf(a), serverOf(b)],
      health_check: { interval_ms: INTERVAL_MS, unhealthy_threshold: 2, healthy_threshold: 2 },
    });
    await responses(port, "a b");
    a.status = "503 Gone";
    await program?.sees(/upstream "app": server 127\.0\.0\.1:\d+ is unhealthy: status/);
    expect(await responding(port)).toBe("b");
    const { body } = await get(port, "/metrics");
    const labels = { upstream: "app", server: `127.0.0.1:${a.origin.port}` };
    expect(valueOf(body, "turnpike_upstream_server_healthy", labels)).toBe(0);
    expect(valueOf(body, "turnpike_upstream_server_in_rotation", labels)).toBe(0);
    expect(valueOf(body, "turnpike_upstream_server_probe_failed", { ...labels, reason: "status" })).toBe(1);
    expect(valueOf(body, "turnpike_upstream_server_healthy", { upstream: "app" })).toBe(1);
    a.status = "200 OK";
    await program?.sees(/is healthy again/);
    expect(await responding(port)).toBe("a b");
    // At most a tenth earlier, plus the delay of the machine. Two probers would take half of this time.
    const probes = await until("ten probes", () => (b.probes.length >= 10 ? b.probes : undefined));
    expect((probes[9] ?? 0) - (probes[0] ?? 0)).toBeGreaterThan(9 * INTERVAL_MS * 0.75);
  },
  TIME_MS,
);

test(
  "if every server is unhealthy, requests get 502, and responses as soon as a server is healthy",
  async () => {
    const a = await startOrigin("a");
    const port = await serve({
      servers: [serverOf(a)],
      health_check: { interval_ms: INTERVAL_MS, unhealthy_threshold: 1, healthy_threshold: 1 },
    });
    a.status = "500 No";
    await responses(port, "502");
    a.status = "200 OK";
    await responses(port, "a");
  },
  TIME_MS,
);

for (const workers of [1, 2]) {
  test(
    `servers that the catalog finds get requests of ${workers === 1 ? "the one process" : "all workers"} at once, and a worker that is started again knows them`,
    async () => {
      const [a, b] = [await startOrigin("a"), await startOrigin("b")];
      const catalog = new Catalog();
      catalog.set([{ address: "127.0.0.1", port: a.origin.port }]);
      try {
        const port = await serve(
          { catalog_discovery: { service: "app", port: catalog.port, token: "s3cret" } },
          workers,
        );
        expect(await responding(port)).toBe("a");
        await until("it waits", () => (catalog.waiting.size > 0 ? true : undefined));
        catalog.set([{ address: "127.0.0.1", port: b.origin.port }]);
        await responses(port, "b");
        if (workers > 1) {
          const pid = program?.pid ?? 0;
          const [victim] = descendants(pid, "/process/workers/worker.");
          if (victim === undefined) throw new Error("no process to kill");
          process.kill(victim, "SIGKILL");
          await until("two workers again", () => {
            const now = descendants(pid, "/process/workers/worker.");
            return now.length === workers && !now.includes(victim) ? true : undefined;
          });
          await responses(port, "b");
        }
        expect(new Set(catalog.tokens)).toEqual(new Set(["s3cret"]));
        // Only one directory sends queries, whatever the number of workers.
        expect(catalog.queries.length).toBeLessThanOrEqual(3);
        expect(program?.output).not.toContain("s3cret");
      } finally {
        await catalog.stop();
      }
    },
    TIME_MS,
  );
}

test(
  "no request is lost while servers come and go, whatever its method",
  async () => {
    const all = [await startOrigin("a"), await startOrigin("b"), await startOrigin("c")];
    const catalog = new Catalog();
    const listed = (names: string): Service[] =>
      all.filter(({ name }) => names.includes(name)).map(({ origin }) => ({ address: "127.0.0.1", port: origin.port }));
    catalog.set(listed("ab"));
    try {
      const port = await serve({ catalog_discovery: { service: "app", port: catalog.port, interval_s: 1 } });
      const end = new AbortController();
      const clients = Array.from({ length: 8 }, async () => {
        const client = await RawClient.open(port);
        const statuses = new Set<string>();
        while (!end.signal.aborted) {
          client.send("POST /x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 2\r\n\r\nhi");
          statuses.add((await client.response()).startLine);
        }
        client.destroy();
        return [...statuses];
      });
      for (const names of ["bc", "c", "abc", "a"]) {
        for (const { origin } of all) origin.requests.length = 0;
        await until("it waits", () => (catalog.waiting.size > 0 ? true : undefined));
        catalog.set(listed(names));
        await until(`${names} serve`, () =>
          all.every(({ name, origin }) => !names.includes(name) || origin.requests.length > 20) ? true : undefined,
        );
      }
      end.abort();
      expect(await Promise.all(clients)).toEqual(clients.map(() => ["HTTP/1.1 200 OK"]));
    } finally {
      await catalog.stop();
    }
  },
  TIME_MS,
);

test(
  "servers come from DNS, change within its time to live, and stay if a lookup fails",
  async () => {
    const dns = await DnsServer.start();
    const first = listenOn("127.0.0.1", 0);
    const second = listenOn("127.0.0.2", first.port);
    try {
      dns.response = () => ({ addresses: ["127.0.0.1"], ttl: 1 });
      const port = await serve({
        dns_discovery: { hostname: "app.test", port: first.port, nameservers: [dns.place] },
      });
      expect(await responding(port)).toBe("127.0.0.1");
      dns.response = () => ({ addresses: ["127.0.0.2"], ttl: 1 });
      await responses(port, "127.0.0.2");
      dns.response = () => ({ addresses: [], ttl: 0, code: 2 });
      await program?.sees(/DNS for "app\.test": lookup failed \(ESERVFAIL\); the last server stays/);
      expect(await responding(port)).toBe("127.0.0.2");
    } finally {
      dns.stop();
      await Promise.all([first.stop(true), second.stop(true)]);
    }
  },
  TIME_MS,
);

test(
  "a reload that fails leaves probes and servers as they were, and one that works changes them",
  async () => {
    const [a, b] = [await startOrigin("a"), await startOrigin("b")];
    const health = { interval_ms: 50, unhealthy_threshold: 1, healthy_threshold: 1 };
    const port = await serve({ servers: [serverOf(a)], health_check: health });
    await until("it is probed", () => a.probes[0]);
    const file = writeConfig({ servers: [serverOf(b)], health_check: { ...health, path: "no path" } });
    program?.kill("SIGHUP");
    await program?.sees(/Cannot reload/);
    const probed = a.probes.length;
    await until("it is still probed", () => (a.probes.length > probed + 2 ? true : undefined));
    expect(await responding(port)).toBe("a");
    expect(b.probes).toEqual([]);
    writeConfig({ servers: [serverOf(b)], health_check: health });
    program?.kill("SIGHUP");
    await program?.sees(new RegExp(`reloaded ${file}`));
    await until("the other one is probed", () => b.probes[0]);
    expect(await responding(port)).toBe("b");
    const last = a.probes.length;
    const since = b.probes.length;
    await until("more of its probes", () => (b.probes.length > since + 3 ? true : undefined));
    expect(a.probes.length).toBeLessThanOrEqual(last + 1);
  },
  TIME_MS,
);
