/** A browser by the minute of a fleet, which its client pays from a channel: each further minute is one voucher. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { withBrowser } from "../../src/content/testing/state-folder.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { Channels } from "../../src/payments/client/channels/channels.ts";
import { payerFrom } from "../../src/payments/client/channels/pay-from-channel.ts";
import { payAndFetch } from "../../src/payments/client/client.ts";
import { freshAccount } from "../../src/payments/evm/testing/shop.ts";
import { placeChannels } from "../../src/payments/testing/channels.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../src/payments/testing/chain.ts";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";
import { Folder, Program } from "../support/program.ts";
import { addressOf, freshKey, type Market, openMarket } from "./market.ts";

setDefaultTimeout(patient(60_000));

/** Atomic units of a minute, and the most that a browser may be paid ahead. */
const MINUTE = 1_000n;
const MAX_MINUTES = 4;

const gasKey = freshKey();
const payee = addressOf(freshKey());
const folder = new Folder();
let market: Market;
const services: Program[] = [];
let gateway: Gateway;

/** Starts a content service that sells one browser, and resolves with its port. */
async function serve(name: string): Promise<number> {
  const browsers = JSON.stringify({ enabled: true, max: 1, max_minutes: MAX_MINUTES });
  const flags = ["--port", "0", "--state-dir", withBrowser(folder.file(name)), "--allow-private"];
  const service = new Program(["content", ...flags, "--browsers", browsers]);
  services.push(service);
  return Number((await service.sees(/listening on http:\/\/\S+?:(\d+)/))[1]);
}

beforeAll(async () => {
  if (!hasChain) return;
  market = await openMarket();
  await placeChannels(market.chain);
  await market.chain.fund(addressOf(gasKey));
  const ports = await Promise.all(["one", "two"].map(serve));
  const { network, rpcUrl } = market.chain;
  const { address: asset, name, version } = market.token;
  const terms = { price: String(MINUTE), asset, network, pay_to: payee, extra_name: name, extra_version: version };
  const rules = [
    { match: { methods: ["GET", "DELETE"] }, free: true },
    { unit_price: { price: String(MINUTE), count: "/minutes" } },
  ];
  gateway = await startGateway(
    {
      x402: {
        enabled: true,
        embedded: { enabled: true },
        chains: [{ network, rpc_url_env: "TEST_RPC", poll_ms: 20, receipt_timeout_ms: 20_000 }],
        channels: { withdraw_delay_s: 900 },
      },
      // Each browser lives in one of the services.
      upstreams: [{ name: "content", load_balancer: "ip_hash", servers: ports.map((port) => serverAt(port)) }],
      routes: [
        {
          path_prefix: "/browsers",
          upstream: "content",
          x402: { ...terms, scheme: "batch-settlement", settle: "before", rules },
        },
        { path_prefix: "/", upstream: "content" },
      ],
    },
    { TEST_RPC: rpcUrl, TURNPIKE_FACILITATOR_KEY: gasKey, TURNPIKE_CHANNEL_KEY: freshKey() },
  );
}, CHAIN_SETUP_MS);

afterAll(async () => {
  await gateway?.stop();
  await Promise.all(services.map((service) => service.stop()));
  await market?.chain.close();
  folder.remove();
});

interface Sold {
  readonly id: string;
  readonly token: string;
  readonly connect: string;
  readonly expires_at: string;
}

/** Calls the browser by its WebSocket, which is free, and resolves with the response. */
async function controlled({ connect }: Sold): Promise<{ call: () => Promise<unknown>; closed: Promise<unknown> }> {
  const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}${connect}`);
  const closed = new Promise((resolve) => socket.addEventListener("close", resolve));
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("close", ({ code }) => reject(new Error(`the WebSocket was closed with ${code}`)));
  });
  let id = 0;
  const call = async (): Promise<unknown> => {
    const responded = new Promise((resolve) => socket.addEventListener("message", resolve, { once: true }));
    socket.send(JSON.stringify({ id: (id += 1), method: "Browser.getVersion" }));
    return await responded;
  };
  return { call, closed };
}

test.skipIf(!hasChain)("each further minute of a browser is paid by a voucher, while its client stays", async () => {
  const account = freshAccount();
  await market.token.mint(account.address, 1_000_000n);
  const wallet = mkdtempSync(join(tmpdir(), "turnpike-minutes-"));
  const channels = new Channels(wallet, { maxDeposit: "$0.1" });
  const { address, name, version } = market.token;
  const asset = { network: market.chain.network, symbol: "T", decimals: 6, address, name, version } as const;
  const options = { account: () => account, maxPrice: "$0.01", assets: [asset], channels: payerFrom(channels) };
  const url = `http://127.0.0.1:${gateway.port}/browsers`;
  const buy = async (body: object): Promise<{ status: number; sold: Sold }> => {
    const headers = { "content-type": "application/json" };
    const { response } = await payAndFetch(url, { method: "POST", headers, body: JSON.stringify(body) }, options);
    // As described in the API.
    return { status: response.status, sold: (await response.json()) as Sold };
  };
  const first = await buy({ minutes: 1 });
  expect(first.status).toBe(201);
  const { sold } = first;
  const client = await controlled(sold);
  const deposited = await market.token.balanceOf(account.address);
  const ends = Date.parse(sold.expires_at);
  for (const minutes of [1, 2]) {
    // oxlint-disable-next-line no-await-in-loop -- each voucher follows the one before
    const further = await buy({ minutes: 1, browser: sold.id, token: sold.token });
    expect([further.status, Date.parse(further.sold.expires_at) - ends]).toEqual([201, minutes * 60_000]);
    // oxlint-disable-next-line no-await-in-loop -- as above
    expect(await client.call()).toBeInstanceOf(MessageEvent);
  }
  // Vouchers move nothing on the chain. Refused minutes are free.
  expect((await buy({ minutes: 2, browser: sold.id, token: sold.token })).status).toBe(400);
  expect((await buy({ minutes: 1, browser: sold.id, token: "x" })).status).toBe(404);
  expect(await market.token.balanceOf(account.address)).toBe(deposited);
  const about = { method: "DELETE", headers: { "x-browser-token": sold.token } };
  expect((await fetch(`${url}/${sold.id}`, about)).status).toBe(200);
  await client.closed;
  expect((await buy({ minutes: 1, browser: sold.id, token: sold.token })).status).toBe(404);
  expect(await market.token.balanceOf(payee)).toBe(0n);
  await gateway.stop();
  expect(await market.token.balanceOf(payee)).toBe(3n * MINUTE);
  rmSync(wallet, { recursive: true });
});
