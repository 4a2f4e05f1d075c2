/** MCP after a failed settlement: the client gets no unpaid content. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { hexToBytes } from "@noble/hashes/utils.js";
import { McpHttp } from "../../src/content/mcp/mcp-http.ts";
import { paymentRequiredSchema } from "../../src/payments/x402/messages.ts";
import { choosePayment } from "../../src/payments/client/choice.ts";
import { signChoice } from "../../src/payments/client/sign-choice.ts";
import { PAYEE, PAYER, PRIVATE_KEY } from "../../src/payments/testing/payment.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";

const GOODS = "the goods that are sold";
const ACCOUNT = { address: PAYER, privateKey: hexToBytes(PRIVATE_KEY.slice(2)) };

let origin: Bun.Server<undefined>;
let facilitator: Bun.Server<undefined>;
let gateway: Gateway;
let service: McpHttp;
let front: Bun.Server<undefined>;
let client: Client;
/** The facilitator's response to a settlement, and the number of upstream requests. */
let settlement: () => Response;
let runs: number;

beforeAll(async () => {
  origin = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch() {
      runs += 1;
      return Response.json({ content: GOODS });
    },
  });
  facilitator = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/verify") return Response.json({ isValid: true, payer: PAYER });
      if (pathname === "/settle") return settlement();
      const kind = { x402Version: 2, scheme: "exact", network: "eip155:84532" };
      return Response.json({ kinds: [kind], extensions: [], signers: {} });
    },
  });
  gateway = await startGateway({
    server: { allowed_hosts: ["shop.example"] },
    x402: { enabled: true, facilitator_url: facilitator.url.href },
    upstreams: [{ name: "content", servers: [{ address: "127.0.0.1", port: origin.port }] }],
    routes: [
      {
        path_prefix: "/scrape",
        upstream: "content",
        x402: { price: "$0.01", asset: "USDC", network: "base-sepolia", pay_to: PAYEE },
      },
    ],
  });
  service = new McpHttp({
    gatewayUrl: `http://127.0.0.1:${gateway.port}`,
    hosts: ["shop.example"],
    prices: async () => undefined,
    log: () => undefined,
  });
  front = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => service.fetch(request) });
  client = new Client({ name: "agent", version: "1" });
  // The gateway sets this field to the name that the client uses. The called gateway serves no other host.
  const requestInit = { headers: { "x-forwarded-host": "shop.example" } };
  await client.connect(new StreamableHTTPClientTransport(front.url, { requestInit }));
});

afterAll(async () => {
  await client.close();
  await service.close();
  await Promise.all([front.stop(true), origin.stop(true), facilitator.stop(true), gateway.stop()]);
});

beforeEach(() => {
  runs = 0;
});

const CALL = { name: "scrape", arguments: { url: "https://example.com/" } };

async function payment() {
  const required = paymentRequiredSchema.parse((await client.callTool(CALL)).structuredContent);
  return signChoice(
    required,
    await choosePayment(required, { maxPrice: "$1" }),
    ACCOUNT,
    Math.floor(Date.now() / 1000) + 60,
  );
}

test("a refused settlement withholds the content, and the receipt reports the refusal", async () => {
  settlement = () => Response.json({ success: false, errorReason: "insufficient_funds", transaction: "", network: "" });
  const result = await client.callTool({ ...CALL, _meta: { "x402/payment": await payment() } });
  const { isError, _meta: meta } = result;
  expect([isError, runs]).toEqual([true, 1]);
  expect(meta?.["x402/payment-response"]).toMatchObject({ success: false, network: "eip155:84532" });
  expect(JSON.stringify(result)).not.toContain(GOODS);
});

test("while the result is unknown there is neither content nor a new price, and the same payment gets its response", async () => {
  settlement = () => new Response("", { status: 500 });
  const meta = { "x402/payment": await payment() };
  const open = await client.callTool({ ...CALL, _meta: meta });
  expect([open.isError, open.structuredContent]).toEqual([true, undefined]);
  expect(JSON.stringify(open)).toContain("Send the same payment again");
  expect(JSON.stringify(open)).not.toContain(GOODS);
  const transaction = `0x${"ab".repeat(32)}`;
  settlement = () => Response.json({ success: true, transaction, network: "eip155:84532", payer: PAYER });
  const { structuredContent, _meta: receipt } = await client.callTool({ ...CALL, _meta: meta });
  expect(structuredContent).toEqual({ content: GOODS });
  expect(receipt?.["x402/payment-response"]).toMatchObject({ success: true, transaction });
});
