import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme as ExactClient } from "@x402/evm/exact/client";
import { ExactEvmScheme as ExactFacilitator } from "@x402/evm/exact/facilitator";
import { UptoEvmScheme as UptoClient } from "@x402/evm/upto/client";
import { createWalletClient, defineChain, http, publicActions } from "viem";
import { nonceManager, privateKeyToAccount } from "viem/accounts";
import { choosePayment } from "../../client/choice.ts";
import { createFunds } from "../../client/funds.ts";
import { signChoice } from "../../client/sign-choice.ts";
import { GAS_PERMIT, GAS_PERMIT_DECLARATION, type GasPermit, gasPermitOf } from "../../signatures/gas-permit.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../testing/chain.ts";
import { PAYEE } from "../../testing/payment.ts";
import { type PaymentRequirements, type Permit2Payment, permit2PaymentSchema } from "../../x402/messages.ts";
import { freshAccount, keyOf, type OpenFacilitator, type TestAccount } from "../testing/shop.ts";
import { openPermit2Shop, type Permit2Shop } from "./testing/permit2-shop.ts";

const NETWORK = "eip155:84532";
const DECLARED = { [GAS_PERMIT]: GAS_PERMIT_DECLARATION };

describe.skipIf(!hasChain)("Permit2 without an approval before", () => {
  let shop: Permit2Shop;
  let facilitator: OpenFacilitator;
  let upto: PaymentRequirements;
  beforeAll(async () => {
    shop = await openPermit2Shop();
    facilitator = await shop.facilitator();
    upto = shop.upto(facilitator.account.address);
  }, CHAIN_SETUP_MS);
  afterAll(() => shop.close());

  /** Our client's payment, which reads allowance and nonce from the chain. */
  async function ours(requirements: PaymentRequirements, payer: TestAccount): Promise<Permit2Payment> {
    const required = {
      x402Version: 2 as const,
      resource: { url: "http://a/" },
      accepts: [requirements],
      extensions: DECLARED,
    };
    const asset = { network: NETWORK, symbol: "T", decimals: 6, ...shop.token } as const;
    const funds = createFunds({ TURNPIKE_RPC_84532: shop.chain.rpcUrl }, () => payer.address);
    const choice = await choosePayment(required, { maxPrice: "$1", assets: [asset], funds });
    return permit2PaymentSchema.parse(signChoice(required, choice, payer, (await shop.chain.time()) + 60));
  }

  /** The reference client's payment. */
  async function theirs(requirements: PaymentRequirements, payer: TestAccount): Promise<Permit2Payment> {
    const account = privateKeyToAccount(keyOf(payer));
    const options = { rpcUrl: shop.chain.rpcUrl };
    const client =
      requirements.scheme === "upto" ? new UptoClient(account, options) : new ExactClient(account, options);
    const made = await client.createPaymentPayload(2, { ...requirements, network: NETWORK }, { extensions: DECLARED });
    return permit2PaymentSchema.parse({ ...made, accepted: requirements });
  }

  for (const [name, pay] of [
    ["our", ours],
    ["the reference", theirs],
  ] as const) {
    test(`a payment of ${name} client settles by one transaction, under exact and upto`, async () => {
      const payer = await shop.payer();
      const payment = await pay(shop.exact, payer);
      expect(gasPermitOf(payment)).toMatchObject({ amount: "10000", nonce: "0" });
      expect((await facilitator.verify(payment, shop.exact)).kind).toBe("valid");
      const settled = await facilitator.settle(payment, shop.exact);
      expect(settled.kind).toBe("settled");
      expect(await facilitator.settle(payment, shop.exact)).toEqual(settled);
      const second = await pay(upto, payer);
      expect(await facilitator.settle(second, { ...upto, amount: "300" })).toMatchObject({ kind: "settled" });
      expect(await facilitator.find(second, { ...upto, amount: "300" })).toMatchObject({ kind: "settled" });
      expect(await shop.token.balanceOf(payer.address)).toBe(1_000_000n - 10_300n);
      // The rest of the second allowance pays the third payment, without a permit.
      const third = await pay(shop.exact, payer);
      expect(gasPermitOf(third)).toBeUndefined();
      expect((await facilitator.settle(third, shop.exact)).kind).toBe("settled");
    });
  }

  test("our client's payment settles with the reference facilitator", async () => {
    const account = freshAccount();
    await shop.chain.fund(account.address);
    const wallet = createWalletClient({
      account: privateKeyToAccount(keyOf(account), { nonceManager }),
      chain: defineChain({
        id: 84_532,
        name: "test",
        nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
        rpcUrls: { default: { http: [shop.chain.rpcUrl] } },
      }),
      transport: http(shop.chain.rpcUrl),
      pollingInterval: 20,
    }).extend(publicActions);
    // The signer's parameter has the same methods, with types of another copy of viem.
    const signer = toFacilitatorEvmSigner(
      Object.assign(wallet, { address: account.address }) as unknown as Parameters<typeof toFacilitatorEvmSigner>[0],
    );
    const payer = await shop.payer();
    const payment = await ours(shop.exact, payer);
    const before = await shop.token.balanceOf(PAYEE);
    const terms = { ...shop.exact, network: NETWORK } as const;
    const sent = { ...payment, accepted: terms };
    const settled = await new ExactFacilitator(signer).settle(sent as Parameters<ExactFacilitator["settle"]>[0], terms);
    expect(settled).toMatchObject({ success: true });
    expect((await shop.token.balanceOf(PAYEE)) - before).toBe(10_000n);
  });

  const WRONG: readonly (readonly [change: Partial<GasPermit>, reason: string])[] = [
    [{ from: PAYEE }, "eip2612_from_mismatch"],
    [{ asset: PAYEE }, "eip2612_asset_mismatch"],
    [{ spender: PAYEE }, "eip2612_spender_not_permit2"],
    [{ amount: "10001" }, "permit2_2612_amount_mismatch"],
    [{ deadline: "1" }, "eip2612_deadline_expired"],
    [{ signature: `0x${"11".repeat(65)}` }, "permit2_allowance_required"],
    [{ version: "2" as "1" }, "permit2_allowance_required"],
  ];

  for (const [change, reason] of WRONG) {
    test(`a permit with ${JSON.stringify(change).slice(0, 60)} is refused, and costs no gas`, async () => {
      const payer = await shop.payer();
      const payment = await ours(shop.exact, payer);
      const info = { ...gasPermitOf(payment), ...change };
      const wrong = { ...payment, extensions: { [GAS_PERMIT]: { info } } };
      const gas = () => shop.chain.rpc("eth_getBalance", [facilitator.account.address, "latest"]);
      const before = await gas();
      expect(await facilitator.verify(wrong, shop.exact)).toEqual({ kind: "refused", reason } as never);
      expect((await facilitator.settle(wrong, shop.exact)).kind).toBe("refused");
      expect(await gas()).toBe(before);
    });
  }
});
