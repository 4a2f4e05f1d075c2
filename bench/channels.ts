/** The cost of requests that are paid by vouchers from channels, compared with free ones. */
import { parseArgs } from "node:util";
import { freshAccount, keyOf, type TestAccount } from "../src/payments/evm/testing/shop.ts";
import { startChain } from "../src/payments/testing/chain.ts";
import {
  channelConfig,
  channelRequirements,
  placeChannels,
  signedDeposit,
  signedVoucher,
} from "../src/payments/testing/channels.ts";
import { type ChannelRequirements } from "../src/payments/x402/channel-messages.ts";
import { encodeHeader } from "../src/payments/x402/header.ts";
import { type EvmNetwork, parseEvmNetwork } from "../src/payments/x402/networks.ts";
import { recoverSigner } from "../src/payments/signatures/recover-signer.ts";
import { voucherHash } from "../src/payments/signatures/batch-settlement.ts";
import { startGateway } from "../test/support/gateway.ts";
import { cpuSeconds } from "./support/children.ts";
import { originUpstream } from "./support/programs.ts";

const PRICE = 1000n;
const GOALS = { ratio: 1.3, perCpuSecond: 1500, addedP99Ms: 5 } as const;

/** The payment of each request of a client; empty: it is free. */
type Lane = readonly string[];

/** Opens a channel, and signs its next vouchers. */
async function openLane(
  url: string,
  {
    requirements,
    network,
    payer,
    vouchers,
    now,
  }: {
    readonly requirements: ChannelRequirements;
    readonly network: EvmNetwork;
    readonly payer: TestAccount;
    readonly vouchers: number;
    readonly now: number;
  },
): Promise<Lane> {
  const config = channelConfig(requirements, payer.address);
  const amount = PRICE * BigInt(vouchers + 1);
  const payload = signedDeposit(requirements, config, { amount, most: PRICE, signer: payer, now });
  const first = { "payment-signature": encodeHeader({ x402Version: 2, accepted: requirements, payload }) };
  const response = await fetch(`${url}/paid`, { headers: first });
  if (response.status !== 200) throw new Error(`Cannot open a channel: ${response.status} ${await response.text()}`);
  return Array.from({ length: vouchers }, (_, i) => {
    const voucher = signedVoucher(network, config, PRICE * BigInt(i + 2), payer);
    const next = { type: "voucher", channelConfig: config, voucher };
    return encodeHeader({ x402Version: 2, accepted: requirements, payload: next });
  });
}

/**
 * Sends the requests of all lanes at once, those of a lane one after the other, each with a path of its own. `paceMs`: of the
 * requests of one lane; 0: each after the one before. CPU-ms each, and latencies.
 */
async function drive(pid: number, url: string, lanes: readonly Lane[], paceMs = 0) {
  const took: number[] = [];
  const [before, start] = [cpuSeconds(pid), performance.now()];
  await Promise.all(
    lanes.map(async (headers, lane) => {
      for (const [i, header] of headers.entries()) {
        const due = start + (i + lane / lanes.length) * paceMs - performance.now();
        if (paceMs > 0 && due > 0) await Bun.sleep(due);
        const begun = performance.now();
        const fields: Record<string, string> = header === "" ? {} : { "payment-signature": header };
        const response = await fetch(`${url}?of=${lane}-${i}`, { headers: fields });
        await response.arrayBuffer();
        if (response.status !== 200) throw new Error(`Cannot measure ${url}: it responded with ${response.status}`);
        took.push(performance.now() - begun);
      }
    }),
  );
  const cpuMs = ((cpuSeconds(pid) - before) / took.length) * 1000;
  const sorted = took.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor(took.length * part)] ?? Number.NaN;
  return { cpuMs, p50: at(0.5), p99: at(0.99) };
}

/** CPU milliseconds of the check of one voucher's signature. */
function signatureMs(requirements: ChannelRequirements, network: EvmNetwork): number {
  const payer = freshAccount();
  const { channelId, signature } = signedVoucher(network, channelConfig(requirements, payer.address), PRICE, payer);
  const before = process.cpuUsage();
  for (let i = 0; i < 1000; i++) recoverSigner(voucherHash(network, channelId, String(PRICE)), signature);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000_000;
}

/**
 * `npm run bench -- channels [--channels N] [--vouchers N] [--rate N]`; exit code 1 if a goal is missed. The CPU time is that of a
 * full load, the latency that of `rate` requests a second.
 */
export async function runChannelsBench(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      channels: { type: "string", default: "64" },
      vouchers: { type: "string", default: "200" },
      rate: { type: "string", default: "200" },
    },
  });
  const [channels, vouchers, rate] = [Number(values.channels), Number(values.vouchers), Number(values.rate)];
  const chain = await startChain();
  const origin = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ goods: true }) });
  const [gas, authorizer, seller] = [freshAccount(), freshAccount(), freshAccount()];
  const network = parseEvmNetwork(chain.network);
  if (network === undefined) throw new Error("the chain is not an EVM chain");
  const token = await chain.deployToken();
  await placeChannels(chain);
  await chain.fund(gas.address);
  const domain = { extra_name: token.name, extra_version: token.version };
  const terms = { price: String(PRICE), asset: token.address, network, pay_to: seller.address, ...domain };
  const gateway = await startGateway(
    {
      access_log: { enabled: false },
      x402: {
        enabled: true,
        embedded: { enabled: true },
        chains: [{ network, rpc_url_env: "BENCH_RPC", poll_ms: 20 }],
        channels: { withdraw_delay_s: 900, claim: { charges: 1_000_000, on_stop: false } },
      },
      upstreams: [originUpstream(origin.port, channels)],
      routes: [
        { path_prefix: "/", upstream: "origin" },
        { path_prefix: "/paid", upstream: "origin", x402: { ...terms, scheme: "batch-settlement" } },
      ],
    },
    { BENCH_RPC: chain.rpcUrl, TURNPIKE_FACILITATOR_KEY: keyOf(gas), TURNPIKE_CHANNEL_KEY: keyOf(authorizer) },
  );
  try {
    const url = `http://127.0.0.1:${gateway.port}`;
    const amount = String(PRICE);
    const made = channelRequirements(token, network, { payTo: seller.address, authorizer: authorizer.address, amount });
    const requirements = { ...made, extra: { ...made.extra, minDeposit: String(PRICE * 10n) } };
    const lanes: Lane[] = [];
    for (let i = 0; i < channels; i++) {
      const payer = freshAccount();
      await token.mint(payer.address, PRICE * BigInt(vouchers + 1));
      lanes.push(await openLane(url, { requirements, network, payer, vouchers, now: await chain.time() }));
    }
    const [warm, loaded] = [Math.floor(vouchers / 4), Math.floor((vouchers * 3) / 4)];
    const paceMs = (channels * 1000) / rate;
    const freeLanes = (count: number): Lane[] => lanes.map(() => Array.from({ length: count }, () => ""));
    const sell = (from: number, to: number, ms = 0) =>
      drive(
        gateway.pid,
        `${url}/paid`,
        lanes.map((lane) => lane.slice(from, to)),
        ms,
      );
    const give = (count: number, ms = 0) => drive(gateway.pid, `${url}/`, freeLanes(count), ms);
    await give(warm);
    await sell(0, warm);
    const free = await give(loaded - warm);
    const paid = await sell(warm, loaded);
    const freePaced = await give(vouchers - loaded, paceMs);
    const paidPaced = await sell(loaded, vouchers, paceMs);
    const signature = signatureMs(requirements, network);
    const [ratio, perSecond, added] = [
      (paid.cpuMs - signature) / free.cpuMs,
      1000 / paid.cpuMs,
      paidPaced.p99 - freePaced.p99,
    ];
    const latency = ({ p50, p99 }: typeof paid): string => `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
    console.log(
      `a voucher: ${paid.cpuMs.toFixed(3)} CPU-ms of the gateway, of which ${signature.toFixed(3)} check the signature; a free request: ` +
        `${free.cpuMs.toFixed(3)}: ratio without the check ${ratio.toFixed(2)}, goal ${GOALS.ratio}\n` +
        `${perSecond.toFixed(0)} paid requests per CPU-second, goal ${GOALS.perCpuSecond}; ${channels} at once: ${latency(paid)}, free: ${latency(free)}\n` +
        `${rate} requests a second: ${latency(paidPaced)}, free: ${latency(freePaced)}; p99 ${added.toFixed(1)} ms more, goal ${GOALS.addedP99Ms}`,
    );
    return ratio > GOALS.ratio || perSecond < GOALS.perCpuSecond || added > GOALS.addedP99Ms ? 1 : 0;
  } finally {
    await gateway.kill();
    await origin.stop(true);
    await chain.close();
  }
}
