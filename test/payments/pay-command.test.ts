/** `turnpike pay` and the commands of a 402 page, run as a buyer runs them, against a real gateway. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PRIVATE_KEY, TERMS } from "../../src/payments/testing/payment.ts";
import { LOCALHOST, TEST_CA } from "../support/certificates.ts";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";
import { COMMAND, Folder } from "../support/program.ts";
import { patient } from "../../src/lib/testing/patience.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(60_000));

const ROOT = join(import.meta.dir, "../..");
const BROWSER = { accept: "text/html", "user-agent": "Mozilla/5.0" };

let folder: Folder;
let origin: Bun.Server<undefined>;
let gateway: Gateway;
/** The same gateway as a version 1 server: the price is only in the body. */
let old: Bun.Server<undefined>;
let url: string;

function route(path_prefix: string, x402: object): object {
  return { path_prefix, upstream: "origin", x402: { ...TERMS, ...x402 } };
}

beforeAll(async () => {
  folder = new Folder();
  symlinkSync(join(ROOT, "node_modules"), folder.file("node_modules"));
  origin = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (pathname === "/reports/bytes") return new Response(Uint8Array.of(0, 255, 10, 13));
      if (pathname === "/reports/none")
        return Response.json({ title: "Gone", detail: "No such report." }, { status: 404 });
      if (pathname === "/reports/broken") return new Response("the disk\npaid $0.01\nis full", { status: 500 });
      const [type, note] = ["content-type", "x-note"].map((name) => request.headers.get(name));
      return Response.json({ method: request.method, path: pathname + search, type, note, body: await request.text() });
    },
  });
  const input = { type: "http", method: "POST", bodyType: "json", body: { city: "L'Aquila", "<b>": 1 } };
  gateway = await startGateway({
    state_path: folder.path,
    x402: { enabled: true, test_mode: true },
    upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
    routes: [
      route("/reports", { description: "Reports" }),
      route("/dear", { price: "$2.50" }),
      route("/fuji", { network: "avalanche-fuji" }),
      route("/weather", { extensions: { bazaar: { info: { input }, schema: {} } } }),
    ],
  });
  url = `http://127.0.0.1:${gateway.port}`;
  old = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const response = await fetch(url + pathname + search, { method: request.method, headers: request.headers });
      const headers = new Headers(response.headers);
      headers.delete("payment-required");
      headers.delete("payment-response");
      return new Response(response.body, { status: response.status, headers });
    },
  });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop(true);
  await old.stop(true);
  folder.remove();
});

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(command: readonly string[], input = ""): Promise<Ran> {
  const child = Bun.spawn([...command], {
    cwd: folder.path,
    env: { ...Bun.env, TURNPIKE_HOME: folder.path, PRIVATE_KEY },
    stdio: [Buffer.from(input), "pipe", "pipe"],
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, out, err };
}

const pay = (...args: string[]) => run([...COMMAND, "pay", ...args]);

test("the command pays for a URL, prints the response, and prints the receipt to standard error", async () => {
  const { code, out, err } = await pay(`127.0.0.1:${gateway.port}/reports/1?year=2026`);
  expect(JSON.parse(out)).toMatchObject({ method: "GET", path: "/reports/1?year=2026" });
  expect(err).toContain("paid $0.01 USDC on Base Sepolia (eip155:84532), transaction 0x7e577e57");
  expect(err).toContain("(test mode: no money moved)");
  expect(code).toBe(0);
});

test("method, body and fields are those of the command, and the body is a text, a file or standard input", async () => {
  const json = await pay(`${url}/reports`, "-d", '{"a":1}', "-H", "X-Note: one: two");
  expect(JSON.parse(json.out)).toMatchObject({
    method: "POST",
    type: "application/json",
    note: "one: two",
    body: '{"a":1}',
  });
  writeFileSync(folder.file("order"), "a=1&b=2");
  const form = await pay("put", `${url}/reports`, "-d", `@${folder.file("order")}`);
  expect(JSON.parse(form.out)).toMatchObject({
    method: "PUT",
    type: "application/x-www-form-urlencoded",
    body: "a=1&b=2",
  });
  const typed = ["pay", `${url}/reports`, "-d", "@-", "-H", "content-type: text/csv"];
  const piped = await run([...COMMAND, ...typed], "x,y");
  expect(JSON.parse(piped.out)).toMatchObject({ type: "text/csv", body: "x,y" });
});

test("bytes go out as they are, into a pipe and a file", async () => {
  const file = folder.file("bytes");
  expect(await pay(`${url}/reports/bytes`, "-o", file)).toMatchObject({ code: 0, out: "" });
  expect([...readFileSync(file)]).toEqual([0, 255, 10, 13]);
  const child = Bun.spawn([...COMMAND, "pay", `${url}/reports/bytes`], {
    env: { ...Bun.env, TURNPIKE_HOME: folder.path },
    stdio: ["ignore", "pipe", "ignore"],
  });
  expect([...(await child.stdout.bytes())]).toEqual([0, 255, 10, 13]);
});

test("a file without a place is refused before a payment, and a full one is named", async () => {
  const report = `127.0.0.1:${gateway.port}/reports/1`;
  const refused = await pay(report, "-o", "no/report");
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringMatching(/Cannot write to "no\/report": there is no folder/),
  ]);
  expect(refused.err).not.toContain("paid");
  const full = await pay(report, "-o", "/dev/full");
  expect([full.code, full.err]).toEqual([
    1,
    expect.stringMatching(/^turnpike pay: Cannot write to "\/dev\/full": ENOSPC$/m),
  ]);
});

test("a price above the limit is not paid, and a failure is reported and free", async () => {
  const dear = await pay(`${url}/dear`);
  expect(dear).toMatchObject({ code: 1, out: "" });
  expect(dear.err).toContain("Cannot pay $2.50: the limit is $1; raise it with --max-price");
  expect(await pay(`${url}/dear`, "--max-price", "2.50 USDC")).toMatchObject({ code: 0 });
  const gone = await pay(`${url}/reports/none`);
  expect([gone.code, gone.err]).toEqual([1, "turnpike pay: 404 Gone: No such report.\nnot charged\n"]);
  const broken = await pay(`${url}/reports/broken`);
  expect([broken.code, broken.err]).toEqual([
    1,
    "turnpike pay: 500 Internal Server Error: the disk paid $0.01 is full\nnot charged\n",
  ]);
  const away = await pay("http://127.0.0.1:1/");
  expect([away.code, away.err]).toEqual([
    1,
    expect.stringContaining("Cannot reach http://127.0.0.1:1: nothing listens there\n"),
  ]);
});

test("a server with a certificate of another authority is paid with --ca, whose file must be one of certificates", async () => {
  const secure = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    tls: { cert: LOCALHOST.cert, key: LOCALHOST.key },
    fetch: () => new Response("secure"),
  });
  const ca = folder.write("ca.pem", TEST_CA.cert);
  const untrusted = expect.stringMatching(/Cannot reach .+ is not trusted; .+ with --ca\n$/);
  expect(await pay(secure.url.href)).toEqual({ code: 1, out: "", err: untrusted });
  expect(await pay(secure.url.href, "--ca", ca)).toEqual({ code: 0, out: "secure", err: "" });
  await secure.stop(true);
  expect(Bun.spawnSync(["mkfifo", folder.file("fifo")]).exitCode).toBe(0);
  for (const [name, reason] of [
    ["fifo", "it is not a regular file"],
    [".", "it is a folder"],
    ["absent", "there is no such file"],
    ["order", "it has no certificate in PEM"],
  ] as const) {
    const { code, err } = await pay(url, "--ca", folder.file(name));
    expect([code, err]).toEqual([1, `turnpike pay: Cannot use --ca "${folder.file(name)}": ${reason}\n`]);
  }
});

test("a server of version 1 is paid as well", async () => {
  const { code, out, err } = await pay(`${old.url.origin}/reports/1`);
  expect(JSON.parse(out)).toMatchObject({ path: "/reports/1" });
  expect(err).toContain("paid $0.01 USDC on Base Sepolia");
  expect(code).toBe(0);
});

for (const args of [
  [],
  ["http://a.example/", "http://b.example/", "http://c.example/"],
  ["ftp://a.example/"],
  ["G T", "http://a.example/"],
  ["GET", "http://a.example/", "-d", "x"],
  ["http://a.example/", "-H", "no colon"],
  ["http://a.example/", "-H", "X-Payment: forged"],
  ["http://a.example/", "-d", "@/nonexistent"],
  ["http://a.example/", "--max-price", ""],
]) {
  test(`wrong usage is an error, and nothing is sent: ${args.join(" ")}`, async () => {
    const { code, err } = await pay(...args);
    expect(code).toBe(2);
    expect(err).toMatch(/^turnpike pay: .*Run "turnpike pay --help" for its usage\.\n$/);
  });
}

function decode(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}

/** The code blocks of a page, as users copy them. */
async function blocks(path: string, init: RequestInit = {}): Promise<string[]> {
  const html = await (await fetch(url + path, { ...init, headers: BROWSER })).text();
  return [...html.matchAll(/<pre[^>]*><code>([^]*?)<\/code>/g)].map(([, code = ""]) => decode(code));
}

const PAGES = [
  ["/reports/1?q=a b'c&d=$HOME", {}, { method: "GET", path: "/reports/1?q=a%20b%27c&d=$HOME" }],
  ["/reports/2", { method: "DELETE" }, { method: "DELETE", path: "/reports/2" }],
  ["/dear", {}, { method: "GET", path: "/dear" }],
  ["/fuji", {}, { method: "GET", path: "/fuji" }],
  ["/weather", {}, { method: "POST", type: "application/json", body: '{"city":"L\'Aquila","<b>":1}' }],
] as const;

for (const [path, init, expected] of PAGES) {
  test(`the program that the page of ${path} shows pays for that request`, async () => {
    const [program = ""] = await blocks(path, init);
    writeFileSync(folder.file("pay.mjs"), program);
    const { out, err } = await run(["node", folder.file("pay.mjs")]);
    expect(err).toBe("");
    expect(out).toStartWith("200 ");
    expect(JSON.parse(out.slice(4))).toMatchObject(expected);
  });
}
