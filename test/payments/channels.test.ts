/** The stock client pays from channels on a real chain, over each HTTP version, and the gateway claims when it stops. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { BatchSettlementEvmScheme } from "@x402/evm/batch-settlement/client";
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import { createPublicClient, http, type PublicClient } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { placeChannels } from "../../src/payments/testing/channels.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../src/payments/testing/chain.ts";
import { PAYER, PRIVATE_KEY } from "../../src/payments/testing/payment.ts";
import { decodeHeader } from "../../src/payments/x402/header.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { type Protocol, type ProtocolGateway, PROTOCOLS, startProtocols } from "../policy/protocols.ts";
import { serverAt } from "../support/gateway.ts";
import { addressOf, freshKey, type Market, openMarket, PRICE } from "./market.ts";

setDefaultTimeout(patient(60_000));

const gasKey = freshKey();
const payee = addressOf(freshKey());
let market: Market;
let gateway: ProtocolGateway;
let runs = 0;

const origin = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () => {
    runs += 1;
    return new Response(`goods ${runs}`);
  },
});

beforeAll(async () => {
  if (!hasChain) return;
  market = await openMarket();
  await placeChannels(market.chain);
  await market.chain.fund(addressOf(gasKey));
  const { network, rpcUrl } = market.chain;
  const { address: asset, name, version } = market.token;
  const terms = { price: String(PRICE), asset, network, pay_to: payee, extra_name: name, extra_version: version };
  const x402 = { ...terms, scheme: "batch-settlement" };
  gateway = await startProtocols(
    {
      x402: {
        enabled: true,
        embedded: { enabled: true },
        chains: [{ network, rpc_url_env: "TEST_RPC", poll_ms: 20, receipt_timeout_ms: 20_000 }],
        channels: { withdraw_delay_s: 900 },
      },
      upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
      routes: [{ path_prefix: "/goods", upstream: "origin", x402 }],
    },
    { TEST_RPC: rpcUrl, TURNPIKE_FACILITATOR_KEY: gasKey, TURNPIKE_CHANNEL_KEY: freshKey() },
  );
  // The price has an address that the facilitator reports after the start.
  await until(async () => (await over("HTTP/1.1")("https://localhost/goods")).status === 402, CHAIN_SETUP_MS);
}, CHAIN_SETUP_MS);

afterAll(async () => {
  await gateway?.stop();
  await origin.stop(true);
  await market?.chain.close();
});

/** Sends requests over one HTTP version. */
function over(protocol: Protocol): typeof fetch {
  const send = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const request = input instanceof Request ? input : new Request(String(input), init);
    const { pathname: path, search } = new URL(request.url);
    const asked = { method: request.method, path: path + search, headers: Object.fromEntries(request.headers) };
    const { status, headers, body } = await gateway.request(protocol, asked);
    return new Response(new Uint8Array(body), { status, headers: headers.map(([name, value]) => [name, value]) });
  };
  return Object.assign(send, { preconnect() {} });
}

test.skipIf(!hasChain)(
  "one client pays over all HTTP versions from one channel, and the stop claims the charges",
  async () => {
    const before = await market.token.balanceOf(PAYER);
    const reader: PublicClient = createPublicClient({ transport: http(market.chain.rpcUrl) });
    const signer = {
      ...privateKeyToAccount(PRIVATE_KEY),
      readContract: (call: Parameters<PublicClient["readContract"]>[0]) => reader.readContract(call),
    };
    const client = new BatchSettlementEvmScheme(signer);
    const schemes = [{ network: market.chain.network, client }];
    let bought = 0n;
    for (const protocol of PROTOCOLS) {
      const pay = wrapFetchWithPaymentFromConfig(over(protocol), { schemes, spendControls: false });
      for (let i = 0; i < 2; i++) {
        // oxlint-disable-next-line no-await-in-loop -- each voucher follows the one before
        const response = await pay(`https://localhost/goods?${protocol}${i}`);
        bought += PRICE;
        expect(response.status).toBe(200);
        expect(decodeHeader(response.headers.get("payment-response") ?? "")).toMatchObject({
          success: true,
          extra: { chargedAmount: String(PRICE), channelState: { chargedCumulativeAmount: String(bought) } },
        });
      }
    }
    expect(runs).toBe(2 * PROTOCOLS.length);
    expect(await market.token.balanceOf(payee)).toBe(0n);
    expect(await market.token.balanceOf(PAYER)).toBe(before - 10n * PRICE);
    await gateway.stop();
    expect(await market.token.balanceOf(payee)).toBe(bought);
  },
);
