import { type Address } from "../../../x402/address.ts";
import { type PaymentRequirements, type Permit2Payment } from "../../../x402/messages.ts";
import { type Permit2Authorization } from "../../../signatures/permit2-typed-data.ts";
import { type Chain } from "../../../testing/chain.ts";
import { signedPermit2 } from "../../../testing/permit2-payment.ts";
import { PERMIT2, PROXIES } from "../../../x402/transfer.ts";
import { openShop, type Shop, type TestAccount } from "../../testing/shop.ts";

/** Places the substitutes for Permit2 and x402's proxies at the addresses of the real ones. */
export async function placePermit2(chain: Chain): Promise<void> {
  await chain.place("Permit2", PERMIT2);
  await chain.place("ExactProxy", PROXIES.exact);
  await chain.place("UptoProxy", PROXIES.upto);
}

/** A shop that sells with Permit2, to payers that have approved it. */
export interface Permit2Shop extends Shop {
  readonly exact: PaymentRequirements;
  /** Requirements for at most 100000, settled by `facilitator`. */
  upto(facilitator: Address): PaymentRequirements;
  /** Creates a payer from whom Permit2 may move `allowance`. Default: any amount. */
  buyer(allowance?: bigint): Promise<TestAccount>;
  /** Signs a payment by the chain's clock. `change` is applied before signing. */
  permit(
    requirements: PaymentRequirements,
    payer: TestAccount,
    change?: Partial<Permit2Authorization>,
  ): Promise<Permit2Payment>;
}

export async function openPermit2Shop(): Promise<Permit2Shop> {
  const shop = await openShop();
  const { chain, token, requirements } = shop;
  await placePermit2(chain);
  const exact = { ...requirements, extra: { ...requirements.extra, assetTransferMethod: "permit2" } };
  return {
    ...shop,
    exact,
    upto: (facilitatorAddress) => ({
      ...exact,
      scheme: "upto",
      amount: "100000",
      extra: { ...exact.extra, facilitatorAddress },
    }),
    async buyer(allowance = 1_000_000n) {
      const account = await shop.payer();
      await token.approve(account.address, PERMIT2, allowance);
      return account;
    },
    async permit(terms, payer, change = {}) {
      return signedPermit2(terms, await chain.time(), { from: payer.address, ...change }, payer.privateKey);
    },
  };
}
