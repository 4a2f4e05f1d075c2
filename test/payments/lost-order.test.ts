/** The command dies between its payment for a crawl and the response, whose secret gives access to the job. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import shipped from "../../config/turnpike.json";
import { baseUrl } from "../../src/content/testing/client.ts";
import { startTestService } from "../../src/content/testing/service.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { openStore } from "../../src/store/open/open-store.ts";
import { serverAt, startGateway } from "../support/gateway.ts";
import { COMMAND, Folder } from "../support/program.ts";

setDefaultTimeout(patient(60_000));

const site = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch({ url }) {
    if (new URL(url).pathname !== "/") return new Response("", { status: 404 });
    const html =
      "<!doctype html><title>Harbour</title><article><h1>Harbour</h1><p>High water comes twice a day.</p></article>";
    return new Response(html, { headers: { "content-type": "text/html" } });
  },
});
const folder = new Folder();
const content = await startTestService();
const gateway = await startGateway({
  state_path: folder.path,
  x402: { enabled: true, test_mode: true },
  upstreams: [{ name: "content", servers: [serverAt(Number(new URL(baseUrl(content.service)).port))] }],
  routes: shipped.routes
    .filter(({ path_prefix: prefix }) => prefix.startsWith("/crawl"))
    .map((route) => ({ ...route, body_schema: undefined })),
});

/** The ids of the jobs that the gateway has told of. */
const told: string[] = [];
/** Called with the response to a paid request, which the client gets afterwards. */
let beforeResponse = async (): Promise<void> => undefined;
const relay = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    const url = new URL(request.url);
    url.port = String(gateway.port);
    const isPaid = request.headers.has("payment-signature");
    const response = await fetch(url, {
      method: request.method,
      headers: request.headers,
      body: (await request.text()) || null,
    });
    const body = await response.text();
    if (isPaid) {
      told.push((JSON.parse(body) as { id: string }).id);
      await beforeResponse();
    }
    const headers = new Headers(response.headers);
    for (const name of ["content-length", "transfer-encoding", "connection"]) headers.delete(name);
    return new Response(response.status === 204 ? null : body, { status: response.status, headers });
  },
});
const store = openStore(folder.file("turnpike.db"));
afterAll(async () => {
  await relay.stop(true);
  await gateway.stop();
  await store.close();
  await content.close();
  await site.stop(true);
  folder.remove();
});

function spawn(...args: string[]) {
  const env = { ...process.env, TURNPIKE_HOME: folder.file("home"), TURNPIKE_GATEWAY: relay.url.href };
  return Bun.spawn([...COMMAND, ...args], { cwd: folder.path, env, stdio: ["ignore", "pipe", "pipe"] });
}

test("the order is kept before it is sent, and gets the same job again, for one payment", async () => {
  const jobs = folder.file("home/jobs");
  const child = spawn(
    "call",
    "crawl",
    site.url.href,
    "--set",
    "limit=3",
    "--set",
    "sitemap=skip",
    "--out",
    "pages.ndjson",
  );
  beforeResponse = async () => {
    child.kill("SIGKILL");
    await child.exited;
  };
  expect(await child.exited).not.toBe(0);
  beforeResponse = async () => undefined;
  const [order = "", ...more] = readdirSync(jobs);
  expect([more, statSync(join(jobs, order)).mode & 0o777]).toEqual([[], 0o600]);
  const listed = spawn("jobs", "--json");
  expect(JSON.parse(await listed.stdout.text())).toMatchObject([{ state: "no response" }]);
  const id = order.replace(".json", "");
  const shown = spawn("jobs", "show", id.slice(0, 8));
  expect(await shown.stderr.text()).toContain(`turnpike jobs resume ${id}`);
  const resumed = spawn("jobs", "resume", id.slice(0, 8));
  const said = await resumed.stderr.text();
  expect([await resumed.exited, said]).toEqual([0, expect.stringContaining("completed: 1 of 3 pages")]);
  expect([told.length, new Set(told).size]).toEqual([2, 1]);
  expect(readdirSync(jobs).filter((name) => name.endsWith(".json"))).toEqual([`${told[0]}.json`]);
  expect(await store.view.list({}, { limit: 5 })).toHaveLength(1);
});
