/** The Payment scheme over MCP: the stock client buys tool calls, and sees why a payment is refused. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { Client, ProtocolError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Validator } from "@seriousme/openapi-schema-validator";
import { evm } from "mppx/client";
import { validate } from "mppx/discovery";
import { McpClient } from "mppx/mcp/client";
import { privateKeyToAccount } from "viem/accounts";
import { describeApi } from "../../src/content/api/api-description.ts";
import { pricesOf } from "../../src/content/api/price-list.ts";
import { McpHttp } from "../../src/content/mcp/mcp-http.ts";
import { isObject, type JsonRecord } from "../../src/lib/is-object.ts";
import { PAYEE, PRIVATE_KEY, REQUIREMENTS } from "../../src/payments/testing/payment.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";

setDefaultTimeout(patient(60_000));

const CALL = { name: "scrape", arguments: { url: "https://example.com/" } };
const CREDENTIAL = "org.paymentauth/credential";

let gateway: Gateway;
let service: McpHttp;
const seen: Headers[] = [];
const origin = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    seen.push(request.headers);
    return Response.json({ content: "the goods" });
  },
});
const front = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => service.fetch(request) });
const clients: Client[] = [];

beforeAll(async () => {
  const x402 = { price: "$0.01", asset: "USDC", network: "base-sepolia", pay_to: PAYEE };
  gateway = await startGateway({
    x402: { enabled: true, test_mode: true, mpp: {} },
    upstreams: [{ name: "content", servers: [{ address: "127.0.0.1", port: origin.port }] }],
    routes: [
      { path_prefix: "/scrape", upstream: "content", x402 },
      {
        path_prefix: "/read",
        upstream: "content",
        x402: { ...x402, rules: [{ match: { methods: ["PUT"] }, price: "$0.02" }] },
      },
    ],
  });
  service = new McpHttp({
    gatewayUrl: `http://127.0.0.1:${gateway.port}`,
    hosts: [],
    prices: async () => undefined,
    log: () => undefined,
  });
});

afterAll(async () => {
  for (const client of clients) await client.close();
  await service.close();
  await Promise.all([front.stop(true), origin.stop(true), gateway.stop()]);
});

async function connect(capabilities: object = {}): Promise<Client> {
  const client = new Client({ name: "agent", version: "1" }, { capabilities });
  await client.connect(new StreamableHTTPClientTransport(front.url));
  clients.push(client);
  return client;
}

const methods = [
  evm.charge({ account: privateKeyToAccount(PRIVATE_KEY), currencies: [evm.assets.baseSepolia.USDC] }),
] as const;

/** Pays with the stock client, and notes the credential that it sends. */
async function buy(client: Client): Promise<{ readonly result: JsonRecord; readonly credential: unknown }> {
  let credential: unknown;
  const callTool = async (params: JsonRecord): Promise<object> => {
    const { _meta: meta } = params;
    if (isObject(meta)) credential = meta[CREDENTIAL];
    return client.callTool({ ...CALL, ...params });
  };
  const wrapped = McpClient.wrap({ callTool } as never, { methods: [methods[0]] }) as { callTool: typeof callTool };
  return { result: { ...(await wrapped.callTool(CALL)) }, credential };
}

async function errorOf(call: Promise<unknown>): Promise<{ readonly code: number; readonly data: unknown }> {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  if (!(error instanceof ProtocolError)) throw new Error("the call has no JSON-RPC error");
  return { code: error.code, data: error.data };
}

for (const capabilities of [{}, { experimental: { payment: { methods: { evm: { intents: ["charge"] } } } } }]) {
  test(`the stock client pays, with the capabilities ${JSON.stringify(capabilities)}`, async () => {
    const { result } = await buy(await connect(capabilities));
    expect(result).toMatchObject({
      structuredContent: { content: "the goods" },
      _meta: { "org.paymentauth/receipt": { status: "success", method: "evm", chainId: 84532 } },
    });
    expect(seen.at(-1)?.get("authorization")).toBeNull();
  });
}

test("a client of the scheme gets its challenges in an error, and other clients in a result", async () => {
  const challenges = [{ method: "evm", intent: "charge", request: { amount: "10000" } }];
  const result = await (await connect()).callTool(CALL);
  expect(result).toMatchObject({
    isError: true,
    structuredContent: { x402Version: 2 },
    _meta: { "org.paymentauth/payment-required": { httpStatus: 402, challenges } },
  });
  const client = await connect({ experimental: { payment: {} } });
  expect(await errorOf(client.callTool(CALL))).toMatchObject({ code: -32042, data: { httpStatus: 402, challenges } });
});

test("the OpenAPI description has the offers, as the stock package reads them", async () => {
  const prices = await pricesOf(`http://127.0.0.1:${gateway.port}`, fetch)("");
  const document: unknown = JSON.parse(JSON.stringify(describeApi("https://pay.test", prices)));
  expect(validate(document).filter(({ severity }) => severity === "error")).toEqual([]);
  const offer = { intent: "charge", method: "evm", amount: "10000", currency: REQUIREMENTS.asset };
  expect(document).toMatchObject({
    paths: {
      "/scrape": { post: { "x-payment-info": { offers: [offer] }, security: [{ x402: [] }, { payment: [] }] } },
      "/read": { post: { "x-payment-info": { offers: [{ ...offer, amount: null }] } } },
    },
    components: { securitySchemes: { payment: { type: "http", scheme: "Payment" } } },
  });
  // A validator accepts any object.
  expect(await new Validator().validate(document as Record<string, unknown>)).toMatchObject({ valid: true });
});

test("a used credential, and one for another tool, are refused with a new challenge", async () => {
  const client = await connect();
  const { credential } = await buy(client);
  const other = { ...CALL, arguments: { url: "https://example.com/other" } };
  const runs = seen.length;
  for (const call of [other, { ...CALL, name: "read" }]) {
    const error = await errorOf(client.callTool({ ...call, _meta: { [CREDENTIAL]: credential } }));
    expect(error).toMatchObject({
      code: -32043,
      data: { challenges: [{ method: "evm" }], failure: { reason: "invalid-challenge" } },
    });
  }
  const again = await client.callTool({ ...CALL, _meta: { [CREDENTIAL]: credential } });
  expect(again.structuredContent).toEqual({ content: "the goods" });
  expect(seen).toHaveLength(runs);
});

test("a malformed credential is an invalid parameter", async () => {
  const client = await connect();
  for (const credential of [
    "text",
    {},
    { challenge: { request: "e30" } },
    { challenge: { request: { a: "a".repeat(9000) } } },
  ]) {
    expect((await errorOf(client.callTool({ ...CALL, _meta: { [CREDENTIAL]: credential } }))).code).toBe(-32602);
  }
});
