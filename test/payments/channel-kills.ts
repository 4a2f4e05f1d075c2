/** Buys from channels through a gateway that is killed repeatedly, and compares responses, ledger and chain to the unit. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fractionsOf } from "../../src/lib/testing/mulberry32.ts";
import { Claimer } from "../../src/payments/channels/claimer.ts";
import { settleOrder } from "../../src/payments/channels/orders.ts";
import { readChannelSettings } from "../../src/payments/channels/settings.ts";
import { createEmbeddedFacilitator } from "../../src/payments/evm/embedded-facilitator.ts";
import { freshAccount, keyOf, type TestAccount } from "../../src/payments/evm/testing/shop.ts";
import { channelId } from "../../src/payments/signatures/batch-settlement.ts";
import {
  channelConfig,
  channelRequirements,
  placeChannels,
  signedDeposit,
  signedVoucher,
} from "../../src/payments/testing/channels.ts";
import { type ChannelConfig, type ChannelRequirements } from "../../src/payments/x402/channel-messages.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { type EvmNetwork, parseEvmNetwork } from "../../src/payments/x402/networks.ts";
import { channels as channelKeys } from "../../src/gateway/config/schema/x402-channels.ts";
import { machineTime } from "../../src/lib/time/machine-time.ts";
import { WORK_MS } from "../../src/store/channels.ts";
import { LEASE_MS } from "../../src/store/ledger.ts";
import { openStore } from "../../src/store/open/open-store.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { type Store } from "../../src/store/store.ts";
import { sharedPostgres, type SharedPostgres } from "../../src/store/testing/postgres.ts";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";
import { type Market, openMarket, PRICE } from "./market.ts";

export interface ChannelKillOptions {
  readonly channels: number;
  /** Payments of each channel. */
  readonly calls: number;
  readonly kills: number;
  readonly store: "sqlite" | "postgres";
  readonly seed: number;
  readonly progress?: (text: string) => void;
}

export interface ChannelKillOutcome {
  readonly payments: number;
  /** Payments that were interrupted and sent again. */
  readonly retried: number;
  /** Responses, charges and claims that do not agree, by channel. */
  readonly wrong: readonly string[];
}

/** Milliseconds between a gateway's start to listen and its kill, at most: less if the payments until the kill are made. */
const LONGEST_LIFE_MS = 20_000;
const RETRY_MS = 300;
/** Requests at the same time. Those that wait for the lease of a dead process are additional. */
const AT_ONCE = 16;
/** Time after which no payment is made, since the last one was made. */
const STALLED_MS = 8 * LEASE_MS;
/** Each deposit pays for this many requests. */
const REQUESTS = 5;
const DEPOSIT = PRICE * BigInt(REQUESTS);
const STORE_MS = 5000;
/** Rounds of claims. A node may fail to respond in one of them; what the chain refuses, it refuses in all. */
const MAX_ROUNDS = 3;
const KEYS = { withdraw_delay_s: 900, deposit_requests: REQUESTS, claim: { charges: 4, on_stop: false } } as const;

interface Buyer {
  readonly account: TestAccount;
  readonly config: ChannelConfig;
  readonly id: string;
  /** The sum of all requests that had their response. */
  paid: bigint;
  deposited: bigint;
  /** The header of the request that is under way. */
  header: string;
  count: number;
  problem: string;
}

/** Makes all payments, and kills the gateway `kills` times meanwhile. */
export async function buyThroughKills(options: ChannelKillOptions): Promise<ChannelKillOutcome> {
  const run = await ChannelKillRun.open(options);
  try {
    return await run.run();
  } finally {
    await run.close();
  }
}

class ChannelKillRun {
  readonly #options: ChannelKillOptions;
  readonly #market: Market;
  readonly #network: EvmNetwork;
  readonly #requirements: ChannelRequirements;
  readonly #folder = mkdtempSync(join(tmpdir(), "turnpike-channel-kills-"));
  readonly #gas = freshAccount();
  readonly #authorizer = freshAccount();
  readonly #seller = freshAccount();
  readonly #random: () => number;
  readonly #origin = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => new Response(goods(new URL(request.url).search)),
  });
  /** Channels whose next payment may be made. */
  readonly #ready: Buyer[] = [];
  readonly #insisting = new Set<Promise<void>>();
  #postgres: SharedPostgres | undefined;
  #user = "";
  #gateway: Gateway | undefined;
  #isSelling = true;
  /** Channels that have made all payments, or never will. */
  #finished = 0;
  #payments = 0;
  #paidAt = performance.now();
  #retried = 0;

  private constructor(options: ChannelKillOptions, market: Market, network: EvmNetwork) {
    this.#options = options;
    this.#market = market;
    this.#network = network;
    this.#random = fractionsOf(options.seed);
    const made = channelRequirements(market.token, network, {
      payTo: this.#seller.address,
      authorizer: this.#authorizer.address,
      amount: String(PRICE),
    });
    this.#requirements = { ...made, extra: { ...made.extra, minDeposit: String(DEPOSIT) } };
  }

  static async open(options: ChannelKillOptions): Promise<ChannelKillRun> {
    const market = await openMarket();
    const network = parseEvmNetwork(market.chain.network);
    if (network === undefined) throw new Error("not an EVM chain");
    await placeChannels(market.chain);
    const run = new ChannelKillRun(options, market, network);
    await market.chain.fund(run.#gas.address);
    if (options.store === "postgres") {
      run.#postgres = await sharedPostgres();
      run.#user = await run.#postgres.newUser();
    }
    return run;
  }

  async run(): Promise<ChannelKillOutcome> {
    const { channels, calls, kills, progress } = this.#options;
    const buyers: Buyer[] = [];
    for (let i = 0; i < channels; i++) buyers.push(await this.#newBuyer());
    this.#ready.push(...buyers);
    const buying = Array.from({ length: AT_ONCE }, () => this.#buy());
    for (let kill = 1; kill <= kills; kill++) {
      await this.#start();
      const enough = (channels * calls * (kill - this.#random())) / kills;
      const until = performance.now() + LONGEST_LIFE_MS * (0.5 + this.#random() / 2);
      while (this.#payments < enough && performance.now() < until) await Bun.sleep(1);
      const gateway = this.#gateway;
      this.#gateway = undefined;
      await gateway?.kill();
      if (kill % 10 === 0) progress?.(`${kill} of ${kills} kills, ${this.#payments} payments`);
    }
    await this.#start();
    this.#paidAt = performance.now();
    while (this.#finished < channels && performance.now() - this.#paidAt < STALLED_MS) await Bun.sleep(5);
    this.#isSelling = false;
    await Promise.all([...buying, ...this.#insisting]);
    await this.#gateway?.stop();
    this.#gateway = undefined;
    return { payments: this.#payments, retried: this.#retried, wrong: await this.#judge(buyers) };
  }

  async #newBuyer(): Promise<Buyer> {
    const account = freshAccount();
    await this.#market.token.mint(account.address, PRICE * BigInt(this.#options.calls + REQUESTS));
    const config = channelConfig(this.#requirements, account.address);
    const id = channelId(this.#network, config);
    return { account, config, id, paid: 0n, deposited: 0n, header: "", count: 0, problem: "" };
  }

  async #start(): Promise<void> {
    const { network, rpcUrl } = this.#market.chain;
    const { address: asset, name, version } = this.#market.token;
    const domain = { extra_name: name, extra_version: version };
    const url = this.#postgres?.url(this.#user);
    const terms = { price: String(PRICE), asset, network, pay_to: this.#seller.address, ...domain };
    this.#gateway = await startGateway(
      {
        state_path: this.#folder,
        ...(url === undefined ? {} : { postgres: { url } }),
        access_log: { enabled: false },
        x402: {
          enabled: true,
          embedded: { enabled: true },
          chains: [{ network, rpc_url_env: "TEST_RPC", poll_ms: 20, receipt_timeout_ms: 20_000 }],
          channels: KEYS,
        },
        upstreams: [{ name: "origin", servers: [serverAt(this.#origin.port ?? 0)] }],
        routes: [{ path_prefix: "/goods", upstream: "origin", x402: { ...terms, scheme: "batch-settlement" } }],
      },
      {
        TEST_RPC: rpcUrl,
        TURNPIKE_FACILITATOR_KEY: keyOf(this.#gas),
        TURNPIKE_CHANNEL_KEY: keyOf(this.#authorizer),
      },
    );
  }

  /** One payment after the other, each of another channel. Interrupted ones are repeated at the same time as the next. */
  async #buy(): Promise<void> {
    while (this.#isSelling) {
      const buyer = this.#gateway === undefined ? undefined : this.#ready.shift();
      if (buyer === undefined) {
        await Bun.sleep(5);
        continue;
      }
      buyer.header = await this.#payment(buyer);
      if (await this.#try(buyer)) this.#goOn(buyer);
      else {
        this.#retried += 1;
        const insisting = this.#insist(buyer).finally(() => this.#insisting.delete(insisting));
        this.#insisting.add(insisting);
      }
    }
  }

  /** Sends the same payment again, until it has its response. */
  async #insist(buyer: Buyer): Promise<void> {
    do {
      if (!this.#isSelling) {
        buyer.problem = "no response";
        return;
      }
      await Bun.sleep(RETRY_MS * (0.5 + this.#random()));
    } while (!(await this.#try(buyer)));
    this.#goOn(buyer);
  }

  #goOn(buyer: Buyer): void {
    if (buyer.problem === "" && buyer.count < this.#options.calls) this.#ready.push(buyer);
    else this.#finished += 1;
  }

  async #payment({ account, config, paid, deposited }: Buyer): Promise<string> {
    const most = paid + PRICE;
    const accepted = this.#requirements;
    if (most <= deposited) {
      const voucher = signedVoucher(this.#network, config, most, account);
      return encodeHeader({ x402Version: 2, accepted, payload: { type: "voucher", channelConfig: config, voucher } });
    }
    const now = (await this.#market.chain.time()) + 3600;
    const payload = signedDeposit(accepted, config, { amount: DEPOSIT, most, signer: account, now });
    return encodeHeader({ x402Version: 2, accepted, payload });
  }

  /** True: the request has its response, or never will have. */
  async #try(buyer: Buyer): Promise<boolean> {
    const port = this.#gateway?.port;
    if (port === undefined) return false;
    const search = `?${buyer.id}-${buyer.count}`;
    try {
      const headers = { "payment-signature": buyer.header };
      const response = await fetch(`http://127.0.0.1:${port}/goods${search}`, { headers });
      const body = await response.text();
      if (response.status === 200) {
        if (body !== goods(search)) buyer.problem = `other bytes: ${body.slice(0, 80)}`;
        if (buyer.deposited < buyer.paid + PRICE) buyer.deposited += DEPOSIT;
        buyer.paid += PRICE;
        buyer.count += 1;
        this.#payments += 1;
        this.#paidAt = performance.now();
        return true;
      }
      // The challenge is complete once the facilitator has listed its kinds.
      if (response.status >= 500 || response.headers.has("retry-after")) return false;
      buyer.problem = `${response.status} ${body.slice(0, 300)}`;
      return true;
    } catch {
      return false;
    }
  }

  /** Claims everything, and compares what was delivered with the ledger and the chain. */
  async #judge(buyers: readonly Buyer[]): Promise<readonly string[]> {
    const store = this.#openStore();
    await store.ready();
    const wrong = buyers.filter(({ problem }) => problem !== "").map(({ id, problem }) => `${id}: ${problem}`);
    try {
      await this.#claim(store);
      let total = 0n;
      for (const { id, paid, deposited } of buyers) {
        const row = await store.channels.find(id);
        const { charged = "0", claimed = "0", balance = "0", holder = "" } = row ?? {};
        const isRight = BigInt(charged) === paid && BigInt(claimed) === paid && BigInt(balance) === deposited;
        if (!isRight || holder !== "") {
          wrong.push(`${id}: ${paid} delivered, ${charged} charged, ${claimed} claimed of ${balance}, ${holder}`);
        }
        total += paid;
      }
      const received = await this.#market.token.balanceOf(this.#seller.address);
      if (received !== total) wrong.push(`${received} received of ${total}`);
    } finally {
      await store.close();
    }
    return wrong;
  }

  /** All leases of the processes that were killed are over. */
  #openStore(): Store {
    if (this.#postgres !== undefined) {
      return openPostgresStore(this.#postgres.settings({ user: this.#user }), () => Date.now() + WORK_MS);
    }
    return openStore(join(this.#folder, "turnpike.db"), Date.now, STORE_MS, () => machineTime() + WORK_MS);
  }

  async #claim(store: Store): Promise<void> {
    const { network, rpcUrl } = this.#market.chain;
    const facilitator = createEmbeddedFacilitator({
      signers: [{ type: "key", key: keyOf(this.#gas) }],
      max_pending: 256,
      chains: [
        {
          network: this.#network,
          rpc_url: rpcUrl,
          timeout_ms: 5000,
          poll_ms: 5,
          confirmations: 1,
          receipt_timeout_ms: 20_000,
          max_fee_per_gas: "5000000000",
          max_gas: 10_000_000,
        },
      ],
    });
    const environment = { KEY: keyOf(this.#authorizer) };
    const settings = readChannelSettings({ ...channelKeys.parse(KEYS), authorizer_key_env: "KEY" }, environment);
    const claimer = new Claimer({
      channels: store.channels,
      settings: () => ({ ...settings, keys: { ...settings.keys, settle_s: 0 } }),
      facilitator: () => facilitator.channels,
      onTrouble: () => {},
      onRisks: () => {},
      onClaimed: () => {},
      clock: () => Date.now(),
      log: (message) => this.#options.progress?.(`${network}: ${message}`),
    });
    // A busy node may not respond to each look of one round.
    for (let round = 0; round < MAX_ROUNDS && (await store.channels.demand(undefined)) > 0; round++)
      await claimer.round(true);
    // A gateway that was killed between its last claim and the transfer leaves the transfer to the next claim.
    const [last] = await store.channels.list(undefined, 1);
    if (last !== undefined) {
      const order = settleOrder(last);
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const settled = await facilitator.channels?.settle(order, { ...order.accepted });
        if (settled?.kind !== "unknown") break;
      }
    }
    await facilitator.close();
  }

  async close(): Promise<void> {
    this.#isSelling = false;
    await this.#gateway?.stop();
    await this.#origin.stop(true);
    await this.#market.chain.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function goods(search: string): string {
  return `goods for ${search} `.repeat(20);
}
