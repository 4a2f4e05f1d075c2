import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../src/lib/testing/until.ts";
import { PROTOCOLS, type ProtocolGateway, startProtocols } from "./protocols.ts";

const origin = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("ok") });
const upstreams = [{ name: "app", servers: [{ address: "127.0.0.1", port: origin.port }] }];
const routes = [
  {
    path_prefix: "/keyed",
    upstream: "app",
    auth: { type: "api_key", query_param: "api_key", keys: [{ name: "ann", key: "s3cret-of-ann" }] },
  },
  { path_prefix: "/", upstream: "app" },
];

let gateway: ProtocolGateway;
let path: string;

beforeAll(async () => {
  path = join("/tmp", `turnpike-access-${process.pid}.log`);
  gateway = await startProtocols({ upstreams, routes, access_log: { format: "json", path } });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop(true);
  spawnSync("rm", ["-f", path]);
});

type Line = Record<string, unknown>;

/** The line of the request whose user agent that is. */
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
    .map((line) => JSON.parse(line) as Line); // Every line is an object, or this throws.
}

test.each([...PROTOCOLS])(
  "a line tells of the upstream, the consumer and nothing of the key, over %s",
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

test("a request that no upstream saw has no upstream in its line", async () => {
  await gateway.plain({ path: "/keyed/x", headers: { "user-agent": "nobody" } });
  const line = await lineOf("nobody");
  expect(line["status"]).toBe(401);
  expect(Object.keys(line).filter((key) => key.startsWith("upstream"))).toEqual([]);
});

test("renaming the file and SIGUSR1 lose no line and mix none, with two workers under load", async () => {
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
  ["a pipe that nobody reads", "pipe"],
  ["a full disk", "/dev/full"],
])("%s drops lines, which are counted, and traffic goes on", async (_, kind) => {
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
