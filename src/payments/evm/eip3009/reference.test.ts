import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme as ExactClient } from "@x402/evm/exact/client";
import { ExactEvmScheme as ExactFacilitator } from "@x402/evm/exact/facilitator";
import { createWalletClient, defineChain, http, publicActions } from "viem";
import { nonceManager, privateKeyToAccount } from "viem/accounts";
import { type Eip3009Payment, eip3009PaymentSchema } from "../../x402/messages.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../testing/chain.ts";
import { freshAccount, keyOf, type OpenFacilitator, openShop, type Shop, type TestAccount } from "../testing/shop.ts";

const NETWORK = "eip155:84532";

type Client = Parameters<typeof toFacilitatorEvmSigner>[0];
type Sent = Parameters<ExactFacilitator["verify"]>[0];

describe.skipIf(!hasChain)("EIP-3009 payments with the reference implementation", () => {
  let shop: Shop;
  let facilitator: OpenFacilitator;
  let reference: ExactFacilitator;
  beforeAll(async () => {
    shop = await openShop();
    facilitator = await shop.facilitator();
    reference = await openReference();
  }, CHAIN_SETUP_MS);
  afterAll(() => shop.close());

  async function openReference(): Promise<ExactFacilitator> {
    const key = freshAccount();
    await shop.chain.fund(key.address);
    const chain = defineChain({
      id: 84_532,
      name: "test",
      nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
      rpcUrls: { default: { http: [shop.chain.rpcUrl] } },
    });
    const account = privateKeyToAccount(keyOf(key), { nonceManager });
    const transport = http(shop.chain.rpcUrl);
    const wallet = createWalletClient({ account, chain, transport, pollingInterval: 20 }).extend(publicActions);
    // The function is made for viem's clients, but its types do not say so.
    return new ExactFacilitator(toFacilitatorEvmSigner({ ...wallet, address: account.address } as unknown as Client));
  }

  async function realPayment(payer: TestAccount): Promise<Eip3009Payment> {
    const requirements = { ...shop.requirements, network: NETWORK } as const;
    const made = await new ExactClient(privateKeyToAccount(keyOf(payer))).createPaymentPayload(2, requirements);
    return eip3009PaymentSchema.parse({ ...made, accepted: requirements });
  }

  test("the reference client pays, and our facilitator settles", async () => {
    const payer = await shop.payer();
    const payment = await realPayment(payer);
    expect(await facilitator.verify(payment, shop.requirements)).toMatchObject({ kind: "valid" });
    expect(await facilitator.settle(payment, shop.requirements)).toMatchObject({ kind: "settled" });
    expect(await shop.token.balanceOf(payer.address)).toBe(990_000n);
  });

  test("our facilitator finds a settlement of the reference facilitator, and does not settle again", async () => {
    const payer = await shop.payer();
    const payment = await realPayment(payer);
    const requirements = { ...shop.requirements, network: NETWORK } as const;
    // In its serialized form. The reference schema has the same shape, but its own types.
    const sent = JSON.parse(JSON.stringify(payment)) as Sent;
    expect(await reference.verify(sent, requirements)).toMatchObject({ isValid: true });
    const settled = await reference.settle(sent, requirements);
    expect(settled).toMatchObject({ success: true });
    const ours = { kind: "settled", transaction: settled.transaction } as const;
    expect(await facilitator.find(payment, shop.requirements)).toMatchObject(ours);
    expect(await facilitator.settle(payment, shop.requirements)).toMatchObject(ours);
    expect(await shop.token.balanceOf(payer.address)).toBe(990_000n);
  });

  test("both facilitators refuse a payment that ours has settled", async () => {
    const payment = await realPayment(await shop.payer());
    const requirements = { ...shop.requirements, network: NETWORK } as const;
    expect(await facilitator.settle(payment, shop.requirements)).toMatchObject({ kind: "settled" });
    const sent = JSON.parse(JSON.stringify(payment)) as Sent;
    expect(await reference.verify(sent, requirements)).toMatchObject({ isValid: false });
    expect(await facilitator.verify(payment, shop.requirements)).toEqual({
      kind: "refused",
      reason: "invalid_exact_evm_nonce_already_used",
    });
  });
});
