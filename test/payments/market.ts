/** A real chain, gateways that sell on it, and hooks on the connections between them. */
import { until } from "../../src/lib/testing/until.ts";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hexToBytes } from "@noble/hashes/utils.js";
import { z } from "zod";
import { type Address, type Hex } from "../../src/payments/x402/address.ts";
import { checksumAddress } from "../../src/payments/x402/address-hash.ts";
import { decodeHeader, encodeHeader } from "../../src/payments/x402/header.ts";
import {
  type Eip3009Payment,
  type PaymentPayload,
  paymentRequiredSchema,
  type PaymentRequired,
} from "../../src/payments/x402/messages.ts";
import { addressOfPrivateKey, signHash } from "../../src/payments/signatures/signature.ts";
import { type Chain, startChain, type TestToken } from "../../src/payments/testing/chain.ts";
import { PAYER, PRIVATE_KEY } from "../../src/payments/testing/payment.ts";
import { type Authorization, authorizationHash } from "../../src/payments/signatures/typed-data.ts";
import { LEASE_MS } from "../../src/store/ledger.ts";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";

/** The topic of `Transfer(address,address,uint256)`. */
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

export const PRICE = 10_000n;

/** A hook of a test for a call: it responds, lets the call pass, or never responds. */
export type Hand = (call: {
  readonly methods: readonly string[];
  readonly forward: () => Promise<Response>;
}) => Promise<Response>;

const rpcCall = z.object({ method: z.string() });
const rpcBody = z.union([rpcCall, z.array(rpcCall)]);

/** A promise that never resolves. */
export function never<T>(): Promise<T> {
  return new Promise(() => {});
}

export function freshKey(): Hex {
  return `0x${randomBytes(32).toString("hex")}`;
}

export function addressOf(key: Hex): Address {
  return checksumAddress(addressOfPrivateKey(hexToBytes(key.slice(2))));
}

/** The chain that all of a file's gateways share. */
export interface Market {
  readonly chain: Chain;
  readonly token: TestToken;
}

/** Starts a chain with a token, of which the payer has enough. */
export async function openMarket(): Promise<Market> {
  const chain = await startChain();
  const token = await chain.deployToken();
  await token.mint(PAYER, 1_000_000_000n);
  return { chain, token };
}

/** Parts of the whole configuration. `$TEST_PAYEE_KEY` has the key of the payee. */
export interface StallOptions {
  readonly x402?: object;
  readonly server?: object;
  readonly [key: string]: unknown;
}

/** A gateway process with its own embedded facilitator, upstream and payee. */
export class Stall {
  readonly #market: Market;
  readonly #key = freshKey();
  readonly #approvalKey = freshKey();
  readonly state = mkdtempSync(join(tmpdir(), "turnpike-stall-"));
  readonly #rpc: Bun.Server<undefined>;
  readonly #origin: Bun.Server<undefined>;
  readonly #x402: object;
  readonly #more: StallOptions;
  /** Further parts of `x402`, beside those of the constructor. */
  more: object = {};
  #gateway: Gateway | undefined;
  #payeeKey = freshKey();
  runs = 0;
  /** The hook on the connection to the chain's node. */
  rpcHand: Hand | undefined;
  /** The upstream's response. */
  sell: (request: Request) => Response | Promise<Response> = () => new Response("the goods");

  /** `x402` are terms of the route. */
  constructor(market: Market, x402: object = {}, more: StallOptions = {}) {
    this.#market = market;
    this.#x402 = x402;
    this.#more = more;
    this.#rpc = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 255,
      fetch: async (request) => {
        const body = await request.text();
        const parsed = rpcBody.parse(JSON.parse(body));
        const methods = [parsed].flat().map(({ method }) => method);
        const forward = () =>
          fetch(market.chain.rpcUrl, { method: "POST", body, headers: { "content-type": "application/json" } });
        return this.rpcHand === undefined ? forward() : this.rpcHand({ methods, forward });
      },
    });
    this.#origin = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 255,
      fetch: (request) => {
        this.runs += 1;
        return this.sell(request);
      },
    });
  }

  async open(): Promise<void> {
    const { chain, token } = this.#market;
    const { x402, ...more } = this.#more;
    await chain.fund(addressOf(this.#key));
    this.#gateway = await startGateway(
      {
        state_path: this.state,
        x402: {
          enabled: true,
          embedded: { enabled: true },
          chains: [{ network: chain.network, rpc_url_env: "TEST_RPC", poll_ms: 20, receipt_timeout_ms: 20_000 }],
          ...x402,
          ...this.more,
        },
        ...more,
        upstreams: [{ name: "origin", servers: [serverAt(this.#origin.port ?? 0)] }],
        routes: [
          {
            path_prefix: "/goods",
            upstream: "origin",
            x402: {
              price: String(PRICE),
              asset: token.address,
              network: chain.network,
              pay_to: this.payee,
              extra_name: token.name,
              extra_version: token.version,
              max_timeout_seconds: 300,
              // The port changes with every process.
              resource_url: "https://stall.example/goods",
              ...this.#x402,
            },
          },
        ],
      },
      {
        TEST_RPC: this.#rpc.url.href,
        TURNPIKE_FACILITATOR_KEY: this.#key,
        TEST_APPROVAL_KEY: this.#approvalKey,
        TEST_PAYEE_KEY: this.#payeeKey,
      },
    );
  }

  /** Kills the gateway without a warning, like a power failure, and removes the hook to the chain's node. */
  async crash(): Promise<void> {
    await this.#gateway?.kill();
    this.#gateway = undefined;
    this.rpcHand = undefined;
  }

  /** The address that receives payments. */
  get payee(): Address {
    return addressOf(this.#payeeKey);
  }

  /** Another gateway of the same seller, with a facilitator key of its own. */
  sameSellerAs(other: Stall): void {
    this.#payeeKey = other.#payeeKey;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#gateway?.port}/goods`;
  }

  /** The output of the gateway. */
  get output(): string {
    return this.#gateway?.output() ?? "";
  }

  balance(): Promise<bigint> {
    return this.#market.token.balanceOf(this.payee);
  }

  /** The sum of transfers from the seller to the payer, whose balance changes by other stalls too. */
  async sentBack(): Promise<bigint> {
    const { chain, token } = this.#market;
    const [from, to] = [this.payee, PAYER].map((address) => `0x${address.slice(2).toLowerCase().padStart(64, "0")}`);
    const filter = { address: token.address, fromBlock: "0x0", topics: [TRANSFER, from, to] };
    const logs = z.array(z.looseObject({ data: z.string() })).parse(await chain.rpc("eth_getLogs", [filter]));
    return logs.reduce((sum, { data }) => sum + BigInt(data), 0n);
  }

  async challenge(): Promise<PaymentRequired> {
    let header: string | null = null;
    // Until the gateway knows what its facilitator supports, it sells nothing.
    await until(async () => {
      const response = await fetch(this.url);
      header = response.headers.get("payment-required");
      return header !== null;
    });
    return paymentRequiredSchema.parse(decodeHeader(header ?? ""));
  }

  /** The gateway's own account, which pays for gas. */
  get facilitator(): Address {
    return addressOf(this.#key);
  }

  /** The account of `$TEST_APPROVAL_KEY`. */
  get lender(): Address {
    return addressOf(this.#approvalKey);
  }

  /** Signs a payment for the challenge, without sending it. */
  async sign(asked?: PaymentRequired): Promise<Eip3009Payment> {
    const { chain, token } = this.#market;
    const required = asked ?? (await this.challenge());
    const [accepted] = required.accepts;
    if (accepted === undefined) throw new Error("Cannot pay: nothing is accepted");
    const authorization: Authorization = {
      from: PAYER,
      to: this.payee,
      value: accepted.amount,
      validAfter: "0",
      validBefore: String((await chain.time()) + 290),
      nonce: freshKey(),
    };
    const domain = { name: token.name, version: token.version, network: chain.network, asset: token.address };
    const signature = signHash(authorizationHash(domain, authorization), hexToBytes(PRIVATE_KEY.slice(2)));
    return { x402Version: 2, resource: required.resource, accepted, payload: { signature, authorization } };
  }

  async close(): Promise<void> {
    await this.#gateway?.stop();
    await this.#origin.stop(true);
    await this.#rpc.stop(true);
    rmSync(this.state, { recursive: true, force: true });
  }
}

/** A payment of x402, or the fields of another one. */
export type Paying = PaymentPayload | { readonly authorization: string };

export function fieldsOf(payment: Paying): Record<string, string> {
  if ("authorization" in payment) return { authorization: String(payment.authorization) };
  return { "payment-signature": encodeHeader(payment) };
}

export function send(stall: Stall, payment: Paying): Promise<Response> {
  return fetch(stall.url, { headers: fieldsOf(payment) });
}

/** Milliseconds: longer than a lease that is not released. */
const RETRY_MS = 4 * LEASE_MS;

/** Behaves like a good client: sends the same payment as long as the response asks for a retry. */
export async function insist(stall: Stall, payment: Paying): Promise<Response> {
  const end = performance.now() + RETRY_MS;
  for (;;) {
    const response = await send(stall, payment);
    const isOpen = (response.status === 409 || response.status === 503) && response.headers.has("retry-after");
    if (!isOpen || performance.now() > end) return response;
    await response.body?.cancel();
    await Bun.sleep(200);
  }
}
