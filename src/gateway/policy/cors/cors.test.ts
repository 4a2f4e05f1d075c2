import { expect, test } from "bun:test";
import { ClientExchange, Consumer } from "../../../../test/flow/testing/flow.ts";
import { type CorsConfig, type RouteConfig } from "../../config/config.ts";
import { type FeatureParts } from "../../features/feature-parts.ts";
import { provideCors } from "./cors.ts";

const ORIGIN = "https://shop.test";
const PAYMENT =
  "PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, WWW-Authenticate, Payment-Receipt, Payment-Stream, Retry-After";

interface Case {
  readonly cors?: CorsConfig;
  readonly own?: CorsConfig;
  readonly isPriced?: boolean;
  readonly method?: string;
  readonly fields?: string;
  readonly isGrpc?: boolean;
  /** The upstream's fields. */
  readonly upstream?: string;
}

interface Received {
  readonly decision: unknown;
  readonly status: number;
  readonly lines: string[];
}

/** The response that a client gets from an upstream that responds to all requests. Undefined: there is no policy. */
async function ask({
  cors = {},
  own,
  isPriced = false,
  upstream = "",
  ...request
}: Case): Promise<Received | undefined> {
  const { method = "GET", fields = `Origin: ${ORIGIN}\r\n`, isGrpc = false } = request;
  // No other members are read.
  const feature = provideCors({ config: { cors } } as FeatureParts);
  const policy = feature.policy({ cors: own, x402: isPriced ? {} : undefined } as RouteConfig);
  if (policy === undefined) return undefined;
  expect([policy.name, policy.runsOnLocalReply]).toEqual(["cors", true]);
  const client = new Consumer();
  const got = { status: 0, fields: "" };
  client.start = (head) => Object.assign(got, { status: head.status, fields: head.fields });
  const exchange = new ClientExchange(client, { method, fields, isGrpc, bodyLength: 0 });
  exchange.isAuthorized = true;
  const decision = await policy.request(exchange);
  if (decision === "continue") exchange.response.start({ status: 200, reason: "", fields: upstream, bodyLength: 0 });
  else expect(exchange.isAuthorized).toBe(false);
  return { decision, status: got.status, lines: got.fields.split("\r\n").filter((line) => !/^(?:Date:|$)/.test(line)) };
}

/** The lines of a response to a request with this Origin. */
async function linesOf(details: Case): Promise<string[] | undefined> {
  return (await ask(details))?.lines;
}

/** A preflight with the fields that the browser asks about. */
function preflight(asked: string, details: Case = {}): Promise<Received | undefined> {
  const fields = `Origin: ${ORIGIN}\r\n${asked}`;
  return ask({ cors: { allow_origins: [ORIGIN] }, ...details, method: "OPTIONS", fields });
}

test("an allowed origin is named in the response, which varies by it, and another one is not", async () => {
  const cors = { allow_origins: [ORIGIN], allow_credentials: true, expose_headers: ["X-One", "X-Two"] };
  expect(await linesOf({ cors })).toEqual([
    `Access-Control-Allow-Origin: ${ORIGIN}`,
    "Access-Control-Allow-Credentials: true",
    "Access-Control-Expose-Headers: X-One, X-Two",
    "Vary: Origin",
  ]);
  for (const fields of ["Origin: https://other.test\r\n", ""]) {
    expect(await linesOf({ cors, fields })).toEqual(["Vary: Origin"]);
  }
});

test("a response for all origins does not vary, and the fields of payments are exposed on a priced route", async () => {
  const cors = { allow_origins: ["*"] };
  expect(await linesOf({ cors })).toEqual(["Access-Control-Allow-Origin: *"]);
  expect(await linesOf({ cors, fields: "" })).toEqual(["Access-Control-Allow-Origin: *"]);
  expect(await linesOf({ cors, isPriced: true })).toEqual([
    "Access-Control-Allow-Origin: *",
    `Access-Control-Expose-Headers: ${PAYMENT}`,
  ]);
});

test("the upstream's own fields are removed, and its Vary is kept if it has the origin", async () => {
  const upstream =
    "Access-Control-Allow-Origin: *\r\naccess-control-allow-credentials: true\r\nAccess-Control-Expose-Headers: *\r\nX: 1\r\n";
  const cors = { allow_origins: [ORIGIN] };
  const own = `Access-Control-Allow-Origin: ${ORIGIN}`;
  expect(await linesOf({ cors, upstream })).toEqual(["X: 1", own, "Vary: Origin"]);
  expect(await linesOf({ cors, upstream: "Vary: Accept , oRigin\r\n" })).toEqual(["Vary: Accept , oRigin", own]);
  expect(await linesOf({ cors, upstream: "Vary: *\r\n" })).toEqual(["Vary: *", own]);
  expect(await linesOf({ cors, upstream: "Vary: X-Origin\r\n" })).toEqual(["Vary: X-Origin", own, "Vary: Origin"]);
});

test("the policy responds to a preflight itself, and repeats the method and the fields that it asks for", async () => {
  const asked = "Access-Control-Request-Method: PURGE\r\nAccess-Control-Request-Headers: authorization , x-a\r\n";
  const all = { allow_origins: [ORIGIN], allow_methods: ["*"], max_age_s: 7 };
  expect(await preflight(asked, { cors: all })).toEqual({
    decision: "responded",
    status: 204,
    lines: [
      "Vary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
      `Access-Control-Allow-Origin: ${ORIGIN}`,
      "Access-Control-Allow-Methods: PURGE",
      "Access-Control-Allow-Headers: authorization , x-a",
      "Access-Control-Max-Age: 7",
    ],
  });
});

test("a preflight gets the configured methods and fields, and those of payments on a priced route", async () => {
  const cors = { allow_origins: [ORIGIN], allow_methods: ["GET", "PUT"], allow_headers: ["X-A"] };
  const asked = "Access-Control-Request-Method: PUT\r\n";
  const plain = (await preflight(asked, { cors }))?.lines.slice(2);
  expect(plain).toEqual([
    "Access-Control-Allow-Methods: GET, PUT",
    "Access-Control-Allow-Headers: X-A",
    "Access-Control-Max-Age: 600",
  ]);
  expect((await preflight(asked, { cors, isPriced: true }))?.lines.slice(3)).toEqual([
    "Access-Control-Allow-Headers: X-A, PAYMENT-SIGNATURE, X-PAYMENT, Payment-Stream",
    `Access-Control-Expose-Headers: ${PAYMENT}`,
    "Access-Control-Max-Age: 600",
  ]);
});

test.each([
  ["x".repeat(4096), true],
  ["x".repeat(4097), false],
  ["a b", false],
  ["a,", false],
])("the requested fields %p are repeated: %p", async (value, isRepeated) => {
  const asked = `Access-Control-Request-Method: PUT\r\nAccess-Control-Request-Headers: ${value}\r\n`;
  const lines = (await preflight(asked))?.lines ?? [];
  expect(lines.includes(`Access-Control-Allow-Headers: ${value}`)).toBe(isRepeated);
  expect(lines.some((line) => line.startsWith("Access-Control-Allow-Headers"))).toBe(isRepeated);
});

test("a preflight of another origin gets no permission", async () => {
  const cors = { allow_origins: ["https://other.test"] };
  const refused = await preflight("Access-Control-Request-Method: PUT\r\n", { cors });
  expect([refused?.decision, refused?.status, refused?.lines.length]).toEqual(["responded", 204, 1]);
});

test("an OPTIONS that is not a preflight reaches the upstream, and a gRPC call is left alone", async () => {
  expect((await preflight(""))?.decision).toBe("continue");
  const cors = { allow_origins: [ORIGIN] };
  const plain = { cors, method: "OPTIONS", fields: "Access-Control-Request-Method: PUT\r\n" };
  expect((await ask(plain))?.decision).toBe("continue");
  expect(await linesOf({ cors, isGrpc: true, upstream: "X: 1\r\n" })).toEqual(["X: 1"]);
});

test("a route's values go before those of the gateway, and without an origin there is no policy", async () => {
  const cors = { allow_origins: [ORIGIN], expose_headers: ["X-A"] };
  expect(await linesOf({ cors, own: { allow_origins: ["*"] } })).toEqual([
    "Access-Control-Allow-Origin: *",
    "Access-Control-Expose-Headers: X-A",
  ]);
  expect(await ask({ cors, own: { allow_origins: [] } })).toBeUndefined();
  expect(await ask({})).toBeUndefined();
});
