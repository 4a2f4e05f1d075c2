import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme as ExactClient } from "@x402/evm/exact/client";
import { ExactEvmScheme as ExactFacilitator } from "@x402/evm/exact/facilitator";
import { UptoEvmScheme as UptoClient } from "@x402/evm/upto/client";
import { UptoEvmScheme as UptoFacilitator } from "@x402/evm/upto/facilitator";
import { createWalletClient, defineChain, http, publicActions } from "viem";
import { nonceManager, privateKeyToAccount } from "viem/accounts";
import { parseCharge } from "../../x402/charge.ts";
import {
  type PaymentRequired,
  type PaymentRequirements,
  type Permit2Payment,
  permit2PaymentSchema,
} from "../../x402/messages.ts";
import { signChoice } from "../../client/sign-choice.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../testing/chain.ts";
import { PAYEE } from "../../testing/payment.ts";
import { freshAccount, keyOf, type OpenFacilitator, type TestAccount } from "../testing/shop.ts";
import { openPermit2Shop, type Permit2Shop } from "./testing/permit2-shop.ts";

const NETWORK = "eip155:84532";

type Client = Parameters<typeof toFacilitatorEvmSigner>[0];
type Sent = Parameters<UptoFacilitator["verify"]>[0];

/** The reference client's payment for `requirements`. */
async function realPayment(requirements: PaymentRequirements, payer: TestAccount): Promise<Permit2Payment> {
  const account = privateKeyToAccount(keyOf(payer));
  const client = requirements.scheme === "upto" ? new UptoClient(account) : new ExactClient(account);
  const made = await client.createPaymentPayload(2, { ...requirements, network: NETWORK });
  return permit2PaymentSchema.parse({ ...made, accepted: requirements });
}

describe.skipIf(!hasChain)("Permit2 payments with the reference implementation", () => {
  let shop: Permit2Shop;
  let facilitator: OpenFacilitator;
  let upto: PaymentRequirements;
  beforeAll(async () => {
    shop = await openPermit2Shop();
    facilitator = await shop.facilitator();
    upto = shop.upto(facilitator.account.address);
  }, CHAIN_SETUP_MS);
  afterAll(() => shop.close());

  const CHARGES: readonly (readonly [override: string, moved: bigint])[] = [
    ["12345", 12_345n],
    ["33.33%", 33_330n],
    ["100%", 100_000n],
  ];
  for (const [override, moved] of CHARGES) {
    test(`the reference client pays at most 100000 under upto, and our facilitator settles ${override} of it`, async () => {
      const payer = await shop.buyer();
      const payment = await realPayment(upto, payer);
      expect(await facilitator.verify(payment, upto)).toEqual({
        kind: "valid",
        payer: payment.payload.permit2Authorization.from,
      });
      const amount = parseCharge([JSON.stringify({ amount: override })], upto);
      const settled = await facilitator.settle(payment, { ...upto, amount: amount ?? "" });
      expect(settled.kind).toBe("settled");
      expect(await shop.token.balanceOf(payer.address)).toBe(1_000_000n - moved);
      expect(await facilitator.settle(payment, upto)).toEqual(settled);
      expect(await shop.token.balanceOf(payer.address)).toBe(1_000_000n - moved);
    });
  }

  test("the reference client pays under exact with Permit2, and our facilitator settles", async () => {
    const payer = await shop.buyer();
    const payment = await realPayment(shop.exact, payer);
    expect((await facilitator.verify(payment, shop.exact)).kind).toBe("valid");
    expect((await facilitator.settle(payment, shop.exact)).kind).toBe("settled");
    expect(await shop.token.balanceOf(payer.address)).toBe(990_000n);
  });

  /** The reference facilitator with its own key. */
  async function openReference() {
    const account = freshAccount();
    await shop.chain.fund(account.address);
    const chain = defineChain({
      id: 84_532,
      name: "test",
      nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
      rpcUrls: { default: { http: [shop.chain.rpcUrl] } },
    });
    const wallet = createWalletClient({
      account: privateKeyToAccount(keyOf(account), { nonceManager }),
      chain,
      transport: http(shop.chain.rpcUrl),
      pollingInterval: 20,
    }).extend(publicActions);
    // The function is made for viem's clients, but its types do not say so.
    const client = { ...wallet, address: wallet.account.address } as unknown as Client;
    const signer = toFacilitatorEvmSigner(client);
    return { address: account.address, exact: new ExactFacilitator(signer), upto: new UptoFacilitator(signer) };
  }

  /** Our client's payment for `requirements`. */
  function ownPayment(requirements: PaymentRequirements, payer: TestAccount): Sent {
    const asset = {
      network: shop.chain.network,
      address: shop.token.address,
      symbol: "TUSD",
      name: shop.token.name,
      version: shop.token.version,
      decimals: 6,
    };
    const resource = { url: "http://localhost/" };
    const required: PaymentRequired = { x402Version: 2, resource, accepts: [requirements] };
    const payment = signChoice(
      required,
      { requirements, asset, method: "permit2" },
      payer,
      Math.floor(Date.now() / 1000) + 60,
    );
    // In its serialized form. The reference schema has the same shape, but its own types.
    return JSON.parse(JSON.stringify(payment)) as Sent;
  }

  test("the reference facilitator verifies our client's upto payment, and settles the charge", async () => {
    const reference = await openReference();
    const payer = await shop.buyer();
    const requirements = { ...shop.upto(reference.address), network: NETWORK } as const;
    const payment = ownPayment(requirements, payer);
    const before = await shop.token.balanceOf(PAYEE);
    expect(await reference.upto.verify(payment, requirements)).toMatchObject({ isValid: true });
    const settled = await reference.upto.settle(payment, { ...requirements, amount: "4321" });
    expect(settled).toMatchObject({ success: true, amount: "4321" });
    expect(await shop.token.balanceOf(PAYEE)).toBe(before + 4321n);
    const found = await facilitator.find(permit2PaymentSchema.parse(payment), requirements);
    expect(found).toMatchObject({ kind: "settled", transaction: settled.transaction });
  });

  test("the reference facilitator verifies and settles our client's exact payment with Permit2", async () => {
    const reference = await openReference();
    const payer = await shop.buyer();
    const requirements = { ...shop.exact, network: NETWORK } as const;
    const payment = ownPayment(requirements, payer);
    expect(await reference.exact.verify(payment, requirements)).toMatchObject({ isValid: true });
    const settled = await reference.exact.settle(payment, requirements);
    expect(settled).toMatchObject({ success: true });
    expect(await shop.token.balanceOf(payer.address)).toBe(990_000n);
    const found = await facilitator.find(permit2PaymentSchema.parse(payment), requirements);
    expect(found).toMatchObject({ kind: "settled" });
  });
});
