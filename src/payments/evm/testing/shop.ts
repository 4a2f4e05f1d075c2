import { patient } from "../../../lib/testing/patience.ts";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { type Address, type Hex } from "../../x402/address.ts";
import { type Facilitator } from "../../x402/facilitator.ts";
import { type Eip3009Payment, type PaymentRequirements } from "../../x402/messages.ts";
import { addressOfPrivateKey, signHash } from "../../signatures/signature.ts";
import { type Chain, startChain, type TestToken } from "../../testing/chain.ts";
import { freshNonce, PAYEE } from "../../testing/payment.ts";
import { type Authorization, authorizationHash } from "../../signatures/typed-data.ts";
import { type SignerOptions } from "../signers/open-signer.ts";
import { createEmbeddedFacilitator, type EmbeddedChainOptions } from "../embedded-facilitator.ts";

/** A fresh account with a key, for one test. */
export interface TestAccount {
  readonly address: Address;
  readonly privateKey: Uint8Array;
}

export function freshAccount(): TestAccount {
  const { secretKey } = secp256k1.keygen();
  return { address: addressOfPrivateKey(secretKey), privateKey: secretKey };
}

/** A chain with a token, a facilitator's key with ether, and payers with money. */
export interface Shop {
  readonly chain: Chain;
  readonly token: TestToken;
  readonly requirements: PaymentRequirements;
  /** Opens a facilitator with its own key. `change` overrides its options. The shop closes it. */
  facilitator(change?: FacilitatorChange): Promise<OpenFacilitator>;
  /** Creates an account with `value` units of the token; default 1000000. */
  payer(value?: bigint): Promise<TestAccount>;
  /** Signs a payment by the chain's clock. `change` is applied before signing. */
  pay(payer: TestAccount, change?: Partial<Authorization>): Promise<Eip3009Payment>;
  close(): Promise<void>;
}

export interface FacilitatorChange extends Partial<EmbeddedChainOptions> {
  readonly max_pending?: number;
  readonly wallet_factories?: readonly Address[];
  readonly account?: TestAccount;
  /** In place of the account's own key. */
  readonly signers?: readonly SignerOptions[];
  readonly lender?: SignerOptions;
  readonly now?: () => number;
  readonly steady?: () => number;
}

export interface OpenFacilitator extends Facilitator {
  readonly account: TestAccount;
}

/** Signs an authorization over the domain of `requirements`. */
export function signed(
  requirements: PaymentRequirements,
  authorization: Authorization,
  privateKey: Uint8Array,
): Eip3009Payment {
  const { name, version } = requirements.extra;
  const domain = {
    name: String(name),
    version: String(version),
    // The shop's own requirements contain a network and an address.
    network: requirements.network as `eip155:${string}`,
    asset: requirements.asset as Address,
  };
  const signature = signHash(authorizationHash(domain, authorization), privateKey);
  return { x402Version: 2, accepted: requirements, payload: { signature, authorization } };
}

export function keyOf({ privateKey }: TestAccount): Hex {
  return `0x${privateKey.toHex()}`;
}

export async function openShop(): Promise<Shop> {
  const chain = await startChain();
  const token = await chain.deployToken();
  const requirements: PaymentRequirements = {
    scheme: "exact",
    network: chain.network,
    amount: "10000",
    asset: token.address,
    payTo: PAYEE,
    maxTimeoutSeconds: 60,
    extra: { name: token.name, version: token.version },
  };
  const opened: Facilitator[] = [];
  return {
    chain,
    token,
    requirements,
    async facilitator({
      account = freshAccount(),
      max_pending = 256,
      wallet_factories = [],
      now = Date.now,
      steady = () => performance.now(),
      signers,
      lender,
      ...change
    } = {}) {
      await chain.fund(account.address);
      const facilitator = createEmbeddedFacilitator({
        signers: signers ?? [{ type: "key", key: keyOf(account) }],
        lender,
        max_pending,
        wallet_factories,
        now,
        steady,
        chains: [
          {
            network: chain.network,
            rpc_url: chain.rpcUrl,
            timeout_ms: patient(5000),
            poll_ms: 5,
            confirmations: 1,
            receipt_timeout_ms: patient(20_000),
            max_fee_per_gas: "5000000000",
            max_gas: 300_000,
            ...change,
          },
        ],
      });
      opened.push(facilitator);
      return { ...facilitator, account };
    },
    async payer(value = 1_000_000n) {
      const account = freshAccount();
      await token.mint(account.address, value);
      return account;
    },
    async pay(payer, change = {}) {
      const authorization: Authorization = {
        from: payer.address,
        to: PAYEE,
        value: requirements.amount,
        validAfter: "0",
        validBefore: String((await chain.time()) + requirements.maxTimeoutSeconds),
        nonce: freshNonce(),
        ...change,
      };
      return signed(requirements, authorization, payer.privateKey);
    },
    async close() {
      await Promise.all(opened.map((facilitator) => facilitator.close()));
      await chain.close();
    },
  };
}
