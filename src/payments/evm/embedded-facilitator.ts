import { GAS_APPROVAL } from "../signatures/gas-approval.ts";
import { GAS_PERMIT } from "../signatures/gas-permit.ts";
import { type Address } from "../x402/address.ts";
import { BATCH_SETTLEMENT } from "../x402/channel-messages.ts";
import { type Facilitator, type Settlement, type Verification, type Kind } from "../x402/facilitator.ts";
import { UnsupportedError } from "../x402/kinds.ts";
import { type PaymentPayload, type PaymentRequirements } from "../x402/messages.ts";
import { payerIn, paymentKey } from "../x402/payment-key.ts";
import { createBatchFacilitator } from "./batch/batch-facilitator.ts";
import { channelsCheck } from "./batch/state.ts";
import { findOn } from "./chain-reader.ts";
import { methodFor } from "./methods.ts";
import { type ChainOptions, EvmNode } from "./node/node.ts";
import { isRpcError, type RpcError } from "./node/rpc.ts";
import { type Chain } from "./node/scheme.ts";
import { Factories } from "./node/undeployed.ts";
import { createFlights } from "./node/flights.ts";
import { KeyLender } from "./key-lender.ts";
import { PayerGuard } from "./payer-guard.ts";
import { KeySender } from "./sender.ts";
import { SenderPool } from "./sender-pool.ts";
import { openSigner, type SignerOptions } from "./signers/open-signer.ts";

/** An entry of `x402.chains`, with the URL from its environment variable. */
export interface EmbeddedChainOptions extends ChainOptions {
  readonly receipt_timeout_ms: number;
  /** In wei, as a decimal number. */
  readonly max_fee_per_gas: string;
  readonly max_gas: number;
}

/** The chains and the accounts of a facilitator in this program. */
export interface EmbeddedOptions {
  /** At least one; each network at most once. */
  readonly chains: readonly EmbeddedChainOptions[];
  /** The keys that pay for gas. At least one; each at most once. */
  readonly signers: readonly SignerOptions[];
  /** The key that lends payers the gas of their approvals; it is not one of `signers`. Undefined: no approvals are sent. */
  readonly lender?: SignerOptions | undefined;
  /** Settlements in progress at the same time, for each key and chain. */
  readonly max_pending: number;
  /** The contracts that may be called to deploy accounts of payers (ERC-6492). Default: none. */
  readonly wallet_factories?: readonly string[];
  /** In Unix milliseconds. Default: the system clock. */
  readonly now?: () => number;
  /** In monotonic milliseconds. */
  readonly steady?: () => number;
}

interface OwnChain extends Chain {
  readonly sender: SenderPool;
  readonly lender: KeyLender | undefined;
  readonly hasChannels: ReturnType<typeof channelsCheck>;
}

/** The accounts of the keys. Throws if a key is invalid. */
export function accountsOf({ signers }: Pick<EmbeddedOptions, "signers">): readonly Address[] {
  return signers.map((signer) => openSigner(signer, Date.now).address);
}

function openChains(options: EmbeddedOptions): ReadonlyMap<string, OwnChain> {
  const now = options.now ?? Date.now;
  const signers = options.signers.map((signer) => openSigner(signer, now));
  const accounts = new Set(signers.map(({ address }) => address.toLowerCase()));
  if (signers.length === 0) throw new Error("Cannot start the embedded facilitator: it has no key");
  if (accounts.size < signers.length)
    throw new Error("Cannot start the embedded facilitator: two of its keys are equal");
  const lender = options.lender && openSigner(options.lender, now);
  // Two senders of one key would give two transactions the same nonce.
  if (lender !== undefined && accounts.has(lender.address.toLowerCase()))
    throw new Error("Cannot start the embedded facilitator: the key of approvals also settles");
  const factories = new Factories(options.wallet_factories ?? []);
  const chains = new Map<string, OwnChain>();
  for (const chain of options.chains) {
    const node = new EvmNode(chain, now, options.steady);
    if (chains.has(node.network)) throw new Error(`Cannot use the chain ${node.network}: it is configured twice`);
    const bounds = {
      maxFeePerGas: BigInt(chain.max_fee_per_gas),
      maxGas: BigInt(chain.max_gas),
      maxPending: options.max_pending,
      receiptTimeoutMs: chain.receipt_timeout_ms,
    };
    const guard = new PayerGuard(node.steady);
    const senders = signers.map((signer) => new KeySender(node, signer, bounds, guard));
    chains.set(node.network, {
      node,
      sender: new SenderPool(senders, node.steady),
      lender: lender && new KeyLender(node, lender, bounds),
      factories,
      hasChannels: channelsCheck(node),
    });
  }
  if (chains.size === 0) throw new Error("Cannot start the embedded facilitator: x402.chains is empty");
  return chains;
}

/** The kinds of a chain, or the error of its node. `batch-settlement` only if the chain has the contract of channels. */
async function kindsOf({ node, sender, lender, hasChannels }: OwnChain): Promise<readonly Kind[] | RpcError> {
  const { network } = node;
  const [error, isChannelled] = await Promise.all([node.check(), hasChannels()]);
  if (error !== undefined) return error;
  if (isRpcError(isChannelled)) return isChannelled;
  const sponsoring = [GAS_PERMIT, ...(lender === undefined ? [] : [GAS_APPROVAL])];
  return [
    { scheme: "exact", network, sponsoring },
    { scheme: "upto", network, sponsoring, extra: { facilitatorAddress: sender.account } },
    ...(isChannelled ? [{ scheme: BATCH_SETTLEMENT, network }] : []),
  ];
}

/**
 * Verifies and settles payments on its own chains with its own key. Throws if the key, a network or a URL is invalid,
 * or if a chain is configured twice. Calls no node before it is first used.
 */
export function createEmbeddedFacilitator(options: EmbeddedOptions): Facilitator {
  const chains = openChains(options);
  const nodes: ReadonlyMap<string, EvmNode> = new Map([...chains].map(([network, { node }]) => [network, node]));
  const maxFlights = options.max_pending * options.signers.length * chains.size;
  const fly = createFlights<Settlement>(maxFlights);

  /** Throws if a node is away or of another chain; the error contains the kinds of all other chains. */
  async function supported(): Promise<readonly Kind[]> {
    const all = [...chains.values()];
    const found = await Promise.all(all.map(kindsOf));
    const kinds = found.flatMap((each) => (isRpcError(each) ? [] : each));
    const causes = all.flatMap(({ node }, i) => {
      const each = found[i];
      return isRpcError(each) ? [`${node.network}: ${each.cause}`] : [];
    });
    if (causes.length > 0) throw new UnsupportedError(causes.join("; "), kinds);
    return kinds;
  }

  /** The chain and the method that move the money. A text: the reason of the refusal. */
  function wayOf(payment: PaymentPayload, requirements: PaymentRequirements) {
    const chain = chains.get(requirements.network);
    if (chain === undefined) return "invalid_network";
    const method = methodFor(payment, requirements);
    return method === undefined ? "unsupported_payload_type" : { chain, method };
  }

  async function verify(payment: PaymentPayload, requirements: PaymentRequirements): Promise<Verification> {
    const way = wayOf(payment, requirements);
    if (typeof way === "string") return { kind: "refused", reason: way };
    const { chain, method } = way;
    if (chain.sender.bars(payerIn(payment))) {
      return { kind: "refused", reason: `invalid_${method.scheme}_evm_transaction_failed` };
    }
    return await method.verify(chain, requirements);
  }

  async function settle(payment: PaymentPayload, requirements: PaymentRequirements): Promise<Settlement> {
    const way = wayOf(payment, requirements);
    if (typeof way === "string") return { kind: "refused", reason: way };
    const { chain, method } = way;
    const { network, asset, from, nonce } = paymentKey(payment, requirements);
    const key = [network, asset, from, nonce].join(" ");
    const { scheme, amount, payTo, extra } = requirements;
    const digest = JSON.stringify([payment.payload, scheme, requirements.asset, amount, payTo, extra]);
    return await fly(key, digest, () => method.settle(chain, requirements));
  }

  return {
    supported,
    verify,
    settle,
    find: (payment, requirements) => findOn(nodes, payment, requirements),
    channels: createBatchFacilitator(chains, maxFlights),
    async close() {
      for (const { sender, lender } of chains.values()) {
        sender.close();
        lender?.close();
      }
    },
  };
}
