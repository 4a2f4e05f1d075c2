/** MCP end to end: the shipped program, the stock MCP client over both transports, payments that the gateway settles. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { hexToBytes } from "@noble/hashes/utils.js";
import { z } from "zod";
import {
  type PaymentPayload,
  paymentRequiredSchema,
  type Receipt,
  receiptSchema,
} from "../../src/payments/x402/messages.ts";
import { choosePayment } from "../../src/payments/client/choice.ts";
import { signChoice } from "../../src/payments/client/sign-choice.ts";
import { OPERATIONS } from "../../src/content/operations/operations.ts";
import { PAYER, PRIVATE_KEY } from "../../src/payments/testing/payment.ts";
import { COMMAND, Folder, Program, until } from "../support/program.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { withBrowser } from "../../src/content/testing/state-folder.ts";

setDefaultTimeout(patient(60_000));

const SENTENCE = "A toll is paid once, at the gate, and the road behind it is open to the one who paid. ";
const ARTICLE = `<!doctype html><html><head><title>On tolls</title></head><body>
<article><h1>On tolls</h1><p>${SENTENCE.repeat(8)}</p><p>${SENTENCE.repeat(8)}</p></article></body></html>`;
const ACCOUNT = { address: PAYER, privateKey: hexToBytes(PRIVATE_KEY.slice(2)) };

const folder = new Folder();
const clients: Client[] = [];
let site: Bun.Server<undefined>;
let program: Program;
let url: string;
/** Requested pages, and those whose reader left. */
let asked: string[];
let left: string[];

beforeAll(async () => {
  site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      if (pathname.startsWith("/never")) {
        await new Promise<void>((resolve) => request.signal.addEventListener("abort", () => resolve()));
        left.push(pathname);
      }
      return new Response(ARTICLE, { headers: { "content-type": "text/html" } });
    },
  });
  asked = [];
  left = [];
  program = new Program(["--port", "0", "--state-dir", withBrowser(folder.file("state")), "--allow-private"], {
    command: [...COMMAND, "start"],
  });
  const [, port] = await program.sees(/^gateway +http:\/\/127\.0\.0\.1:(\d+)$[^]*^try /m);
  url = `http://127.0.0.1:${port}`;
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await program.stop();
  await site.stop(true);
  folder.remove();
});

async function overHttp(mode: "legacy" | "auto" = "legacy"): Promise<Client> {
  const client = new Client({ name: "agent", version: "1" }, { versionNegotiation: { mode } });
  clients.push(client);
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  return client;
}

async function overStdio(...args: string[]): Promise<Client> {
  const client = new Client({ name: "agent", version: "1" });
  clients.push(client);
  const [command = "", ...first] = COMMAND;
  await client.connect(
    new StdioClientTransport({
      command,
      args: [...first, "mcp", ...args],
      env: { PATH: Bun.env["PATH"] ?? "", TURNPIKE_HOME: folder.file("wallet"), TURNPIKE_GATEWAY: url },
      stderr: "ignore",
    }),
  );
  return client;
}

type Result = Awaited<ReturnType<Client["callTool"]>>;

/** The text of a result that contains only text. */
function textOf({ content }: Result): string {
  const [part] = content;
  return part?.type === "text" ? part.text : "";
}

function receiptOf({ _meta: meta }: Result): Receipt {
  return receiptSchema.parse(meta?.["x402/payment-response"]);
}

/** Payments in the ledger that were settled. */
function settled(): number {
  const database = new Database(folder.file("state/turnpike.db"), { readonly: true });
  const row = database.query<{ n: number }, []>("SELECT count(*) AS n FROM payments WHERE state = 'settled'").get();
  database.close();
  return row?.n ?? 0;
}

async function sign(challenge: Result): Promise<PaymentPayload> {
  const required = paymentRequiredSchema.parse(challenge.structuredContent);
  const offer = await choosePayment(required, { maxPrice: "$1" });
  return signChoice(required, offer, ACCOUNT, Math.floor(Date.now() / 1000) + 60);
}

function qr(client: Client, payment?: unknown): Promise<Result> {
  const meta = payment === undefined ? {} : { _meta: { "x402/payment": payment } };
  return client.callTool({ name: "qr", arguments: { data: "toll", size: 64 }, ...meta });
}

for (const mode of ["legacy", "auto"] as const) {
  test(`over HTTP (${mode}) a call is refused with its price, paid by the agent, and gets a response with a receipt`, async () => {
    const client = await overHttp(mode);
    const { tools } = await client.listTools();
    const free = tools.filter(({ annotations }) => annotations?.readOnlyHint !== false);
    expect(free.map(({ name }) => name)).toEqual(["job_status", "job_results"]);
    expect(tools.map(({ name }) => name)).toEqual([
      // Browsers are not sold here.
      ...OPERATIONS.flatMap(({ name, body }) => (body === undefined || name === "browser" ? [] : [name])),
      "job_status",
      "job_results",
      "job_cancel",
    ]);
    const before = settled();
    const challenge = await qr(client);
    expect(challenge.isError).toBe(true);
    expect(JSON.parse(textOf(challenge))).toEqual(challenge.structuredContent);
    expect(challenge.structuredContent).toMatchObject({ x402Version: 2, resource: { url: `${url}/qr` } });
    expect(settled()).toBe(before);

    const payment = await sign(challenge);
    const paid = await qr(client, payment);
    expect(paid.isError ?? false).toBe(false);
    expect(paid.content).toMatchObject([{ type: "image", mimeType: "image/png" }]);
    expect(receiptOf(paid)).toMatchObject({ success: true, payer: PAYER });
    expect(settled()).toBe(before + 1);

    // The same payment gets the same response again, and another call with it gets an error.
    expect((await qr(client, payment)).content).toEqual(paid.content);
    const other = await client.callTool({
      name: "read",
      arguments: { url: site.url.href },
      _meta: { "x402/payment": payment },
    });
    expect([other.isError, settled()]).toEqual([true, before + 1]);
  });
}

test("tools are listed with their parameters, as in the challenges", async () => {
  const response: unknown = await (await fetch(`${url}/.well-known/x402`)).json();
  const { total, resources } = z
    .object({
      total: z.number(),
      resources: z.array(z.looseObject({ url: z.string(), extensions: z.unknown().optional() })),
    })
    .parse(response);
  expect([total, resources.length]).toEqual([18, 18]);
  const unlisted = resources.filter(({ extensions }) => extensions === undefined).map((resource) => resource.url);
  expect(unlisted.toSorted()).toEqual([`${url}/r`, `${url}/v1/`, `${url}/v2/`]);
  const scrape = resources.find((resource) => resource.url === `${url}/scrape`);
  const challenge = await (await overHttp()).callTool({ name: "scrape", arguments: { url: site.url.href } });
  const required = paymentRequiredSchema.parse(challenge.structuredContent);
  expect(scrape).toMatchObject({
    description: required.resource.description,
    methods: ["POST"],
    accepts: required.accepts,
    extensions: { bazaar: { info: { input: { type: "http", method: "POST", bodyType: "json" } } } },
  });
  expect(scrape?.extensions).toEqual(required.extensions);
});

test("an invalid payment is refused, and the challenge has the reason", async () => {
  const client = await overHttp();
  const before = settled();
  const payment = await sign(await qr(client));
  const forged = { ...payment, payload: { ...payment.payload, signature: `0x${"11".repeat(64)}1b` } };
  const refused = await qr(client, forged);
  expect([refused.isError, settled()]).toEqual([true, before]);
  expect(refused.structuredContent).toMatchObject({ x402Version: 2, error: "invalid_exact_evm_signature" });
  expect(textOf(await qr(client, "free"))).toContain("_meta.x402/payment: must be an object");
  expect(textOf(await qr(client, { x: "y".repeat(9000) }))).toContain("must be at most 8192 characters");
  expect(textOf(await qr(client, { x402Version: 2 }))).toStartWith("Invalid Payment: ");
  expect(settled()).toBe(before);
});

test("wrong arguments are reported before the price", async () => {
  const client = await overHttp();
  const wrong = await client.callTool({ name: "scrape", arguments: { url: 5, format: "pdf", __proto__x: 1 } });
  expect(wrong.isError).toBe(true);
  for (const field of ["url", "format", "__proto__x"]) expect(textOf(wrong)).toContain(`  ${field}: `);
  expect(textOf(await client.callTool({ name: "health", arguments: {} }))).toBe('There is no tool "health"');
});

test("over standard input the wallet pays, and each kind of response has its type", async () => {
  const client = await overStdio();
  const before = settled();
  const read = await client.callTool({ name: "read", arguments: { url: `${site.url.href}article` } });
  expect(read.structuredContent).toMatchObject({ title: "On tolls" });
  expect(JSON.parse(textOf(read))).toEqual(read.structuredContent);
  expect(receiptOf(read).success).toBe(true);
  const picture = await client.callTool({
    name: "screenshot",
    arguments: { url: `${site.url.href}article`, format: "jpeg", width: 64, height: 64 },
  });
  expect(picture.content).toMatchObject([{ type: "image", mimeType: "image/jpeg" }]);
  const { content } = await client.callTool({ name: "pdf", arguments: { url: `${site.url.href}article` } });
  expect(content).toMatchObject([{ type: "resource", resource: { mimeType: "application/pdf" } }]);
  const [pdf] = content;
  const blob = pdf?.type === "resource" && "blob" in pdf.resource ? pdf.resource.blob : "";
  expect(Buffer.from(blob, "base64").subarray(0, 5).toString()).toBe("%PDF-");
  expect(settled()).toBe(before + 3);
});

test("a crawl returns at once, and is asked, read and cancelled by the secret of its job", async () => {
  const client = await overStdio();
  const call = { urls: [`${site.url.href}article`], limit: 1, sitemap: "skip" };
  const started = await client.callTool({ name: "crawl", arguments: call });
  const { status, secret } = z.object({ status: z.string(), secret: z.string() }).parse(started.structuredContent);
  const ask = (name: string, more = {}): Promise<Result> =>
    client.callTool({ name, arguments: { job: status, secret, ...more } });
  const state = await until("the crawl ends", async () => {
    const { structuredContent } = await ask("job_status");
    return z.looseObject({ state: z.literal("completed") }).safeParse(structuredContent).data;
  });
  expect(state).toMatchObject({ delivered: 1, limit: 1 });
  // The gateway charges for the page after its delivery, and the page can be read then.
  const first = await until("the page can be read", async () => {
    const read = await ask("job_results");
    return z.looseObject({ results: z.array(z.unknown()).min(1) }).safeParse(read.structuredContent).success
      ? read
      : undefined;
  });
  const rest = await ask("job_results", { after: 1 });
  expect(first.structuredContent).toMatchObject({
    results: [{ number: 1, content: expect.stringContaining(SENTENCE) }],
  });
  expect(rest.structuredContent).toMatchObject({ results: [] });
  expect((await ask("job_cancel")).structuredContent).toMatchObject({ state: "completed" });
  expect(textOf(await ask("job_status", { secret: "x" }))).toContain("X-Job-Secret is not its secret");
  expect(textOf(await ask("job_status", { job: "/admin/../x" }))).toContain("  job: must be the `status`");
});

test("a failed call has its reason and is not charged", async () => {
  const client = await overStdio();
  const before = settled();
  const failed = await client.callTool({ name: "read", arguments: { url: "http://127.0.0.1:1/" } });
  expect([failed.isError, settled()]).toEqual([true, before]);
  expect(textOf(failed)).toStartWith("Page Could Not Be Loaded: Cannot load the page");
});

test("the wallet pays no more than its limits, for a call and for a day", async () => {
  const before = settled();
  const dear = await overStdio("--max-price", "$0.0005");
  expect(textOf(await qr(dear))).toBe("Cannot pay $0.001: the limit is $0.0005");
  const total = await overStdio("--max-total", "$0.000001");
  expect(textOf(await qr(total))).toMatch(
    /^Cannot pay \$0\.001: \$0\.\d+ of today's limit of \$0\.000001 are used up(?:, \$0\.\d+ of it not charged, but signed until \d\d:\d\d UTC)?$/,
  );
  expect(settled()).toBe(before);
});

test("with --no-pay the agent gets the price and pays itself", async () => {
  const client = await overStdio("--no-pay");
  const challenge = await qr(client);
  expect(challenge.structuredContent).toMatchObject({ x402Version: 2 });
  const paid = await qr(client, await sign(challenge));
  expect(paid.content).toMatchObject([{ type: "image" }]);
});

for (const [name, connect] of [
  ["HTTP", overHttp],
  ["HTTP without a session", () => overHttp("auto")],
  ["standard input", overStdio],
] as const) {
  test(`a call that is cancelled over ${name} is cancelled down to the page, and not charged`, async () => {
    const client = await connect();
    const before = settled();
    const path = `/never/${name.replaceAll(" ", "-")}`;
    const call = { name: "read", arguments: { url: `${site.url.origin}${path}`, timeout: 60, engine: "static" } };
    const meta =
      name === "standard input" ? {} : { _meta: { "x402/payment": await sign(await client.callTool(call)) } };
    const progress: number[] = [];
    const abort = new AbortController();
    const pending = client
      .callTool({ ...call, ...meta }, { signal: abort.signal, onprogress: (step) => void progress.push(step.progress) })
      .then(() => "answered", String);
    await until("the page is asked for", () => asked.includes(path) || undefined);
    await until("progress is told", () => progress.length > 0 || undefined);
    abort.abort();
    expect(await pending).not.toBe("answered");
    await until("the page is left", () => left.includes(path) || undefined);
    expect([settled(), progress[0]]).toEqual([before, 0]);
  });
}
