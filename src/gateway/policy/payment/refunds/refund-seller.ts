import { isAddress, sameAddress } from "../../../../payments/x402/address.ts";
import { checksumAddress } from "../../../../payments/x402/address-hash.ts";
import { findAsset } from "../../../../payments/x402/assets.ts";
import { isEvm, networkTitle, parseEvmNetwork } from "../../../../payments/x402/networks.ts";
import { compileTerms, methodOf } from "../../../../payments/x402/terms.ts";
import { chooseFacilitators } from "../../../../payments/facilitator/create-facilitator.ts";
import { readChains, readLocalKeys } from "../../../../payments/facilitator/chain-settings.ts";
import { type Facilitators, type Lease } from "../../../../payments/facilitator/facilitators.ts";
import { type Environment, readSecret } from "../../../../payments/facilitator/secrets.ts";
import { isSimulated } from "../../../../payments/facilitator/simulated-transaction.ts";
import { parseKey } from "../../../../payments/evm/signers/key.ts";
import { EvmNode } from "../../../../payments/evm/node/node.ts";
import { checkReceived } from "../../../../payments/evm/received.ts";
import { type RefundToken, refundTransfer } from "../../../../payments/settlement/refunds/refund-transfer.ts";
import { type Objection, type RefundSeller, type Way } from "../../../../payments/settlement/refunds/refunder.ts";
import { refundNotice } from "../../../../payments/settlement/settlement-record.ts";
import { type Account } from "../../../../payments/signatures/signature.ts";
import { CHANNEL_SCHEME } from "../../../../store/channels.ts";
import { type Payment } from "../../../../store/ledger.ts";
import { type NewNotice } from "../../../../store/outbox.ts";
import { type Refund } from "../../../../store/refunds.ts";
import { type Config, type RouteConfig } from "../../../config/config.ts";
import { withCreditRoute } from "../../../config/credit-route.ts";
import { routeName } from "../../../routing/route-name.ts";
import { type Screening } from "../screening/screening.ts";

/** The accounts that receive payments and whose keys this process has, by address in lower case. Throws if a key is invalid. */
export function sellerAccounts({ x402 }: Pick<Config, "x402">, environment: Environment): ReadonlyMap<string, Account> {
  const { embedded, refunds, test_mode: isTest } = x402;
  const keys = refunds.key_envs.map((name, i) => readSecret(environment, name, `x402.refunds.key_envs[${i}]`));
  if (embedded.enabled && !isTest) keys.push(...readLocalKeys(embedded, environment));
  return new Map(keys.map(parseKey).map((account) => [account.address.toLowerCase(), account]));
}

export interface SellerDeps {
  readonly facilitators: Facilitators;
  readonly environment: Environment;
  readonly screening: Screening | undefined;
  /** Unix milliseconds. */
  readonly clock: () => number;
}

/** Sends refunds by one configuration. Throws if a key or an endpoint is missing. */
export class ConfiguredSeller implements RefundSeller {
  readonly #config: Config;
  readonly #deps: SellerDeps;
  readonly #lease: Lease;
  readonly #accounts: ReadonlyMap<string, Account>;
  readonly #nodes: ReadonlyMap<string, EvmNode>;

  constructor(config: Config, deps: SellerDeps) {
    this.#config = withCreditRoute(config);
    this.#deps = deps;
    this.#accounts = sellerAccounts(config, deps.environment);
    const chains = config.x402.test_mode ? [] : readChains(config.x402.chains, deps.environment);
    const nodes = chains.map((chain) => new EvmNode(chain, deps.clock));
    this.#nodes = new Map(nodes.map((node) => [node.network, node]));
    this.#lease = deps.facilitators.lease(config.x402);
  }

  way(refund: Refund, payment: Payment): Way {
    const { x402 } = this.#config;
    const { network, payTo, transaction } = payment;
    if (isSimulated(transaction) !== x402.test_mode) {
      throw new Error(
        x402.test_mode
          ? "the payment moved money, and this gateway is in test mode"
          : "the payment was made in test mode",
      );
    }
    // Of a single charge the chain shows nothing: a claim is for the sum of a channel's charges.
    if (payment.scheme === CHANNEL_SCHEME) {
      throw new Error("charges of channels are not sent back; send the money yourself, and record its transaction");
    }
    if (!isEvm(network))
      throw new Error(`refunds are sent on EVM chains only, and the payment was made on ${networkTitle(network)}`);
    const account = this.#accounts.get(payTo.toLowerCase());
    if (account === undefined)
      throw new Error(`this gateway has no key of the receiving address ${payTo} (x402.refunds.key_envs)`);
    if (!x402.test_mode && !this.#nodes.has(network)) throw new Error(`x402.chains has no chain ${network}`);
    const token = this.#tokenOf(payment);
    if (token === undefined) throw new Error(`the name and version of the token ${payment.token} are not configured`);
    const url = this.#routeOf(payment)?.x402?.facilitator_url ?? "";
    return {
      ...refundTransfer(refund, payment, token, account),
      facilitator: this.#lease.forRoute(url).facilitator,
      isOwn: chooseFacilitators(x402, url).every(({ kind }) => kind !== "http"),
    };
  }

  async objection(payment: Payment): Promise<Objection | undefined> {
    const { screening } = this.#deps;
    const listed = screening?.listed(payment);
    const denial = listed ?? (await screening?.asked(payment));
    if (denial !== undefined) return { isFinal: denial.code === "forbidden", reason: denial.message };
    const node = this.#nodes.get(payment.network);
    const received = node === undefined ? undefined : await checkReceived(node, payment);
    if (received?.kind === "missing")
      return { isFinal: true, reason: "the chain does not show that the payment was received" };
    return received?.kind === "unknown" ? { isFinal: false, reason: received.cause } : undefined;
  }

  notice(refund: Refund, payment: Payment, transaction: string): NewNotice | undefined {
    const terms = this.#routeOf(payment)?.x402;
    if (terms === undefined) return undefined;
    const { settlement_url, gateway_id } = terms;
    const target = { settlement_url, gateway_id, testMode: this.#config.x402.test_mode };
    return refundNotice(target, payment, { ...refund, transaction, at: this.#deps.clock() });
  }

  close(): void {
    this.#lease.close();
    this.#deps.screening?.close();
  }

  #routeOf(payment: Payment): RouteConfig | undefined {
    return this.#config.routes.find((route) => routeName(route) === payment.route);
  }

  /** The token by the terms of the routes, or else as it is known here. */
  #tokenOf({ network: text, token, asset }: Payment): RefundToken | undefined {
    const network = parseEvmNetwork(text);
    if (network === undefined || !isAddress(token)) return undefined;
    const offers = this.#config.routes.flatMap(({ x402 }) => (x402 === undefined ? [] : [x402, ...x402.accepts]));
    const same = offers
      .map(compileTerms)
      .filter((offer) => offer.network === network && sameAddress(offer.asset, token));
    const offer = same.find((requirements) => methodOf(requirements) === "eip3009") ?? same[0];
    const known = findAsset(network, token);
    const isByToken = known !== undefined || sameAddress(asset, token) || (offer && methodOf(offer)) === "eip3009";
    // Permit2 signs neither name nor version.
    const { name, version } = { ...(isByToken ? {} : { name: "", version: "" }), ...(known ?? offer?.extra) };
    if (typeof name !== "string" || typeof version !== "string") return undefined;
    return {
      asset: { network, address: checksumAddress(token), name, version },
      method: isByToken ? "eip3009" : "permit2",
    };
  }
}
