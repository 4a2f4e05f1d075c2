/** Content services in separate processes, which a gateway reaches over TLS with a token, and sells. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { TERMS } from "../../src/payments/testing/payment.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { CountingFacilitator } from "../payments/counting-facilitator.ts";
import { newPayment, nonceOf } from "../payments/shops.ts";
import { LOCALHOST, TEST_CA } from "../support/certificates.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { Folder, Program, until } from "../support/program.ts";
import { withBrowser } from "../../src/content/testing/state-folder.ts";

setDefaultTimeout(patient(60_000));

const TOKEN = "correct-horse-battery-staple";
const QR = JSON.stringify({ data: "https://turnpike.test/" });

const folder = new Folder();
const tls = [
  "--tls-cert",
  folder.write("cert.pem", LOCALHOST.cert),
  "--tls-key",
  folder.write("key.pem", LOCALHOST.key),
];
const token = ["--token-file", folder.write("token", `${TOKEN}\n`)];
const services: Program[] = [];
const facilitator = new CountingFacilitator();
let ports: number[];
let gateway: Gateway;
let site: Bun.Server<undefined>;
/** Resolves when the slow page may be sent. */
let page = Promise.withResolvers<void>();
let pagesAsked = 0;

function service(name: string): Program {
  const flags = [
    "--listen",
    "127.0.0.1:0",
    "--drain-delay",
    "1",
    "--state-dir",
    withBrowser(folder.file(name)),
    "--allow-private",
    ...tls,
    ...token,
  ];
  const program = new Program(["content", ...flags]);
  services.push(program);
  return program;
}

async function portOf(program: Program): Promise<number> {
  return Number((await program.sees(/listening on https:\/\/127\.0\.0\.1:(\d+)/))[1]);
}

function post(path: string, body: string, more: Record<string, string> = {}): Promise<Response> {
  const headers = { "content-type": "application/json", authorization: "Bearer of-the-client", ...more };
  return fetch(`http://127.0.0.1:${gateway.port}${path}`, { method: "POST", body, headers });
}

/** A request that pays, and the number of its settlements. */
function buy(body: string): { reply: Promise<Response>; settles: () => number | undefined } {
  const payment = newPayment();
  const reply = post("/sold", body, { "payment-signature": encodeHeader(payment) });
  return { reply, settles: () => facilitator.settles.get(nonceOf(payment)) };
}

async function health(): Promise<string> {
  return (await fetch(`http://127.0.0.1:${gateway.port}/metrics`)).text();
}

async function isIn(i: number): Promise<true | undefined> {
  const line = `turnpike_upstream_server_healthy{upstream="content",server="127.0.0.1:${ports[i]}"} 1`;
  return (await health()).includes(line) ? true : undefined;
}

async function isOut(i: number): Promise<true | undefined> {
  return (await isIn(i)) === undefined ? true : undefined;
}

beforeAll(async () => {
  site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch() {
      pagesAsked += 1;
      await page.promise;
      return new Response("<h1>Toll roads</h1><p>The toll is paid.</p>", { headers: { "content-type": "text/html" } });
    },
  });
  ports = await Promise.all([service("one"), service("two")].map(portOf));
  gateway = await startGateway(
    {
      upstreams: [
        {
          name: "content",
          tls: true,
          tls_ca_path: folder.write("ca.pem", TEST_CA.cert),
          token_env: "CONTENT_TOKEN",
          servers: ports.map((port) => ({ address: "127.0.0.1", port, max_fails: 1, fail_timeout_ms: 200 })),
          health_check: { path: "/ready", interval_ms: 100, unhealthy_threshold: 1, healthy_threshold: 1 },
        },
        {
          name: "strange",
          tls: true,
          tls_ca_path: folder.file("ca.pem"),
          servers: [{ address: "127.0.0.1", port: ports[0] }],
        },
      ],
      routes: [
        { path_prefix: "/strange", rewrite_pattern: "/strange", rewrite_replacement: "/qr", upstream: "strange" },
        { path_prefix: "/", upstream: "content", retry: { any_method: true, max_retries: 1 } },
        {
          path_prefix: "/sold",
          rewrite: { path: "/scrape" },
          upstream: "content",
          retry: { any_method: true, max_retries: 1 },
          x402: TERMS,
        },
      ],
      x402: { enabled: true, facilitator_url: facilitator.url },
    },
    { CONTENT_TOKEN: TOKEN },
  );
});

afterAll(async () => {
  page.resolve();
  await gateway?.stop();
  await Promise.all(services.map((program) => program.stop()));
  await facilitator.close();
  await site.stop(true);
  folder.remove();
});

test("the gateway sends the token in requests and health checks, in place of the client's field", async () => {
  await until("both services are healthy", async () => ((await isIn(0)) && (await isIn(1))) || undefined);
  const response = await post("/qr", QR);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/png"]);
  // Another upstream without the token gets no access.
  expect((await post("/strange", QR)).status).toBe(401);
  const ca = { tls: { ca: TEST_CA.cert } };
  expect((await fetch(`https://127.0.0.1:${ports[0]}/ready`, ca)).status).toBe(401);
  expect(services.some(({ output }) => output.includes(TOKEN))).toBe(false);
  expect(gateway.output()).not.toContain(TOKEN);
});

test("a service that drains ends its requests, sold ones too, and the gateway sends new ones to the other service", async () => {
  const scrape = JSON.stringify({ url: site.url.href, engine: "static", format: "text" });
  const sold = [buy(scrape), buy(scrape)];
  await until("both services read the page for payers", () => (pagesAsked === 2 ? true : undefined));
  const sent = [...sold.map(({ reply }) => reply), post("/scrape", scrape), post("/scrape", scrape)];
  await until("each service reads the page", () => (pagesAsked === 4 ? true : undefined));
  services[0]?.kill("SIGTERM");
  await until("the gateway sees that the service drains", () => isOut(0));
  expect((await post("/qr", QR)).status).toBe(200);
  page.resolve();
  const done = await Promise.all(sent);
  expect(done.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  for (const response of done)
    expect(await response.json()).toMatchObject({ content: "Toll roads\nThe toll is paid." });
  expect(sold.map(({ settles }) => settles())).toEqual([1, 1]);
  // Each page was read once: no request ran again.
  expect([pagesAsked, await services[0]?.exit()]).toEqual([4, 0]);
});

test("if a content service is killed, another one serves its request, which is paid once", async () => {
  page = Promise.withResolvers();
  pagesAsked = 0;
  const port = ports[0] ?? 0;
  const flags = ["--state-dir", folder.file("three"), "--allow-private", ...tls, ...token];
  const third = new Program(["content", "--listen", `127.0.0.1:${port}`, ...flags]);
  services.push(third);
  await portOf(third);
  await until("the gateway sees the service again", () => isIn(0));
  const scrape = JSON.stringify({ url: site.url.href, engine: "static", format: "text" });
  const sold = [buy(scrape), buy(scrape)];
  await until("each service reads the page", () => (pagesAsked === 2 ? true : undefined));
  third.kill("SIGKILL");
  await until("the other service reads the page", () => (pagesAsked === 3 ? true : undefined));
  page.resolve();
  const done = await Promise.all(sold.map(({ reply }) => reply));
  expect(done.map(({ status }) => status)).toEqual([200, 200]);
  expect(sold.map(({ settles }) => settles())).toEqual([1, 1]);
});

const REFUSED: readonly [string, readonly string[], string][] = [
  ["without a token on an address of the network", ["--listen", "0.0.0.0:0"], "there is no token"],
  ["with a token in clear text", ["--listen", "0.0.0.0:0", ...token], "in clear text"],
  [
    "with a token that is easy to guess",
    ["--listen", "127.0.0.1:0", "--token-file", folder.write("short", "secret")],
    "at least 16",
  ],
  ["with a token file that does not exist", ["--listen", "127.0.0.1:0", "--token-file", folder.file("none")], "ENOENT"],
  [
    "with an invalid certificate",
    ["--listen", "127.0.0.1:0", "--tls-cert", folder.file("short"), "--tls-key", folder.file("short")],
    "--tls-cert",
  ],
  ["with half a certificate", ["--listen", "127.0.0.1:0", "--tls-cert", folder.file("short")], "require each other"],
];
for (const [how, flags, reason] of REFUSED) {
  test(`a service ${how} does not start, and the error has the reason`, async () => {
    const program = new Program(["content", "--state-dir", folder.file("refused"), ...flags]);
    expect(await program.exit()).not.toBe(0);
    expect(program.output).toContain(reason);
    expect(program.output).not.toContain("secret");
  });
}

test("a gateway without the token does not start, and check has the reason", async () => {
  const file = folder.write("far.json", {
    upstreams: [{ name: "content", token_env: "NO_SUCH_TOKEN", servers: [{ address: "10.0.0.9", port: 1 }] }],
    routes: [{ path_prefix: "/", upstream: "content" }],
  });
  const program = new Program(["check", file]);
  expect(await program.exit()).toBe(1);
  expect(program.output).toContain("upstreams[0].token_env: ");
  expect(program.output).toContain("NO_SUCH_TOKEN is not set");
  expect(program.output).toContain("the token is sent in clear text");
  const said = await startGateway(JSON.parse(await Bun.file(file).text())).then(() => "started", String);
  expect(said).toContain("NO_SUCH_TOKEN is not set");
});
