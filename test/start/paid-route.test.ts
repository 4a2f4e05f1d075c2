/** The main function, end to end: the shipped program in its own processes, real payments, a real browser. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { x402Client } from "@x402/core/client";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment } from "@x402/fetch";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { COMMAND, descendants, Folder, Program, until } from "../support/program.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { withBrowser } from "../../src/content/testing/state-folder.ts";

setDefaultTimeout(patient(60_000));

const SENTENCE = "A toll is paid once, at the gate, and the road behind it is open to the one who paid. ";
const ARTICLE = `<!doctype html><html><head><title>On tolls</title></head><body><nav>Home</nav>
<article><h1>On tolls</h1><p>${SENTENCE.repeat(8)}</p><p>${SENTENCE.repeat(8)}</p></article></body></html>`;

const folder = new Folder();
let site: Bun.Server<undefined>;
let program: Program;
let url: string;
/** Resolves when the page that never ends is requested. */
let stuck: PromiseWithResolvers<void>;

/** Pays from its own wallet for the requests of `send`. */
function payingFetch(send: (...request: Parameters<typeof fetch>) => Promise<Response> = fetch): typeof fetch {
  const account = privateKeyToAccount(generatePrivateKey());
  const client = new x402Client().register("eip155:*", new ExactEvmScheme(account));
  // The wrapper's type lacks only `preconnect`, which is not called here.
  return wrapFetchWithPayment(send as typeof fetch, client) as typeof fetch;
}

function post(
  send: typeof fetch,
  operation: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return send(`${url}/${operation}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

/** Payments in the ledger, by state. */
function ledger(): Record<string, number> {
  const database = new Database(folder.file("state/turnpike.db"), { readonly: true });
  const rows = database.query("SELECT state, count(*) AS payments FROM payments GROUP BY state").all();
  database.close();
  // The query defines the form of a row.
  return Object.fromEntries((rows as { state: string; payments: number }[]).map((row) => [row.state, row.payments]));
}

async function turnpike(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const process = Bun.spawn([...COMMAND, ...args], {
    env: { ...Bun.env, TURNPIKE_HOME: folder.file("wallet"), TURNPIKE_GATEWAY: url },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err, code] = await Promise.all([process.stdout.text(), process.stderr.text(), process.exited]);
  return { code, out, err };
}

beforeAll(async () => {
  stuck = Promise.withResolvers<void>();
  site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      if (new URL(request.url).pathname === "/never") {
        stuck.resolve();
        await new Promise<void>((resolve) => request.signal.addEventListener("abort", () => resolve()));
      }
      return new Response(ARTICLE, { headers: { "content-type": "text/html" } });
    },
  });
  program = new Program(["--port", "0", "--state-dir", withBrowser(folder.file("state")), "--allow-private"], {
    command: [...COMMAND, "start"],
  });
  const [, port] = await program.sees(/^gateway +http:\/\/127\.0\.0\.1:(\d+)$[^]*^try /m);
  url = `http://127.0.0.1:${port}`;
});

afterAll(async () => {
  await program.stop();
  await site.stop(true);
  folder.remove();
});

test("the stock x402 client pays for an article and gets it with a receipt", async () => {
  const response = await post(payingFetch(), "read", { url: `${site.url.href}article` });
  expect(response.status).toBe(200);
  // The form of the response, as the API's description defines it.
  const article = (await response.json()) as { title: string; content: string };
  expect(article.title).toBe("On tolls");
  expect(article.content).toContain("A toll is paid once");
  expect(article.content).not.toContain("Home");
  const receipt: unknown = JSON.parse(atob(response.headers.get("payment-response") ?? ""));
  expect(receipt).toMatchObject({ success: true, network: "eip155:84532" });
});

test("without a payment no page is read, and no payment is recorded", async () => {
  const before = ledger();
  const response = await post(fetch, "read", { url: `${site.url.href}article` });
  expect(response.status).toBe(402);
  expect(response.headers.get("payment-required")).not.toBeNull();
  expect(await response.text()).not.toContain("toll is");
  expect(ledger()).toEqual(before);
});

test("a browser that is killed during a request causes no charge, and the next request is served", async () => {
  const settled = ledger()["settled"] ?? 0;
  const pending = post(payingFetch(), "read", { url: `${site.url.href}never`, timeout: 60, engine: "browser" });
  await stuck.promise;
  for (const pid of descendants(program.pid, "--remote-debugging-pipe")) process.kill(pid, "SIGKILL");
  const response = await pending;
  expect([502, 503]).toContain(response.status);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  expect(response.headers.get("payment-response")).toBeNull();
  expect(ledger()["settled"] ?? 0).toBe(settled);
  const next = await until("an article again", async () => {
    const again = await post(payingFetch(), "read", { url: `${site.url.href}article` });
    return again.status === 200 ? again : undefined;
  });
  expect(await next.text()).toContain("A toll is paid once");
});

test("a request that gets 503 while the content service starts is not charged, and its payment and its wallet work after that", async () => {
  const { settled = 0, released = 0 } = ledger();
  let signature = "";
  const wallet = payingFetch((input, init) => {
    signature =
      new Headers(input instanceof Request ? input.headers : init?.headers).get("payment-signature") ?? signature;
    return fetch(input, init);
  });
  const [ended] = descendants(program.pid, " content ");
  if (ended === undefined) throw new Error("there is no content service");
  process.kill(ended, "SIGKILL");
  const starting = await until("another content service", () =>
    descendants(program.pid, " content ").find((pid) => pid !== ended),
  );
  process.kill(starting, "SIGSTOP");
  const article = { url: `${site.url.href}article` };
  const refused = await post(wallet, "read", article);
  process.kill(starting, "SIGCONT");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
  expect(refused.headers.get("payment-response")).toBeNull();
  expect(await refused.json()).toMatchObject({ type: "urn:turnpike:error:browser-unavailable" });
  await until("the payment's release", () => ((ledger()["released"] ?? 0) > released ? true : undefined));
  expect(ledger()["settled"] ?? 0).toBe(settled);
  // The gateway holds these requests until the service is ready.
  const again = await post(fetch, "read", article, { "payment-signature": signature });
  expect([again.status, again.headers.has("payment-response")]).toEqual([200, true]);
  expect((await post(wallet, "read", article)).status).toBe(200);
  expect(ledger()["settled"]).toBe(settled + 2);
});

test("the response to a wrong request has its errors, and the client is not charged", async () => {
  const settled = ledger()["settled"];
  const response = await post(payingFetch(), "scrape", { url: site.url.href, format: "pdf" });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ errors: [{ path: "/format" }] });
  expect(ledger()["settled"]).toBe(settled);
});

test("the command creates a wallet, pays, prints the article and reports the payment", async () => {
  const { code, out, err } = await turnpike("call", "read", `${site.url.href}article`);
  expect(code).toBe(0);
  expect(out).toStartWith("# On tolls\n");
  expect(err).toContain("made a wallet at");
  expect(err).toMatch(/paid \$0\.005 USDC .*transaction 0x[0-9a-f]{64}.*no money moved/);
});

test("the command writes a picture to a file, and lists links as asked", async () => {
  const file = folder.file("code.png");
  const qr = await turnpike("call", "qr", "https://example.com/", "--set", "size=128", "--out", file);
  expect([qr.code, await Bun.file(file).slice(1, 4).text()]).toEqual([0, "PNG"]);
  const links = await turnpike("call", "scrape", site.url.href, "--set", "format=links", "--json");
  expect(JSON.parse(links.out)).toMatchObject({ format: "links" });
});

test("the command prints the reason of a failed call and exits 1; wrong usage exits 2", async () => {
  const refused = await turnpike("call", "read", "file:///etc/passwd");
  expect([refused.code, refused.out]).toEqual([1, ""]);
  const absent = await turnpike("call", "read", "https://example.com/", "--gateway", "http://127.0.0.1:1");
  expect(absent.code).toBe(1);
  expect(absent.err).toContain('turnpike start"');
  expect((await turnpike("call")).code).toBe(2);
});
