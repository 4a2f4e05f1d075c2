/** Runs the app and the configuration of docs/guides/partners-and-buyers.md with each kind of client. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createHmac } from "node:crypto";
import { mkdirSync } from "node:fs";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { decodeHeader } from "../../src/payments/x402/header.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { blockWith, readDocument } from "../support/documents.ts";
import { Folder, Program } from "../support/program.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

const GUIDE = readDocument("docs/guides/partners-and-buyers.md");
const CONFIG = blockWith(GUIDE, "json", "free_per_day");
const PARTNER = { "x-api-key": "a long random key of the partner" };

/** The parts of Express that the app of the guide uses, on node:http. */
const EXPRESS = `
import { createServer } from "node:http";
const routes = [];
const match = (pattern, path) => {
  const [a, b] = [pattern.split("/"), path.split("/")];
  if (a.length !== b.length || a.some((part, i) => !part.startsWith(":") && part !== b[i])) return undefined;
  return Object.fromEntries(a.flatMap((part, i) => (part.startsWith(":") ? [[part.slice(1), b[i]]] : [])));
};
export default function express() {
  const add = (method) => (pattern, run) => routes.push({ method, pattern, run });
  const server = createServer(async (req, res) => {
    let text = "";
    for await (const chunk of req) text += chunk;
    const { pathname } = new URL(req.url, "http://app");
    const found = routes.find(({ method, pattern }) => method === req.method && match(pattern, pathname));
    res.status = (code) => Object.assign(res, { statusCode: code });
    res.json = (value) => res.setHeader("content-type", "application/json").end(JSON.stringify(value));
    req.get = (name) => req.headers[name.toLowerCase()];
    if (found === undefined) return res.status(404).json({ error: "not found" });
    req.body = text === "" ? undefined : JSON.parse(text);
    req.params = match(found.pattern, pathname);
    found.run(req, res);
  });
  return { use() {}, get: add("GET"), post: add("POST"), listen: (...args) => server.listen(...args) };
}
express.json = () => undefined;
`;

const folder = new Folder();
const account = privateKeyToAccount(generatePrivateKey());
let signedAmount: unknown;
const noting = (async (...sent: ConstructorParameters<typeof Request>) => {
  const request = new Request(...sent);
  const payment = request.headers.get("payment-signature");
  if (payment !== null)
    signedAmount = (decodeHeader(payment) as { readonly accepted: { readonly amount: string } }).accepted.amount;
  return await fetch(request);
}) as typeof fetch; // The client uses nothing else of it.
const pay = wrapFetchWithPayment(noting, new x402Client().register("eip155:*", new ExactEvmScheme(account)));
let app: Bun.Subprocess<"ignore", "pipe", "inherit">;
let gateway: Program;
let url: string;

beforeAll(async () => {
  mkdirSync(folder.file("node_modules/express"), { recursive: true });
  folder.write("node_modules/express/package.json", { name: "express", type: "module", main: "index.js" });
  folder.write("node_modules/express/index.js", EXPRESS);
  const program = folder.write("app.mjs", blockWith(GUIDE, "js", "express"));
  app = Bun.spawn([process.execPath, program], {
    env: { PORT: "0" },
    stdout: "pipe",
    stdin: "ignore",
    stderr: "inherit",
  });
  const { value } = await app.stdout.getReader().read();
  const [, port = ""] = /app on port (\d+)/.exec(Buffer.from(value ?? []).toString()) ?? [];
  const text = CONFIG.replace('"port": 8090', '"port": 0').replace('"port": 3000', `"port": ${port}`);
  gateway = new Program(["--config", folder.write("gateway.json", text)]);
  url = (await gateway.sees(/listening on (http:\/\/\S+)/))[1] ?? "";
});

afterAll(async () => {
  await gateway.stop();
  app.kill();
  await app.exited;
  folder.remove();
});

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function token(sub: string): string {
  const { secret = "" } = /"secret": "(?<secret>[^"]+)"/.exec(CONFIG)?.groups ?? {};
  const signed = `${part({ alg: "HS256" })}.${part({ sub })}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

function batch(...symbols: readonly string[]): RequestInit {
  const headers = { "content-type": "application/json", ...PARTNER };
  return { method: "POST", headers, body: JSON.stringify({ symbols }) };
}

/** The amount that was signed, if it was charged. */
function charged(response: Response): unknown {
  return response.headers.has("payment-response") ? signedAmount : undefined;
}

/** A response of the app. */
async function bodyOf(response: Response): Promise<{ readonly for?: string; readonly quotes?: readonly unknown[] }> {
  return (await response.json()) as Awaited<ReturnType<typeof bodyOf>>;
}

async function asked(path: string, init: RequestInit = {}): Promise<unknown> {
  const response = await fetch(url + path, init);
  await response.body?.cancel();
  const required = response.headers.get("payment-required");
  if (required === null) return response.status;
  return (decodeHeader(required) as { readonly accepts: readonly { readonly amount: string }[] }).accepts[0]?.amount;
}

test("the configuration has fewer than 60 lines and no problem", async () => {
  expect(CONFIG.trimEnd().split("\n").length).toBeLessThan(60);
  const check = new Program(["check", folder.write("checked.json", CONFIG)]);
  expect([await check.exit(), check.output]).toEqual([0, `${folder.file("checked.json")}: ok (1 route, 1 upstream)\n`]);
});

test("a visitor has three free requests, and then buys", async () => {
  expect(await asked("/v1/status")).toBe(200);
  for (let i = 0; i < 3; i++) {
    const free = await fetch(`${url}/v1/quotes/ACME`);
    expect([free.status, await free.json()]).toMatchObject([200, { for: "a free visitor", symbol: "ACME" }]);
  }
  expect(await asked("/v1/quotes/ACME")).toBe("2000");
  const bought = await pay(`${url}/v1/quotes/ACME`);
  expect([bought.status, charged(bought)]).toEqual([200, "2000"]);
  expect((await bodyOf(bought)).for).toBe(account.address.toLowerCase());
  expect(await asked("/v1/status")).toBe(200);
  expect(await asked("/v1/internal/x")).toBe(403);
  expect(await asked("/v1/other")).toBe("50000");
});

test("a batch costs its symbols, up to a maximum, and a failed one nothing", async () => {
  const { headers: _, ...plain } = batch("ACME", "INIT", "UMBR");
  const json = { ...plain, headers: { "content-type": "application/json" } };
  const bought = await pay(`${url}/v1/batch`, json);
  expect([bought.status, charged(bought), (await bodyOf(bought)).quotes?.length]).toEqual([200, "6000", 3]);
  const many = { ...json, body: JSON.stringify({ symbols: Array.from({ length: 100 }, () => "A") }) };
  expect(await asked("/v1/batch", many)).toBe("50000");
  const none = await pay(`${url}/v1/batch`, { ...json, body: '{"symbols": []}' });
  expect([none.status, charged(none)]).toEqual([400, undefined]);
});

test("the partner pays its own price with its key, also for a batch", async () => {
  for (let i = 0; i < 3; i++) expect(await asked("/v1/quotes/ACME", { headers: PARTNER })).toBe(200);
  const bought = await pay(`${url}/v1/quotes/ACME`, { headers: PARTNER });
  expect([bought.status, charged(bought), (await bodyOf(bought)).for]).toEqual([200, "1000", "partner"]);
  expect(await asked("/v1/batch", batch("ACME", "INIT"))).toBe("1000");
  expect(await asked("/v1/quotes/ACME", { headers: { "x-api-key": "guessed" } })).toBe("2000");
});

test("subscribers pay nothing, as often as they ask", async () => {
  const headers = { authorization: `Bearer ${token("ann")}` };
  for (let i = 0; i < 8; i++) {
    const free = await fetch(`${url}/v1/quotes/ACME`, { headers });
    expect([free.status, charged(free), (await bodyOf(free)).for]).toEqual([200, undefined, "ann"]);
  }
});

test("clients cannot name themselves", async () => {
  const forged = { "x-consumer-name": "partner", "turnpike-payer": "0xabc" };
  const bought = await pay(`${url}/v1/quotes/ACME`, { headers: forged });
  expect((await bodyOf(bought)).for).toBe(account.address.toLowerCase());
});
