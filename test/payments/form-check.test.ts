/** A request whose form the content service refuses gets no price, over every protocol, and is never charged. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import shipped from "../../config/turnpike.json";
import { baseUrl } from "../../src/content/testing/client.ts";
import { startTestService, type TestService } from "../../src/content/testing/service.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { issueCredit } from "../../src/payments/credit/issue.ts";
import { PAYER, signedPayment, TERMS, USDC } from "../../src/payments/testing/payment.ts";
import { signedPermit2 } from "../../src/payments/testing/permit2-payment.ts";
import { decodeHeader, encodeHeader } from "../../src/payments/x402/header.ts";
import { type PaymentRequired, type PaymentRequirements } from "../../src/payments/x402/messages.ts";
import { openStore } from "../../src/store/open/open-store.ts";
import { type Store } from "../../src/store/store.ts";
import { serverAt } from "../support/gateway.ts";
import { Folder } from "../support/program.ts";
import { PROTOCOLS, type ProtocolGateway, type Request, startProtocols } from "../policy/protocols.ts";

setDefaultTimeout(patient(60_000));

const WORDS = "High water at the harbour comes twice a day, about fifty minutes later each day. ".repeat(5);
const hits: string[] = [];
let site: Bun.Server<undefined>;
let content: TestService;
let folder: Folder;
let store: Store;
let gateway: ProtocolGateway;

beforeAll(async () => {
  site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch({ url }) {
      hits.push(new URL(url).pathname);
      const html = `<!doctype html><title>Tides</title><article><h1>Tides</h1><p>${WORDS}</p></article>`;
      return new Response(html, { headers: { "content-type": "text/html" } });
    },
  });
  folder = new Folder();
  content = await startTestService({ firecrawl: true });
  const { price: _price, scheme: _scheme, ...account } = TERMS;
  gateway = await startProtocols({
    state_path: folder.path,
    limits: { max_body_bytes: 2_000_000 },
    x402: { enabled: true, test_mode: true, credit: { ...account, min: "$0.01" } },
    upstreams: [{ name: "content", servers: [serverAt(Number(new URL(baseUrl(content.service)).port))] }],
    routes: shipped.routes
      .filter((route) => "x402" in route)
      .map((route) => (route.path_prefix === "/r" ? { ...route, cache: { ttl_s: 60 } } : route)),
  });
  store = openStore(folder.file("turnpike.db"));
  await store.ready();
});

afterAll(async () => {
  await gateway.stop();
  await store.close();
  await content.close();
  await site.stop(true);
  folder.remove();
});

const page = () => `http://127.0.0.1:${site.port}/page`;
interface Asked extends Request {
  readonly headers?: Readonly<Record<string, string>>;
}

const post = (path: string, body: unknown, type = "application/json"): Asked => ({
  method: "POST",
  path,
  headers: { "content-type": type },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

const withFields = ({ headers = {}, ...request }: Asked, fields: Record<string, string>): Asked => ({
  ...request,
  headers: { ...headers, ...fields },
});

const announced = (request: Asked): Asked => withFields(request, { "content-length": `${request.body?.length}` });

const REFUSED: readonly (readonly [what: string, request: Asked, status: number, says: string])[] = [
  ["an invalid body of /read", post("/read", { url: "nowhere" }), 400, "/url"],
  ["a path below /read", { path: "/read/x" }, 404, "no such operation"],
  ["an address of another scheme", { path: "/r/ftp://h/" }, 400, "only http and https"],
  ["an address with a password", { path: "/r?url=http://a:b@h/" }, 400, "password"],
  ["a reader without an address", { path: "/r" }, 400, "url"],
  ["a parameter of another type", { path: "/r?url=http://h/&max_length=x" }, 400, "max_length"],
  ["a scrape without an address", post("/v2/scrape", {}), 400, '"path":"url"'],
  ["a map with one name twice", post("/v2/map", '{"url":"http://h/","url":"http://h/"}'), 400, "UTF-8"],
  ["a map after a byte order mark", post("/v1/map", '\ufeff{"url":"http://h/"}'), 400, "UTF-8"],
  ["an option without a meaning", post("/v2/scrape", { url: "http://h/", fastMode: true }), 400, "fastMode"],
  ["an extraction without a schema", post("/v2/extract", { urls: ["http://h/"] }), 400, "schema"],
  ["another content type", post("/v2/map", "{}", "text/plain"), 400, "Content-Type"],
  ["a file that is not base64", post("/parse", { file: "?" }), 400, "file"],
  ["a form without a file", post("/parse", "--x--\r\n", "multipart/form-data; boundary=x"), 400, "file"],
  ["an unknown parameter of a file", post("/parse?colour=red", "text", "text/plain"), 400, "colour"],
  [
    "an unknown parameter of a long file",
    post("/parse?colour=red", "x".repeat(1_100_000), "text/plain"),
    400,
    "colour",
  ],
  [
    "a body over the limit of the gateway",
    announced(post("/parse", "x".repeat(2_000_001), "text/plain")),
    413,
    "too-large",
  ],
  ["JSON over the limit of a schema", post("/scrape", { url: `http://h/${"x".repeat(1_048_576)}` }), 413, "too-large"],
  ["a body that is not JSON", post("/scrape", "{"), 400, "JSON"],
  ["a body that is not announced as JSON", post("/qr", '{"data":"x"}', "text/plain"), 415, "application/json"],
  ["an unknown field", post("/search", { query: "tides", colour: "red" }), 400, "/colour"],
  ["a path below an operation, with a valid body", post("/scrape/x", { url: "http://h/" }), 404, "no such operation"],
  ["an operation with a slash at its end", post("/search/", { query: "tides" }), 404, "no such operation"],
];

/** An operation that is called with POST alone, for each paid route. */
const POSTED = shipped.routes
  // GET and DELETE of sessions and browsers are free.
  .filter((route) => "x402" in route && "body_schema" in route && !/^.(?:sessions|browsers)$/.test(route.path_prefix))
  .map(({ path_prefix }) => path_prefix);

const ACCEPTED: readonly (readonly [what: string, request: () => Asked])[] = [
  ["/read", () => post("/read", { url: page() })],
  ["/r", () => ({ path: `/r/${page()}` })],
  ["/v2/scrape", () => post("/v2/scrape", { url: page() })],
  ["/v2/extract", () => post("/v2/extract", { urls: [page()], schema: { type: "object", properties: { a: {} } } })],
  ["/v1/crawl", () => post("/v1/crawl", { url: page(), limit: 1 })],
  ["/v2/batch/scrape", () => post("/v2/batch/scrape", { urls: [page()] })],
  ["/v2/search", () => post("/v2/search", { query: "tides" })],
  ["/v2/map", () => post("/v2/map", { url: page() })],
  ["/parse", () => post("/parse", "text", "text/plain")],
  ["a long file", () => post("/parse?format=text", "x".repeat(1_100_000), "text/plain")],
];

for (const protocol of PROTOCOLS) {
  test.each(REFUSED)(`${protocol}: %s is refused, without a price`, async (_what, request, status, says) => {
    const reply = await gateway.request(protocol, request);
    expect([reply.status, reply.header("payment-required")]).toEqual([status, undefined]);
    expect(reply.text).toContain(says);
  });

  // Directories of x402 probe an address so.
  test.each([...POSTED, "/parse"])(`${protocol}: GET and HEAD tell the price of %s`, async (path) => {
    const methods = ["GET", "HEAD"].map((method) => gateway.request(protocol, { method, path }));
    for (const reply of await Promise.all(methods))
      expect([reply.status, reply.header("payment-required")]).toEqual([402, expect.any(String)]);
  });

  test.each(ACCEPTED)(`${protocol}: a valid request to %s gets the price, and nothing is loaded`, async (_what, of) => {
    // The client cannot ask for a check itself.
    const reply = await gateway.request(protocol, withFields(of(), { "turnpike-check": "form" }));
    expect([reply.status, reply.header("payment-required") === undefined]).toEqual([402, false]);
    expect(hits).toEqual([]);
  });
}

/** The fields of a payment by the scheme for a request. */
async function paid(request: Asked, scheme: "exact" | "upto"): Promise<Record<string, string>> {
  const asked = await gateway.plain(request);
  const { accepts } = decodeHeader(asked.header("payment-required") ?? "") as PaymentRequired;
  const terms = accepts.find((one) => one.scheme === scheme);
  if (terms === undefined) throw new Error(`the challenge has no ${scheme}`);
  const now = Date.now() / 1000;
  return { "payment-signature": encodeHeader(scheme === "upto" ? signedPermit2(terms, now) : signedExact(terms, now)) };
}

function signedExact(accepted: PaymentRequirements, now: number) {
  const { payTo: to, amount: value } = accepted;
  const { payload } = signedPayment(now, { to: to as `0x${string}`, value });
  return { x402Version: 2 as const, accepted, payload };
}

const WRONG = post("/v2/scrape", { url: "http://h/", fastMode: true });

test.each(["exact", "upto"] as const)("a payment by %s is not taken for a request that is refused", async (scheme) => {
  const right = post("/v2/scrape", { url: page() });
  const payment = await paid(right, scheme);
  const refused = await gateway.plain(withFields(WRONG, { ...payment, "turnpike-check": "form" }));
  expect([refused.status, refused.header("payment-response")]).toEqual([400, undefined]);
  expect(refused.json).toMatchObject({ success: false, code: "BAD_REQUEST" });
  // The payment is still good.
  const sold = await gateway.plain(withFields(right, { ...payment, "turnpike-check": "form" }));
  expect([sold.status, sold.header("payment-response") === undefined]).toEqual([200, false]);
  expect(sold.text).toContain("High water");
});

test("prepaid credit does not pay for a request that is refused", async () => {
  const terms = { owner: PAYER, unit: "money", name: "", network: "eip155:84532", token: USDC.toLowerCase() } as const;
  const { id, token } = await issueCredit(
    store.credits,
    { ...terms, routes: [], expiresAt: 0 },
    { kind: "issued", amount: "1000000", payment: "" },
    true,
  );
  const authorization = { authorization: `Bearer ${token}` };
  const bought = await gateway.plain(withFields(post("/v2/scrape", { url: page() }), authorization));
  expect(bought.status).toBe(200);
  expect((await gateway.plain(withFields(WRONG, authorization))).status).toBe(400);
  expect((await gateway.plain(withFields({ path: "/r/ftp://h/" }, authorization))).status).toBe(400);
  expect((await store.credits.find(id))?.balance).toBe("995000");
});

test("a page that was bought is in the cache, and does not leave it unpaid, nor is a check in it", async () => {
  const request = { path: `/r/${page()}?cached` };
  expect((await gateway.plain(request)).status).toBe(402);
  for (const _ of [1, 2]) {
    const sold = await gateway.plain(withFields(request, await paid(request, "exact")));
    expect([sold.status, sold.text.includes("High water")]).toEqual([200, true]);
  }
  expect((await gateway.plain(request)).status).toBe(402);
});
