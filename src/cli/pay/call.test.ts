import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MAX_RESPONSE_BYTES } from "../../lib/http/response-bytes.ts";
import { decodeHeader, encodeHeader } from "../../payments/x402/header.ts";
import { eip3009PaymentSchema } from "../../payments/x402/messages.ts";
import { REQUIREMENTS } from "../../payments/testing/payment.ts";
import { patient } from "../../lib/testing/patience.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0xff);
const TRANSACTION = `0x7e577e57${"0".repeat(56)}`;
const RUNNER = `
  import { call } from ${JSON.stringify(join(import.meta.dir, "call.ts"))};
  import { wallet } from ${JSON.stringify(join(import.meta.dir, "wallet.ts"))};
  const [name, ...args] = process.argv.slice(1);
  const limit = Number(process.env["CALL_LIMIT_MS"] ?? 300_000);
  process.exitCode = await (name === "wallet" ? wallet(args) : call(args, limit));
`;

const FAILED_PAGE = { url: "http://b.example/", error: "Cannot load the page: it is gone" };

let server: Bun.Server<undefined>;
let folder: string;
let paid: string[];
let bodies: unknown[];
/** Resolves when the server may respond to a batch. */
let ready: PromiseWithResolvers<void>;
/** True if every page of a batch fails. */
let isHopeless: boolean;

function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1 << 20)) });
}

function paidResponse(name: string): Response {
  switch (name) {
    case "read":
      return Response.json({ title: "A title", content: "An \u001b]0;evil\u0007article", url: "u" });
    case "scrape":
      return Response.json({ content: "The page", format: "markdown" });
    case "qr":
      return new Response(PNG, { headers: { "content-type": "image/png" } });
    case "search":
      return Response.json(
        { title: "Invalid Parameters", detail: "It is wrong.", errors: [{ path: "count", message: "too many" }] },
        { status: 400, headers: { "content-type": "application/problem+json" } },
      );
    case "browsers":
      return Response.json(
        {
          title: "Invalid Parameters",
          detail: "/url must be text",
          errors: [{ path: "/url", message: "must be text" }],
        },
        { status: 400, headers: { "content-type": "application/problem+json" } },
      );
    case "sessions":
      return Response.json(
        {
          title: "Invalid Parameters",
          detail: "it requires a",
          errors: [
            { path: "", message: "requires a" },
            { path: "/b", message: "requires a" },
          ],
        },
        { status: 400, headers: { "content-type": "application/problem+json" } },
      );
    case "pdf":
      return new Response(endless(), { headers: { "content-type": "application/pdf" } });
    case "screenshot":
      return Response.json(
        { title: "Bad\npaid $0.00", detail: "x".repeat(5000), errors: [{ path: {}, message: "a\r\nb" }, null] },
        { status: 400, headers: { "content-type": "application/problem+json" } },
      );
    case "resolve":
      return Response.json(
        { type: "urn:turnpike:error:settlement-pending", title: "Settlement Pending" },
        { status: 503 },
      );
    case "extract":
      return Response.json({ url: "u", data: { title: "T", none: null }, metadata: {} });
    case "batch":
      if (isHopeless) return Response.json({ results: [FAILED_PAGE, FAILED_PAGE] });
      return Response.json({
        results: [
          { url: "http://a.example/", content: "A page" },
          FAILED_PAGE,
          { url: "http://c.example/", content: "Another" },
        ],
      });
    default:
      return Response.json({ name });
  }
}

beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const name = new URL(request.url).pathname.slice(1);
      if (name === "health") return Response.json({ status: "ok" });
      const header = request.headers.get("payment-signature");
      if (header === null) {
        const required = { x402Version: 2, resource: { url: request.url }, accepts: [REQUIREMENTS] };
        return new Response("", { status: 402, headers: { "payment-required": encodeHeader(required) } });
      }
      paid.push(eip3009PaymentSchema.parse(decodeHeader(header)).payload.authorization.from);
      bodies.push(await request.json());
      if (name === "batch") await ready.promise;
      const response = paidResponse(name);
      const receipt = { success: true, transaction: TRANSACTION, network: "eip155:84532", extra: { testMode: true } };
      if (response.ok) response.headers.set("payment-response", encodeHeader(receipt));
      return response;
    },
  });
});

afterAll(() => server.stop(true));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-call-"));
  paid = [];
  bodies = [];
  ready = Promise.withResolvers<void>();
  isHopeless = false;
});

interface Ran {
  readonly code: number;
  readonly stdout: Uint8Array;
  readonly text: string;
  readonly errors: string;
}

async function turnpike(...args: string[]): Promise<Ran> {
  return turnpikeWith({}, ...args);
}

async function turnpikeWith(env: Readonly<Record<string, string>>, ...args: string[]): Promise<Ran> {
  const child = Bun.spawn([process.execPath, "-e", RUNNER, ...args], {
    cwd: folder,
    env: { ...process.env, TURNPIKE_HOME: join(folder, "home"), TURNPIKE_GATEWAY: server.url.href, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, errors, code] = await Promise.all([child.stdout.bytes(), child.stderr.text(), child.exited]);
  return { code, stdout, text: new TextDecoder().decode(stdout), errors };
}

/** The path of the result of a call whose standard output is full, in the folder for temporary files. */
async function kept(...args: readonly string[]): Promise<string> {
  const env = { ...process.env, TURNPIKE_HOME: join(folder, "home"), TURNPIKE_GATEWAY: server.url.href };
  const child = Bun.spawn([process.execPath, "-e", RUNNER, "call", ...args], {
    cwd: folder,
    env: { ...env, TMPDIR: folder },
    stdio: ["ignore", Bun.file("/dev/full"), "pipe"],
  });
  const [errors, code] = await Promise.all([child.stderr.text(), child.exited]);
  expect(code).toBe(1);
  expect(errors).toContain("turnpike call: Cannot write to ");
  const [, path = ""] = /: ENOSPC; the result is in "(.+)"\n$/.exec(errors) ?? [];
  return path;
}

test("read creates a wallet, pays, prints the article, and prints the payment", async () => {
  const { code, text, errors } = await turnpike("call", "read", "http://a.example/", "--set", "timeout=5");
  expect([code, text]).toEqual([0, "# A title\n\nAn \u001b]0;evil\u0007article\n"]);
  const address = (await turnpike("wallet", "address")).text.trim();
  expect(errors).toBe(
    `made a wallet at ${join(folder, "home", "wallet.json")}: ${address}\n` +
      `paid $0.01 USDC on Base Sepolia (eip155:84532), transaction ${TRANSACTION} (test mode: no money moved)\n`,
  );
  expect(paid).toEqual([address]);
  expect(bodies).toEqual([{ timeout: 5, url: "http://a.example/" }]);
  expect(statSync(join(folder, "home", "wallet.json")).mode & 0o777).toBe(0o600);
  expect((await turnpike("call", "scrape", "u")).text).toBe("The page\n");
  expect(paid).toEqual([address, address]);
});

test("--json prints the whole response, and so do operations without a readable form", async () => {
  expect(JSON.parse((await turnpike("call", "scrape", "u", "--json")).text)).toEqual({
    content: "The page",
    format: "markdown",
  });
  expect(JSON.parse((await turnpike("call", "extract", "a", "--json")).text)).toMatchObject({ url: "u" });
  ready.resolve();
  expect(JSON.parse((await turnpike("call", "batch", "a", "b", "--json")).text)).toMatchObject({
    results: [{}, {}, {}],
  });
  expect(bodies).toContainEqual({ urls: ["a", "b"] });
});

test("a binary result goes to the pipe, or to the named file", async () => {
  expect((await turnpike("call", "qr", "hello")).stdout).toEqual(PNG);
  const { code, stdout, errors } = await turnpike("call", "qr", "hello", "--out", "code.png");
  expect([code, stdout.byteLength]).toEqual([0, 0]);
  expect(errors).toContain("wrote 9 bytes to code.png");
  expect(new Uint8Array(readFileSync(join(folder, "code.png")))).toEqual(PNG);
  await turnpike("call", "scrape", "u", "--out", "page.md");
  expect(readFileSync(join(folder, "page.md"), "utf8")).toBe("The page\n");
});

test.each([
  ["no/code.png", /^turnpike call: Cannot write to "no\/code.png": there is no folder ".*\/no"\n$/],
  [".", /^turnpike call: Cannot write to "\.": it is a folder\n$/],
])("a result that would have no place at %s is not paid for", async (out, errors) => {
  const ran = await turnpike("call", "qr", "hello", "--out", out);
  expect([ran.code, paid]).toEqual([1, []]);
  expect(ran.errors).toMatch(errors);
});

test("a result that was paid for is kept elsewhere if its file or standard output is full", async () => {
  expect(new Uint8Array(readFileSync(await kept("qr", "hello", "--out", "/dev/full")))).toEqual(PNG);
  expect(new Uint8Array(readFileSync(await kept("qr", "hello")))).toEqual(PNG);
  expect(readFileSync(await kept("scrape", "u", "--out", "/dev/full"), "utf8")).toBe("The page\n");
  expect(readFileSync(await kept("scrape", "u"), "utf8")).toBe("The page\n");
});

test("a batch prints each page below its URL, and the failed pages on standard error", async () => {
  ready.resolve();
  const { code, text, errors } = await turnpike("call", "batch", "a", "b", "c");
  expect([code, text]).toEqual([0, "==> http://a.example/ <==\nA page\n\n==> http://c.example/ <==\nAnother\n"]);
  expect(errors).toEndWith("failed http://b.example/: Cannot load the page: it is gone\n2 of 3 pages\n");
  expect(errors).not.toContain("\r");
});

test.each([[[]], [["--json"]]])(
  "a batch of which every page failed is a failure %p, and says so in the help",
  async (flags) => {
    ready.resolve();
    isHopeless = true;
    const { code, text, errors } = await turnpike("call", "batch", "a", "b", ...flags);
    expect(code).toBe(1);
    if (flags.length > 0) expect(JSON.parse(text)).toEqual({ results: [FAILED_PAGE, FAILED_PAGE] });
    else expect(errors).toEndWith("0 of 2 pages\n");
    expect((await turnpike("call", "--help")).text).toContain("if every page of a batch failed");
  },
);

test("an extraction prints its data, and its selectors are always text", async () => {
  const { text } = await turnpike("call", "extract", "u", "--set", "selectors.title=h1", "--set", "selectors.none=1");
  expect(JSON.parse(text)).toEqual({ title: "T", none: null });
  expect(bodies).toEqual([{ url: "u", selectors: { title: "h1", none: "1" } }]);
});

async function onTerminal(...args: string[]): Promise<string> {
  let shown = "";
  const decoder = new TextDecoder();
  const child = Bun.spawn([process.execPath, "-e", RUNNER, ...args], {
    cwd: folder,
    env: { ...process.env, TURNPIKE_HOME: join(folder, "home"), TURNPIKE_GATEWAY: server.url.href, NO_COLOR: "1" },
    terminal: {
      cols: 200,
      rows: 50,
      data(_terminal, data) {
        shown += decoder.decode(data, { stream: true });
        if (shown.includes("batch of 2 pages, ")) ready.resolve();
      },
    },
  });
  expect(await child.exited).toBe(0);
  child.terminal?.close();
  return shown;
}

test("on a terminal a binary result gets a new file and overwrites none", async () => {
  writeFileSync(join(folder, "qr.png"), "mine");
  const shown = await onTerminal("call", "qr", "hello");
  expect(shown).toContain("wrote 9 bytes to qr-2.png");
  expect(readFileSync(join(folder, "qr.png"), "utf8")).toBe("mine");
  expect(new Uint8Array(readFileSync(join(folder, "qr-2.png")))).toEqual(PNG);
  expect(readdirSync(folder).toSorted()).toEqual(["home", "qr-2.png", "qr.png"]);
});

test("a slow call shows progress on a terminal and removes it at the end", async () => {
  const shown = await onTerminal("call", "batch", "a", "b");
  const line = shown.indexOf("batch of 2 pages");
  expect(line).toBeGreaterThan(0);
  expect(shown.slice(shown.lastIndexOf("batch of 2 pages"))).toContain("\r\u001b[K");
  expect(shown.indexOf("==> http://a.example/ <==")).toBeGreaterThan(line);
});

test("a page cannot steer the terminal", async () => {
  const shown = await onTerminal("call", "read", "u");
  expect(shown).toContain("An ]0;evilarticle");
  expect(shown).not.toContain("\u001b]0;");
});

test("health is free and creates no wallet", async () => {
  const { code, text, errors } = await turnpike("call", "health");
  expect([code, errors, JSON.parse(text)]).toEqual([0, "", { status: "ok" }]);
  expect(existsSync(join(folder, "home"))).toBe(false);
});

test("a refusal shows its detail and the invalid fields", async () => {
  const { code, text, errors } = await turnpike("call", "search", "q", "--set", "count=99");
  expect([code, text]).toEqual([1, ""]);
  expect(errors).toEndWith("turnpike call: 400 Invalid Parameters: It is wrong.\n  count: too many\nnot charged\n");
  const named = await turnpike("call", "browser", "2");
  expect(named.errors).toEndWith("turnpike call: 400 Invalid Parameters: /url must be text\nnot charged\n");
  const both = await turnpike("call", "session");
  expect(both.errors).toEndWith(": it requires a\n  requires a\n  /b: requires a\nnot charged\n");
});

test("a refusal cannot imitate messages of the command", async () => {
  const { errors } = await turnpike("call", "screenshot", "u");
  expect(errors).toEndWith(`turnpike call: 400 Bad paid $0.00: ${"x".repeat(2000)}\n  a b\nnot charged\n`);
});

test("an unknown outcome of a payment is reported as unknown", async () => {
  const { code, errors } = await turnpike("call", "resolve", "u");
  const warning = "the result of the payment is not known; another call pays again";
  expect([code, errors.split("turnpike call: ")[1]]).toEqual([1, `503 Settlement Pending\n${warning}\n`]);
});

test("a call is repeated until the gateway is ready, and fails if it does not become ready", async () => {
  let refusals = 2;
  let calls = 0;
  const starting = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch() {
      calls += 1;
      refusals -= 1;
      const problem = { title: "Upstream Not Ready", detail: "It starts." };
      if (refusals >= 0) return Response.json(problem, { status: 503, headers: { "retry-after": "0" } });
      return Response.json({ content: "The page" });
    },
  });
  try {
    const served = await turnpike("call", "scrape", "u", "--gateway", starting.url.origin);
    expect([served.code, served.text, calls]).toEqual([0, "The page\n", 3]);
    refusals = Number.POSITIVE_INFINITY;
    calls = 0;
    const never = await turnpike("call", "scrape", "u", "--gateway", starting.url.origin);
    expect([never.code, calls]).toEqual([1, 4]);
    expect(never.errors).toEndWith("turnpike call: 503 Upstream Not Ready: It starts.\n");
  } finally {
    await starting.stop(true);
  }
});

test("a payment is signed once, also if the gateway stays not ready", async () => {
  const signatures: string[] = [];
  const starting = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const signature = request.headers.get("payment-signature");
      if (signature !== null) {
        signatures.push(signature);
        return Response.json({ title: "Upstream Not Ready" }, { status: 503, headers: { "retry-after": "0" } });
      }
      const required = { x402Version: 2, resource: { url: request.url }, accepts: [REQUIREMENTS] };
      return new Response("", { status: 402, headers: { "payment-required": encodeHeader(required) } });
    },
  });
  try {
    const { code, errors } = await turnpike("call", "read", "u", "--gateway", starting.url.origin);
    expect([code, errors.split("turnpike call: ")[1]]).toEqual([1, "503 Upstream Not Ready\nnot charged\n"]);
    expect([signatures.length > 1, new Set(signatures).size]).toEqual([true, 1]);
  } finally {
    await starting.stop(true);
  }
});

test("a response without an end times out", async () => {
  const { code, stdout, errors } = await turnpike("call", "pdf", "u");
  expect([code, stdout.byteLength]).toEqual([1, 0]);
  expect(errors).toEndWith(`turnpike call: Cannot read the response: it has more than ${MAX_RESPONSE_BYTES} bytes\n`);
});

test("a gateway that never responds times out, before a payment and after one", async () => {
  const silent = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Promise<Response>(() => {}) });
  try {
    const env = { CALL_LIMIT_MS: "500" };
    const { code, errors } = await turnpikeWith(env, "call", "read", "u", "--gateway", silent.url.origin);
    const said = `turnpike call: Cannot get a response from ${silent.url.origin} within 0.5 s\n`;
    expect([code, errors]).toEqual([1, said]);
    const paying = await turnpikeWith({ CALL_LIMIT_MS: "1500" }, "call", "batch", "u");
    expect(paying.errors).toEndWith("the payment: the call was given up; it may have been charged\n");
  } finally {
    await silent.stop(true);
  }
});

test("a price above the limit is not paid", async () => {
  const { code, errors } = await turnpike("call", "read", "u", "--max-price", "$0.001");
  expect([code, errors]).toEqual([
    1,
    "turnpike call: Cannot pay $0.01: the limit is $0.001; raise it with --max-price\n",
  ]);
  expect(paid).toEqual([]);
});

test("a missing gateway is reported in one line", async () => {
  const { code, errors } = await turnpike("call", "read", "u", "--gateway", "http://127.0.0.1:1");
  expect([code, errors]).toEqual([
    1,
    `turnpike call: Cannot reach http://127.0.0.1:1: nothing listens there; start a gateway with "${join(import.meta.dir, "../../../bin/turnpike")} start", or name another with --gateway\n`,
  ]);
});

test("invalid arguments are reported with the usage", async () => {
  const { code, errors } = await turnpike("call", "fly");
  expect(code).toBe(2);
  expect(errors).toStartWith('turnpike call: No operation "fly". Run "turnpike call --help" for its usage.\n');
  expect((await turnpike("call", "read", "u", "--gateway", "nowhere")).code).toBe(2);
  expect(await turnpike("call", "--help")).toMatchObject({ code: 0, errors: "" });
  expect(await turnpike("wallet", "burn")).toMatchObject({ code: 2 });
});

test("a wallet is created once and shown after", async () => {
  const made = await turnpike("wallet", "create");
  expect([made.code, made.errors]).toEqual([0, ""]);
  expect(made.text).toMatch(/^address {2}0x[0-9a-fA-F]{40}\nfile {5}.*wallet\.json \(new\)\n$/);
  expect((await turnpike("wallet")).text).toBe(made.text.replace(" (new)", ""));
  const again = await turnpike("wallet", "create");
  expect([again.code, again.errors]).toEqual([1, expect.stringContaining("there is one already")]);
});
