import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../src/lib/testing/until.ts";
import { PROTOCOLS, type ProtocolGateway, startProtocols } from "./protocols.ts";

let exported = "";
const collector = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    exported += await request.text();
    return Response.json({});
  },
});
const origin = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("ok") });
const upstreams = [{ name: "app", servers: [{ address: "127.0.0.1", port: origin.port }] }];
const HUSH = "hush-of-bob";
const routes = [
  {
    path_prefix: "/keyed",
    upstream: "app",
    auth: { type: "api_key", query_param: "api_key", keys: [{ name: "ann", key: "s3cret-of-ann" }] },
  },
  {
    path_prefix: "/chained",
    upstream: "app",
    auth: {
      type: "chain",
      methods: [
        { type: "chain", methods: [{ type: "api_key", query_param: "ticket", keys: [{ name: "bob", key: HUSH }] }] },
        { type: "anonymous" },
      ],
    },
  },
  { path_prefix: "/", upstream: "app" },
];

let gateway: ProtocolGateway;
let path: string;

beforeAll(async () => {
  path = join("/tmp", `turnpike-access-${process.pid}.log`);
  gateway = await startProtocols({
    server: { allowed_hosts: ["localhost", "127.0.0.1"] },
    cors: { allow_origins: ["https://app.example.com"] },
    upstreams,
    routes,
    access_log: { format: "json", path },
    otel: { enabled: true, collector_url: collector.url.origin, max_batch_size: 1 },
  });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop(true);
  await collector.stop(true);
  spawnSync("rm", ["-f", path]);
});

type Line = Record<string, unknown>;

/** The line of the request with that user agent. */
async function lineOf(agent: string): Promise<Line> {
  let found: Line | undefined;
  await until(() => {
    found = linesIn(path).find((line) => line["user_agent"] === agent);
    return found !== undefined;
  });
  return found ?? {};
}

function linesIn(file: string): Line[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line); // Throws if a line is not an object.
}

test.each([...PROTOCOLS])(
  "a line has the upstream and the consumer, and no part of the key, over %s",
  async (protocol) => {
    const agent = `a "b" \\ c ${protocol}`;
    const reply = await gateway.request(protocol, {
      path: "/keyed/%22x?a=1&api_key=s3cret-of-ann",
      headers: { "user-agent": agent },
    });
    expect(reply.status).toBe(200);
    const line = await lineOf(agent);
    expect(line).toMatchObject({
      status: 200,
      consumer: "ann",
      path: "/keyed/%22x",
      query: "?a=1",
      upstream_server: `127.0.0.1:${origin.port}`,
      upstream_status: 200,
      upstream_tries: 1,
    });
    expect(line["upstream_first_byte_ms"]).toBeGreaterThanOrEqual(Number(line["upstream_connect_ms"]));
    expect(String(line["request_id"])).toBe(reply.header("x-request-id") ?? "");
    expect(readFileSync(path, "utf8")).not.toContain("s3cret-of-ann");
  },
);

const PREFLIGHT = { origin: "https://app.example.com", "access-control-request-method": "GET" };

test.each([...PROTOCOLS])("no line contains a key, whichever policy ends the request, over %s", async (protocol) => {
  const secrets = `api_key=${HUSH}&Ticket=${HUSH}&%74icket=${HUSH}&api%5Fkey=${HUSH}&access_token=${HUSH}`;
  const asked = [
    ["let in", { path: "/chained/x" }, 200],
    ["let in by another method", { path: "/x" }, 200],
    ["another host's", { path: "/chained/x", authority: "evil.test" }, 400],
    ["a preflight", { path: "/chained/x", method: "OPTIONS", headers: PREFLIGHT }, 204],
    ["refused by the codec", { path: "/chained/a%2Fb" }, 400],
    ["without its key", { path: "/keyed/x" }, 401],
  ] as const;
  for (const [what, request, status] of asked) {
    const headers = "headers" in request ? request.headers : {};
    const referer = `https://ann:${HUSH}@a.example/b?ticket=${HUSH}#token=${HUSH}`;
    const id = `${what} ${protocol}`.replaceAll(/[^a-z0-9.]/gi, "-");
    const reply = await gateway.request(protocol, {
      ...request,
      path: `${request.path}?a=1&${secrets}`,
      headers: { ...headers, referer, "x-request-id": id },
    });
    expect([what, reply.status]).toEqual([what, status]);
    await until(() => linesIn(path).some((line) => line["request_id"] === id));
    const line = linesIn(path).find((each) => each["request_id"] === id);
    expect([what, line?.["query"]]).toEqual([what, expect.stringMatching(/^\?a=1(?:&[\w%]+=REDACTED)*$/)]);
    if (line?.["referer"] !== undefined)
      expect(line["referer"]).toBe("https://a.example/b?ticket=REDACTED#token=REDACTED");
  }
  await until(() => exported.includes("Ticket=REDACTED"));
  expect(readFileSync(path, "utf8") + exported + gateway.program.output).not.toContain(HUSH);
});

test("a request that reached no upstream has no upstream in its line", async () => {
  await gateway.plain({ path: "/keyed/x", headers: { "user-agent": "nobody" } });
  const line = await lineOf("nobody");
  expect(line["status"]).toBe(401);
  expect(Object.keys(line).filter((key) => key.startsWith("upstream"))).toEqual([]);
});

test("renaming the file and SIGUSR1 lose and mix no lines, with two workers under load", async () => {
  const file = `${path}.rotated`;
  const two = await startProtocols({
    upstreams,
    routes,
    server: { workers: 2 },
    access_log: { format: "json", path: file },
  });
  const olds = [1, 2, 3].map((n) => `${file}.${n}`);
  try {
    let sent = 0;
    const stopped = new AbortController();
    const load = Array.from({ length: 4 }, async () => {
      while (!stopped.signal.aborted) {
        await fetch(`http://127.0.0.1:${two.plainPort}/n${sent++}`, { keepalive: false }).then((r) => r.text());
      }
    });
    for (const old of olds) {
      await until(() => linesIn(file).length > 20);
      renameSync(file, old);
      two.program.kill("SIGUSR1");
      await until(() => existsSync(file));
    }
    stopped.abort();
    await Promise.all(load);
    const all = (): string[] => [file, ...olds].flatMap((name) => linesIn(name)).map((line) => String(line["path"]));
    await until(() => all().length >= sent);
    expect(new Set(all()).size).toBe(sent);
    expect(all().length).toBe(sent);
  } finally {
    await two.stop();
    spawnSync("rm", ["-f", file, ...olds]);
  }
});

async function dropped(of: ProtocolGateway): Promise<number> {
  const page = (await of.plain({ path: "/metrics" })).text;
  return Number(/^turnpike_access_log_lines_dropped_total (\d+)/m.exec(page)?.[1]);
}

test.each([
  ["a pipe without a reader", "pipe"],
  ["a full disk", "/dev/full"],
])("%s drops lines, which are counted, and traffic continues", async (_, kind) => {
  const target = kind === "pipe" ? `${path}.pipe` : kind;
  if (kind === "pipe") spawnSync("mkfifo", [target]);
  const stuck = await startProtocols({ upstreams, routes, access_log: { format: "json", path: target } });
  try {
    const agent = "x".repeat(6000);
    await until(async () => {
      const load = Array.from({ length: 50 }, async () => {
        const response = await fetch(`http://127.0.0.1:${stuck.plainPort}/`, { headers: { "user-agent": agent } });
        expect(await response.text()).toBe("ok");
      });
      await Promise.all(load);
      return (await dropped(stuck)) > 0;
    });
  } finally {
    await stuck.stop();
    if (kind === "pipe") spawnSync("rm", ["-f", target]);
  }
});
