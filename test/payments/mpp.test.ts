/** The stock client of the Machine Payments Protocol buys on a real chain, over each HTTP version. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { hexToBytes } from "@noble/hashes/utils.js";
import { evm, Mppx } from "mppx/client";
import { charge } from "mppx/evm/server";
import { Mppx as Server } from "mppx/server";
import { privateKeyToAccount } from "viem/accounts";
import { payAndFetch } from "../../src/payments/client/client.ts";
import { transferCall } from "../../src/payments/evm/eip3009/calls.ts";
import { type Authorization } from "../../src/payments/signatures/typed-data.ts";
import { type Hex } from "../../src/payments/x402/address.ts";
import { decodeJson } from "../../src/payments/mpp/canonical-json.ts";
import { PAYER, PRIVATE_KEY } from "../../src/payments/testing/payment.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../src/payments/testing/chain.ts";
import { chainId } from "../../src/payments/x402/networks.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { type Protocol, type ProtocolGateway, PROTOCOLS, startProtocols } from "../policy/protocols.ts";
import { serverAt } from "../support/gateway.ts";
import { addressOf, freshKey, type Market, openMarket, PRICE } from "./market.ts";

setDefaultTimeout(patient(60_000));

const gasKey = freshKey();
const payee = addressOf(freshKey());
let market: Market;
let gateway: ProtocolGateway;
/** The requests that the upstream got. */
const served: Request[] = [];
/** The credentials that were sent. */
const credentials: string[] = [];

const origin = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: async (request) => {
    served.push(request);
    return new Response(`the goods for ${await request.text()}`);
  },
});

beforeAll(async () => {
  if (!hasChain) return;
  market = await openMarket();
  await market.chain.fund(addressOf(gasKey));
  const { network, rpcUrl } = market.chain;
  const { address: asset, name, version } = market.token;
  const terms = { price: String(PRICE), asset, network, pay_to: payee, extra_name: name, extra_version: version };
  gateway = await startProtocols(
    {
      // One challenges, and the other can get the credential.
      server: { workers: 2 },
      x402: {
        enabled: true,
        mpp: {},
        embedded: { enabled: true },
        chains: [{ network, rpc_url_env: "TEST_RPC", poll_ms: 20, receipt_timeout_ms: 20_000 }],
      },
      upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
      routes: [
        { path_prefix: "/goods", upstream: "origin", x402: terms },
        { path_prefix: "/first", upstream: "origin", x402: { ...terms, settle: "before" } },
        { path_prefix: "/free", upstream: "origin" },
      ],
    },
    { TEST_RPC: rpcUrl, TURNPIKE_FACILITATOR_KEY: gasKey },
  );
}, CHAIN_SETUP_MS);

afterAll(async () => {
  await gateway?.stop();
  await origin.stop(true);
  await market?.chain.close();
});

type Send = (url: string, init: RequestInit) => Promise<Response>;

/** Sends requests over one HTTP version. */
function over(protocol: Protocol): Send {
  return async (url, init) => {
    const headers = Object.fromEntries(new Headers(init.headers));
    const { pathname: path, search } = new URL(url);
    const { method = "GET", body } = init;
    const asked = { method, path: path + search, headers, ...(typeof body === "string" ? { body } : {}) };
    const { status, headers: pairs, body: bytes } = await gateway.request(protocol, asked);
    return new Response(new Uint8Array(bytes), { status, headers: pairs.map(([name, value]) => [name, value]) });
  };
}

/** The stock client, which uses `send` in place of the network. */
function paying(send: Send) {
  const { name, version } = market.token;
  const account = privateKeyToAccount(PRIVATE_KEY);
  const watched = (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const credential = new Headers(init.headers).get("authorization");
    if (credential !== null) credentials.push(credential);
    return send(input instanceof Request ? input.url : String(input), init);
  };
  return Mppx.create({
    methods: [evm.charge({ account, authorization: { name, version } })],
    fetch: Object.assign(watched, { preconnect() {} }),
    polyfill: false,
  }).fetch;
}

function receiptOf(response: Response): unknown {
  return decodeJson(response.headers.get("payment-receipt") ?? "");
}

for (const protocol of PROTOCOLS) {
  test.skipIf(!hasChain)(`the stock client pays over ${protocol}`, async () => {
    const before = [await market.token.balanceOf(payee), await market.token.balanceOf(PAYER)] as const;
    for (const path of ["/goods", "/first"]) {
      const response = await paying(over(protocol))(`https://localhost${path}`, { method: "POST", body: "an order" });
      expect([response.status, await response.text()]).toEqual([200, "the goods for an order"]);
      expect(response.headers.get("cache-control")).toContain("private");
      expect(receiptOf(response)).toMatchObject({
        status: "success",
        method: "evm",
        chainId: Number(chainId(market.chain.network)),
        challengeId: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        reference: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      });
      const seen = served.at(-1)?.headers;
      expect([seen?.get("authorization"), seen?.get("turnpike-payer")]).toEqual([null, PAYER.toLowerCase()]);
    }
    expect(await market.token.balanceOf(payee)).toBe(before[0] + 2n * PRICE);
    expect(await market.token.balanceOf(PAYER)).toBe(before[1] - 2n * PRICE);
  });

  test.skipIf(!hasChain)(`a credential that is sent often at once over ${protocol} pays once`, async () => {
    const before = await market.token.balanceOf(payee);
    await paying(over(protocol))("https://localhost/goods?first");
    const authorization = credentials.at(-1) ?? "";
    const runs = served.length;
    const send = over(protocol);
    const replies = await Promise.all(
      [1, 2, 3].map(() => send("https://localhost/goods?first", { headers: { authorization } })),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    const other = await send("https://localhost/goods?second", { headers: { authorization } });
    expect([other.status, other.headers.get("payment-receipt")]).toEqual([402, null]);
    const free = await send("https://localhost/free", { headers: { authorization } });
    expect([free.status, served.at(-1)?.headers.get("authorization")]).toEqual([200, null]);
    expect(served).toHaveLength(runs + 1);
    expect(await market.token.balanceOf(payee)).toBe(before + PRICE);
  });
}

test.skipIf(!hasChain)("the stock client pays without TLS on one machine", async () => {
  const response = await paying(fetch)(`http://127.0.0.1:${gateway.plainPort}/goods`);
  expect([response.status, receiptOf(response)]).toMatchObject([200, { status: "success" }]);
});

test.skipIf(!hasChain)("the payer of Turnpike pays a server of the stock package", async () => {
  const { address: currency, name, version } = market.token;
  const { network } = market.chain;
  const seller = addressOf(freshKey());
  const shop = Server.create({
    secretKey: "a secret of the test, 32 bytes long",
    realm: "shop.example",
    methods: [
      charge({
        currency,
        recipient: seller,
        chainId: Number(chainId(network)),
        decimals: 6,
        authorization: { name, version },
        // The package types hex as text.
        settle: async ({ payload: { signature, ...authorization } }) => {
          const data = transferCall(authorization as Authorization, signature as Hex);
          return { reference: await market.chain.send({ to: currency, data }) };
        },
      }),
    ],
  });
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const sale = await shop.charge({ amount: "0.01" })(request);
      return sale.status === 402 ? sale.challenge : sale.withReceipt(new Response("the goods"));
    },
  });
  try {
    const asset = { network, address: currency, symbol: "TEST", name, version, decimals: 6 };
    const paid = await payAndFetch(
      server.url.href,
      { method: "POST", body: "an order" },
      {
        account: () => ({ address: PAYER, privateKey: hexToBytes(PRIVATE_KEY.slice(2)) }),
        maxPrice: "$1",
        assets: [asset],
      },
    );
    expect([paid.response.status, await paid.response.text()]).toEqual([200, "the goods"]);
    expect(paid.receipt).toMatchObject({ success: true, network });
    expect(await market.token.balanceOf(seller)).toBe(PRICE);
  } finally {
    await server.stop(true);
  }
});

test.skipIf(!hasChain)("no output of the gateway has a credential", () => {
  expect(credentials.length).toBeGreaterThan(0);
  for (const credential of credentials) expect(gateway.program.output).not.toContain(credential.slice(8, 60));
});
