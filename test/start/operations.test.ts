/** Every operation of the shipped program, paid for: by the typed client on Node and Bun, by curl over HTTP/1.1 and HTTP/2. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { connect } from "node:http2";
import { join } from "node:path";
import shipped from "../../config/turnpike.json";
import { OPERATIONS as ALL_OPERATIONS } from "../../src/content/operations/operations.ts";
import { payAndFetch } from "../../src/payments/client/client.ts";
import { PAYER, PRIVATE_KEY } from "../../src/payments/testing/payment.ts";
import { buildClient } from "../support/client.ts";
import { isInstalled } from "../../src/lib/testing/installed.ts";
import { COMMAND, Folder, Program } from "../support/program.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { hasNamespaces } from "../../src/content/testing/namespaces.ts";
import { withBrowser } from "../../src/content/testing/state-folder.ts";

// Unpacks and starts a browser on a machine that may be busy.
setDefaultTimeout(patient(60_000));

const OPERATIONS = ALL_OPERATIONS.filter(({ name }) => hasNamespaces || name !== "browser");
const ROOT = join(import.meta.dir, "../..");
const WORDS = "High water at the harbour comes twice a day, about fifty minutes later each day. ".repeat(5);
const PAGE = `<!doctype html><html lang="en"><head><title>Tide tables</title></head><body>
<article><h1>Tide tables</h1><p>${WORDS}</p><p>${WORDS}</p><a href="/next">Next</a></article></body></html>`;

const TOOLS_SCRIPT = `import { turnpikeTools as toolsOfAi } from "turnpike/ai";
import { Turnpike } from "turnpike/client";
import { turnpikeTools } from "turnpike/langchain";
const [url, privateKey, sales] = process.argv.slice(2);
const turnpike = new Turnpike({ url, privateKey, maxTotal: "1" });
const tools = turnpikeTools(turnpike);
const call = (name, input) => tools.find((tool) => tool.name === name).invoke(input);
const results = {};
for (const [name, body] of JSON.parse(sales)) {
  let content = await call(name, body);
  if (name === "crawl") {
    const job = JSON.parse(content);
    // Results can be read when they are paid.
    do content = await call("job_results", job);
    while (!content.includes('"number"') && ["running", "completed"].includes(JSON.parse(await call("job_status", job)).state));
  }
  results[name] = typeof content === "string" ? content : Buffer.from(content[0].data, "base64").toString("latin1");
}
results.ai = await toolsOfAi(turnpike).read.execute(JSON.parse(sales).find(([name]) => name === "read")[1], {});
console.log(JSON.stringify([tools.map(({ name }) => name), results]));
`;

const PYTHON = "/usr/bin/python3";
const hasHttpx =
  Bun.spawnSync([PYTHON, "-c", "import httpx, cryptography"], { stdio: ["ignore", "ignore", "ignore"] }).exitCode === 0;

const folder = new Folder();
let site: Bun.Server<undefined>;
let program: Program;
let gateway: string;

interface PaidRoute {
  readonly body?: object;
  /** The expected part of the response: some of its text, or its first bytes. */
  readonly holds: string;
}

function paidRouteOf(name: string): PaidRoute | undefined {
  const url = `${site.url.href}tides`;
  const paidRoutes: Readonly<Record<string, PaidRoute>> = {
    search: { body: { query: "tide tables" }, holds: '"title":"Tide tables"' },
    search_content: { body: { query: "tide tables", content: "markdown" }, holds: '"content":"High water' },
    map: { body: { url }, holds: '"title":"Tide tables"' },
    crawl: { body: { urls: [url], limit: 1, format: "text" }, holds: 'completed {"number":1' },
    scrape: { body: { url, format: "links" }, holds: "[Next](" },
    batch: { body: { urls: [url, `${url}/other`], format: "text" }, holds: "High water" },
    extract: { body: { url, selectors: { title: "h1", next: "a@href" } }, holds: '"title":"Tide tables"' },
    read: { body: { url }, holds: "High water" },
    parse: { body: { file: btoa(PAGE), content_type: "text/html" }, holds: "High water" },
    pdf: { body: { url }, holds: "%PDF-" },
    screenshot: { body: { url, width: 200, height: 100 }, holds: "PNG" },
    resolve: {
      body: { question: "Does high water come twice a day?", sources: [url], max_sources: 1 },
      holds: '"sources_read":1',
    },
    qr: { body: { data: "https://example.com/" }, holds: "PNG" },
    session: { body: { ttl: 60 }, holds: '"secret":' },
    browser: { body: { minutes: 1 }, holds: '"connect":"/browser?token=' },
    health: { holds: '"status":"ok"' },
  };
  return paidRoutes[name];
}

async function run(command: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const child = Bun.spawn([...command], { cwd: folder.path, stdio: ["ignore", "pipe", "pipe"] });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, out, err };
}

beforeAll(async () => {
  site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) =>
      new URL(url).pathname.startsWith("/tides")
        ? new Response(PAGE, { headers: { "content-type": "text/html" } })
        : new Response("", { status: 404 }),
  });
  buildClient();
  // Without it, a package of the folders above could be named like this one.
  folder.write("package.json", { type: "module" });
  mkdirSync(folder.file("node_modules"));
  symlinkSync(ROOT, folder.file("node_modules/turnpike"));
  for (const name of ["@x402", "viem"])
    symlinkSync(join(ROOT, "node_modules", name), folder.file(`node_modules/${name}`));
  const state = ["--state-dir", withBrowser(folder.file("state")), "--allow-private"];
  const indexed = await run([...COMMAND, "index", "add", `${site.url.href}tides`, "--depth", "0", ...state]);
  if (indexed.code !== 0) throw new Error(`Cannot fill the index: ${indexed.err}`);
  const config = folder.write("turnpike.json", {
    ...shipped,
    content: { search: { providers: ["local"] }, browsers: { enabled: true, max: 12 } },
  });
  program = new Program(["--config", config, "--port", "0", ...state], { command: [...COMMAND, "start"] });
  const [, port] = await program.sees(/^gateway +http:\/\/127\.0\.0\.1:(\d+)$[^]*^try /m);
  gateway = `http://127.0.0.1:${port}`;
});

afterAll(async () => {
  await program.stop();
  await site.stop(true);
  folder.remove();
});

test("every operation has a test here", () => {
  expect(OPERATIONS.filter(({ name }) => paidRouteOf(name) === undefined).map(({ name }) => name)).toEqual([]);
});

test("an invalid request is refused before its price, and costs no signature", async () => {
  const json = "application/json";
  for (const { name, path, method } of OPERATIONS.filter(
    ({ price, isUpload }) => price !== undefined && isUpload !== true,
  )) {
    const valid = JSON.stringify(paidRouteOf(name)?.body);
    // Each field of a session has a default.
    const least = name === "session" ? 402 : 400;
    for (const [body, type, status] of [
      [valid, json, 402],
      [valid.slice(0, -1), json, 400],
      [`${valid.slice(0, -1)},"unknown":1}`, json, 400],
      ["{}", json, least],
      ["", json, 400],
      [valid, "text/plain", 415],
    ] as const) {
      const init = { method: method.toUpperCase(), headers: { "content-type": type }, body };
      const response = await fetch(gateway + path, init);
      expect([name, body, type, response.status]).toEqual([name, body, type, status]);
      expect(response.headers.has("payment-required")).toBe(status === 402);
      await response.body?.cancel();
    }
  }
});

test("an invalid upload is refused after its price, which is not charged", async () => {
  const valid = JSON.stringify(paidRouteOf("parse")?.body);
  for (const body of [valid.slice(0, -1), `${valid.slice(0, -1)},"unknown":1}`, "{}", ""]) {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body };
    const { response, receipt } = await payAndFetch(`${gateway}/parse`, init, {
      account: () => ({ address: PAYER, privateKey: Buffer.from(PRIVATE_KEY.slice(2), "hex") }),
      maxPrice: "$1",
      fetch,
    });
    expect([body, response.status, receipt?.success]).toEqual([body, 400, undefined]);
    await response.body?.cancel();
  }
});

const SCRIPT = `import { Turnpike, TurnpikeProblem } from "turnpike/client";
const [url, privateKey, sales, missingPage] = process.argv.slice(2);
let paid = "";
const turnpike = new Turnpike({ url, privateKey, onPayment: ({ path, price }) => { paid = path + " " + price; } });
const results = {};
for (const [name, body] of JSON.parse(sales)) {
  paid = "";
  const answer = body === null ? await turnpike[name]() : await turnpike[name](body);
  let pages = "";
  let state;
  if (Symbol.asyncIterator in answer) {
    for await (const page of answer) pages += JSON.stringify(page);
    state = await answer.state();
    paid += name + " " + state.cost?.paid + " of " + state.cost?.quote;
  }
  const text = pages !== "" ? state.state + " " + pages : "bytes" in answer ? Buffer.from(answer.bytes).toString("latin1") : JSON.stringify(answer);
  results[name] = { paid, start: text.slice(0, 4000) };
}
const problem = await turnpike.scrape({ url: "nowhere" }).catch((error) => error);
results.problem = [problem instanceof TurnpikeProblem, problem.code, problem.errors];
paid = "";
const unsold = await turnpike.batch({ urls: ["http://127.0.0.1:1/", "http://127.0.0.1:1/x"] });
results.unsold = [...unsold.results.map(({ content, error_type }) => content + error_type), paid];
const missing = await turnpike.read({ url: missingPage }).catch((error) => error);
results.missing = [missing.code, missing.status, missing.pageStatus, paid];
console.log(JSON.stringify(results));
`;

test.each(["node", process.execPath])("the typed client pays for every operation on %s", async (runtime) => {
  const script = folder.write("calls.mjs", SCRIPT);
  const paidRoutes = OPERATIONS.map(({ name }) => [name, paidRouteOf(name)?.body ?? null]);
  const { code, out, err } = await run([
    runtime,
    script,
    gateway,
    PRIVATE_KEY,
    JSON.stringify(paidRoutes),
    `${site.url.href}missing`,
  ]);
  expect([code, err]).toEqual([0, ""]);
  // The output of the script above.
  const results = JSON.parse(out) as Record<string, { paid: string; start: string }>;
  for (const { name, path, price } of OPERATIONS) {
    // A batch is sold by its pages; this one has two. A crawl is charged later, for its one page.
    const charged = name === "batch" ? "$0.01" : price;
    const paid = name === "crawl" ? "crawl 5000 of 5000" : charged === undefined ? "" : `${path} ${charged}`;
    expect([name, results[name]?.paid]).toEqual([name, paid]);
    expect([name, results[name]?.start]).toEqual([name, expect.stringContaining(paidRouteOf(name)?.holds ?? "?")]);
  }
  const errors = [{ path: "/url", message: 'must be of format "url"' }];
  const failed = "urn:turnpike:error:page-failed";
  expect(JSON.stringify(results["unsold"])).toBe(JSON.stringify([failed, failed, ""]));
  expect(JSON.stringify(results["missing"])).toBe(JSON.stringify(["page-failed", 500, 404, ""]));
  expect(JSON.stringify(results["problem"])).toBe(JSON.stringify([true, "invalid-parameters", errors]));
});

test.skipIf(!isInstalled("python3-httpx", hasHttpx))("the Python client pays for every operation", async () => {
  const paidRoutes = OPERATIONS.map(({ name }) => [name, paidRouteOf(name)?.body ?? null]);
  const script = join(ROOT, "clients/python/tests/call_operations.py");
  const modules = `PYTHONPATH=${join(ROOT, "clients/python")}`;
  const args = [gateway, PRIVATE_KEY, JSON.stringify(paidRoutes), `${site.url.href}missing`];
  const { code, out, err } = await run(["env", modules, PYTHON, "-B", script, ...args]);
  expect([code, err]).toEqual([0, ""]);
  // The output of the script.
  const results = JSON.parse(out) as Record<string, { paid: string; start: string }[]>;
  for (const { name, path, price } of OPERATIONS) {
    const charged = name === "batch" ? "$0.01" : price;
    const paid = name === "crawl" ? "crawl 5000 of 5000" : charged === undefined ? "" : `${path} ${charged}`;
    const sold = { paid, start: expect.stringContaining(paidRouteOf(name)?.holds ?? "?") };
    expect([name, ...(results[name] ?? [])]).toEqual([name, sold, ...(["crawl", "qr"].includes(name) ? [sold] : [])]);
  }
  const { missing, problem, cancelled, sessions, browsers } = results as Record<string, unknown>;
  expect([sessions, browsers]).toEqual([[true, 0, 0], hasNamespaces ? [false, false, "not-found"] : undefined]);
  expect(missing).toEqual(["page-failed", 500, 404, ""]);
  expect(problem).toEqual(["invalid-parameters", [["/url", 'must be of format "url"']]]);
  expect(cancelled).toEqual([expect.stringMatching(/^(?:cancelled|completed)$/), expect.any(Number)]);
});

test("the tools for agents call every operation with a price on Node", async () => {
  const priced = OPERATIONS.filter(({ price }) => price !== undefined).map(({ name }) => name);
  const script = folder.write("tools.mjs", TOOLS_SCRIPT);
  const sales = JSON.stringify(priced.map((name) => [name, paidRouteOf(name)?.body]));
  const { code, out, err } = await run(["node", script, gateway, PRIVATE_KEY, sales]);
  expect([code, err]).toEqual([0, ""]);
  // The output of the script.
  const [names, { ai, ...results }] = JSON.parse(out) as [string[], Record<string, string> & { ai: object }];
  expect(names).toEqual([...priced, "job_status", "job_results", "job_cancel"]);
  expect(ai).toMatchObject({ title: "Tide tables" });
  for (const name of priced) {
    const holds = name === "crawl" ? '"number":1' : (paidRouteOf(name)?.holds ?? "?");
    expect([name, results[name]]).toEqual([name, expect.stringContaining(holds)]);
  }
});

test("the program that the price page prints pays with the stock client", async () => {
  const browser = { accept: "text/html", "user-agent": "Mozilla/5.0" };
  const page = await (await fetch(`${gateway}/read`, { headers: browser })).text();
  const [, printed = ""] = /<pre><code>(import [^<]*)<\/code>/.exec(page) ?? [];
  const text = printed.replaceAll("&#34;", '"').replaceAll("&gt;", ">");
  const script = folder.write("priced.mjs", text.replace("https://example.com/", `${site.url.href}tides`));
  const { code, out, err } = await run(["env", `PRIVATE_KEY=${PRIVATE_KEY}`, "node", script]);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toStartWith("200 ");
});

test("a batch of twenty results of a million characters arrives complete, and again for the same payment", async () => {
  // JSON writes each of these characters in six bytes.
  const evaluate = String.raw`"\u0001".repeat(1_000_000)`;
  const urls = Array.from({ length: 20 }, () => `${site.url.href}tides`);
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ urls, evaluate, max_length: 1_000_000 }),
  };
  let payment = "";
  const { response, receipt } = await payAndFetch(`${gateway}/batch`, init, {
    account: () => ({ address: PAYER, privateKey: Buffer.from(PRIVATE_KEY.slice(2), "hex") }),
    maxPrice: "$1",
    fetch: (url, request) => {
      payment = new Headers(request?.headers).get("payment-signature") ?? "";
      return fetch(url, request);
    },
  });
  const text = await response.text();
  expect([response.status, receipt?.success]).toEqual([200, true]);
  // The form of the response, as the API's description defines it.
  const { results } = JSON.parse(text) as { results: { content: string; error?: string }[] };
  expect(results.map(({ content, error }) => [content.length, error])).toEqual(urls.map(() => [1_000_000, undefined]));
  const again = await fetch(`${gateway}/batch`, {
    ...init,
    headers: { ...init.headers, "payment-signature": payment },
  });
  expect([again.status, (await again.text()) === text]).toEqual([200, true]);
});

test("the typed client's types hold in a strict program for Node", async () => {
  folder.write(
    "use.ts",
    `import { type BatchResponse, type Metadata, Turnpike, type TurnpikeFile, TurnpikeProblem } from "turnpike/client";
     const turnpike = new Turnpike({ url: "http://127.0.0.1", maxPrice: "$0.01" });
     export async function use(): Promise<[BatchResponse, TurnpikeFile, Metadata]> {
       const batch = await turnpike.batch({ urls: ["https://example.com/"], format: "links", timeout: undefined });
       const { metadata, data } = await turnpike.extract({ url: "u", selectors: { a: "p" } }, { signal: AbortSignal.timeout(1) });
       const first: unknown = data["a"];
       // @ts-expect-error a format that there is not
       void turnpike.scrape({ url: "u", format: "pdf" });
       // @ts-expect-error a field that there is not
       void turnpike.scrape({ url: "u", colour: 1 });
       // @ts-expect-error a field that is required
       void turnpike.read({});
       console.log(first, TurnpikeProblem.name);
       const crawl = await turnpike.crawl({ urls: ["u"], limit: 3 });
       for await (const { number, content, error } of crawl) console.log(number, content ?? error);
       const state: "running" | "completed" | "cancelled" | "failed" = (await turnpike.job(crawl.started).cancel()).state;
       console.log(state);
       return [batch, await turnpike.qr({ data: "x" }), metadata];
     }`,
  );
  folder.write("tsconfig.json", {
    compilerOptions: {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      target: "es2022",
      module: "nodenext",
      // Node's own types contradict each other under exactOptionalPropertyTypes.
      skipLibCheck: true,
      types: ["node"],
      typeRoots: [join(ROOT, "node_modules/@types")],
    },
    files: ["use.ts"],
  });
  expect(await run([join(ROOT, "node_modules/.bin/tsc"), "-p", "."])).toEqual({ code: 0, out: "", err: "" });
});

type Send = (url: string, init: RequestInit) => Promise<Response>;

function responseOf(fields: string, body: Uint8Array): Response {
  const [status = "", ...lines] = fields.trim().split(/\r?\n/);
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return new Response(new Uint8Array(body), { status: Number(status.split(" ")[1]), headers });
}

/** Plain curl, with one flag that names the protocol. */
function curl(protocol: string): Send {
  return async (url, { method = "GET", headers, body }) => {
    const fields = [...new Headers(headers)].flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
    const data = typeof body === "string" ? ["--data-binary", body] : [];
    const [head, file] = [folder.file("head"), folder.file("body")];
    const command = ["curl", "-sS", protocol, "-X", method, ...fields, ...data, "-D", head, "-o", file, url];
    const { code, err } = await run(command);
    if (code !== 0) throw new Error(`curl ended with ${code}: ${err}`);
    return responseOf(await Bun.file(head).text(), await Bun.file(file).bytes());
  };
}

/** HTTP/2 if curl is not installed. */
const nodeHttp2: Send = async (url, { method = "GET", headers, body }) => {
  const { origin, pathname } = new URL(url);
  const session = connect(origin);
  try {
    const stream = session.request({
      ":method": method,
      ":path": pathname,
      ...Object.fromEntries(new Headers(headers)),
    });
    const head = Promise.withResolvers<string>();
    stream.on("response", (fields) => {
      const lines = Object.entries(fields).flatMap(([name, value]) =>
        name.startsWith(":") ? [] : [`${name}: ${[value].flat().join(", ")}`],
      );
      head.resolve([`HTTP/2 ${fields[":status"]}`, ...lines].join("\n"));
    });
    stream.on("error", head.reject);
    stream.end(typeof body === "string" ? body : undefined);
    const chunks: Uint8Array[] = [];
    for await (const chunk of stream) chunks.push(chunk as Uint8Array); // No encoding was set, so these are bytes.
    return responseOf(await head.promise, Buffer.concat(chunks));
  } finally {
    session.close();
  }
};

const HAS_CURL = Bun.which("curl") !== null;
const SENDERS: readonly (readonly [string, Send, string])[] = HAS_CURL
  ? [
      ["curl over HTTP/1.1", curl("--http1.1"), "HTTP/1.1"],
      ["curl over HTTP/2", curl("--http2-prior-knowledge"), "HTTP/2"],
    ]
  : [
      ["fetch over HTTP/1.1", (url, init) => fetch(url, init), "HTTP/1.1"],
      ["node:http2", nodeHttp2, "HTTP/2"],
    ];

describe.each(SENDERS)("%s", (_sender, send, version) => {
  test.each(OPERATIONS.map((operation) => [operation.name, operation] as const))(
    "%s requires payment",
    async (name, { path, price, success: { status = 200 } }) => {
      const { body, holds } = paidRouteOf(name) ?? { holds: "?" };
      const init: RequestInit =
        body === undefined
          ? {}
          : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
      const statuses: number[] = [];
      const paid = await payAndFetch(`${gateway}${path}`, init, {
        account: () => ({ address: PAYER, privateKey: Buffer.from(PRIVATE_KEY.slice(2), "hex") }),
        maxPrice: "$1",
        fetch: async (url, one) => {
          const response = await send(url, one);
          statuses.push(response.status);
          return response;
        },
      });
      expect(statuses).toEqual(price === undefined ? [status] : [402, status]);
      const isJob = status === 202;
      // A job is charged later, for its pages.
      expect(paid.receipt?.success).toBe(price === undefined || isJob ? undefined : true);
      const text = Buffer.from(await paid.response.arrayBuffer()).toString("latin1");
      expect(text).toContain(isJob ? '"secret":"' : holds);
      if (HAS_CURL) expect(await Bun.file(folder.file("head")).text()).toStartWith(version);
    },
  );
});
