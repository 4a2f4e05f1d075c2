/** Runs the examples of the README and of the first guides: commands, configurations and scripts, and compares their output. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Subprocess } from "bun";
import packageJson from "../package.json";
import { buildClient } from "./support/client.ts";
import { blockWith, readDocument, ROOT } from "./support/documents.ts";
import { patient } from "../src/lib/testing/patience.ts";
import { withBrowser } from "../src/content/testing/state-folder.ts";

// Unpacks and starts a browser.
setDefaultTimeout(patient(60_000));

const README = readDocument("README.md");
const GETTING_STARTED = readDocument("docs/getting-started.md");
const READ_PAGES = readDocument("docs/guides/read-pages.md");
const SELL = readDocument("docs/guides/sell-an-api.md");
const STOP_MS = patient(10_000);

const PAGE = `<!doctype html><html lang="en"><head><title>Tide tables</title></head><body><nav><a href="/">Home</a></nav>
<article><h1>Tide tables</h1><p>High water at the harbour comes twice a day, about fifty minutes later each day.</p>
<p>The <strong>spring tide</strong> follows the new and the full moon by a day or two.</p></article>
<footer>Harbour office</footer></body></html>`;

let folder: string;
let site: Bun.Server<undefined>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-readme-"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  site = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response(PAGE, { headers: { "content-type": "text/html" } }),
  });
});

afterAll(async () => {
  await site.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

interface Ran {
  readonly code: number;
  readonly output: string;
}

/** Runs `turnpike` as a new user does, with the test's own folder and home. */
async function turnpike(...args: string[]): Promise<Ran> {
  return run(join(ROOT, "bin/turnpike"), ...args);
}

async function run(...command: string[]): Promise<Ran> {
  const child = Bun.spawn(command, { cwd: folder, env: environment(), stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, output: stderr + stdout };
}

function environment(): Record<string, string | undefined> {
  return { ...process.env, TURNPIKE_HOME: join(folder, "home"), TURNPIKE_GATEWAY: "" };
}

interface Server {
  /** Its output until it was ready. */
  readonly output: string;
  stop(): Promise<number>;
}

/** Starts a server; it is ready when its output matches `ready`. */
async function serve(args: readonly string[], ready: RegExp): Promise<Server> {
  const child = Bun.spawn([join(ROOT, "bin/turnpike"), ...args], {
    cwd: folder,
    env: environment(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  const decoder = new TextDecoder();
  const reader = child.stdout.getReader();
  while (!ready.test(output)) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`Cannot start turnpike ${args.join(" ")}: it ended after printing "${output}"`);
    output += decoder.decode(value, { stream: true });
  }
  return { output, stop: () => stop(child) };
}

async function stop(child: Subprocess): Promise<number> {
  child.kill("SIGTERM");
  const kill = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  const code = await child.exited;
  clearTimeout(kill);
  return code;
}

function urlIn(output: string): string {
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
  if (url === undefined) throw new Error(`Cannot find the gateway's address in "${output}"`);
  return url;
}

/** Without the parts that differ between runs and machines. */
function steady(text: string): string {
  return text
    .replaceAll(/(?:\/[\w.-]+)+\/wallet\.json/g, "WALLET")
    .replaceAll(/0x7e577e57[0-9a-f]{56}/g, "TRANSACTION")
    .replaceAll(/0x[0-9a-fA-F]{40}/g, "ADDRESS");
}

/** The labels of the lines of `turnpike start`. */
function labelsOf(text: string): string[] {
  return text
    .trim()
    .split("\n")
    .map((line) => line.slice(0, 10).trim());
}

describe("the gateway and the content service together", () => {
  let server: Server;
  let gateway: string;

  beforeAll(async () => {
    const state = withBrowser(join(folder, "s"));
    server = await serve(["start", "--port", "0", "--state-dir", state, "--allow-private"], /^try .*\n/m);
    gateway = urlIn(server.output);
  });

  afterAll(async () => {
    expect(await server.stop()).toBe(0);
  });

  test("start prints the documented output", () => {
    const shown = labelsOf(blockWith(GETTING_STARTED, "text", "embedded facilitator"));
    expect(labelsOf(server.output).filter((name) => name !== "pages")).toEqual(shown);
    expect(server.output).toContain("signatures are checked, no money moves");
  });

  test("the first call creates a wallet, pays, and prints the article", async () => {
    const { code, output } = await turnpike("call", "read", site.url.href, "--gateway", gateway);
    expect([code, steady(output)]).toEqual([0, steady(blockWith(GETTING_STARTED, "text", "made a wallet"))]);
  });

  test("the other calls work", async () => {
    const links = await turnpike("call", "scrape", site.url.href, "--set", "format=links", "--gateway", gateway);
    expect([links.code, links.output]).toEqual([0, expect.stringContaining(`[Home](${site.url.href})`)]);
    const text = "https://example.com/";
    const qr = await turnpike("call", "qr", text, "--set", "size=128", "--out", "qr.png", "--gateway", gateway);
    expect([qr.code, qr.output]).toEqual([0, expect.stringContaining("to qr.png")]);
    const batch = await turnpike("call", "batch", site.url.href, "--set", "format=text", "--gateway", gateway);
    expect([batch.code, batch.output]).toEqual([0, expect.stringContaining(`==> ${site.url.href} <==\n`)]);
    const selectors = ["--set", "selectors.title=h1", "--set", "selectors.links=a@href"];
    const extract = await turnpike("call", "extract", site.url.href, ...selectors, "--gateway", gateway);
    expect([extract.code, extract.output]).toEqual([0, expect.stringContaining('"title": "Tide tables"')]);
    const health = await turnpike("call", "health", "--gateway", gateway);
    expect([health.code, health.output]).toEqual([0, expect.stringContaining('"status": "ok"')]);
  });

  test("the response to a request without payment is the documented one", async () => {
    const response = await fetch(`${gateway}/read`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ url: "https://example.com/" }),
    });
    const shown = blockWith(GETTING_STARTED, "text", "402 Payment Required");
    const names = [...shown.matchAll(/^([A-Za-z-]+): /gm)].map(([, name = ""]) => name.toLowerCase());
    expect(response.status).toBe(402);
    expect([...response.headers.keys()].toSorted()).toEqual(names.toSorted());
    const problem = await response.text();
    const [start = "", rest = ""] = shown.slice(shown.indexOf("{")).split(/\n|\.\.\.\n/);
    expect(problem).toStartWith(start + rest.replace(/\.\.\.$/, ""));
  });

  test("the script with the typed client pays, and distinguishes an error by its code", async () => {
    buildClient();
    const script = blockWith(READ_PAGES, "js", "turnpike/client")
      .replace("turnpike/client", pathToFileURL(join(ROOT, packageJson.exports["./client"].default)).href)
      .replace("http://127.0.0.1:8080", gateway)
      .replace("https://example.com/", site.url.href)
      .replace("http://no-such-host.invalid/", "http://127.0.0.1:1/");
    writeFileSync(join(folder, "tides.mjs"), script);
    expect(await run("node", "tides.mjs")).toEqual({
      code: 0,
      output: blockWith(READ_PAGES, "text", "paid $0.005 for"),
    });
  });

  test("the script that pays with the stock client prints the article", async () => {
    const script = blockWith(READ_PAGES, "js", "wrapFetchWithPayment");
    const local = script
      .replace("http://127.0.0.1:8080", gateway)
      .replace('"https://example.com/"', JSON.stringify(site.url.href));
    expect(local).not.toContain("8080");
    writeFileSync(join(folder, "pay.mjs"), local);
    expect(await run("node", "pay.mjs")).toEqual({ code: 0, output: blockWith(READ_PAGES, "text", "200 Tide tables") });
  });
});

describe("the gateway alone", () => {
  const config = blockWith(README, "json", '"upstreams"');
  const [checked = "", listening = ""] = blockWith(SELL, "text", "gateway.json: ok").trim().split("\n");

  test("check finds nothing wrong with the README's configuration, which is also that of the guide", async () => {
    expect(blockWith(SELL, "json", '"upstreams"')).toBe(config);
    writeFileSync(join(folder, "gateway.json"), config);
    expect(await turnpike("check", "gateway.json")).toEqual({ code: 0, output: `${checked}\n` });
  });

  test("check prints the documented output for a broken configuration", async () => {
    const broken = config
      .replace('"workers": 1', '"workers": "one"')
      .replace('"upstream": "api",', '"upstream": "apis",')
      .replace('"test_mode":', '"test_mod":');
    writeFileSync(join(folder, "broken.json"), broken);
    expect(await turnpike("check", "broken.json")).toEqual({
      code: 1,
      output: blockWith(SELL, "text", "broken.json"),
    });
  });

  test("it serves routes without a price free of charge, and requires payment on routes with one", async () => {
    const local = config.replace('"port": 8090', '"port": 0').replace('"port": 9000', `"port": ${site.port}`);
    writeFileSync(join(folder, "gateway.json"), local);
    const server = await serve(["--config", "gateway.json"], /listening on .*\n/);
    try {
      expect(server.output.trim().replace(/\d+$/, "8090")).toBe(listening);
      const gateway = urlIn(server.output);
      const paths = ["/", "/reportsnot", "/reports", "/reports/1?year=2026", "//reports/1", "/%72eports"];
      const statuses = await Promise.all(paths.map(async (path) => (await fetch(gateway + path)).status));
      expect(statuses).toEqual([200, 200, 402, 402, 402, 402]);
    } finally {
      expect(await server.stop()).toBe(0);
    }
  });
});
