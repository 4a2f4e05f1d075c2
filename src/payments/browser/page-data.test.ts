import { expect, test } from "bun:test";
import { PAYEE, PAYER, REQUIREMENTS } from "../testing/payment.ts";
import { SOLANA_DEVNET, SOLANA_USDC } from "../testing/solana-chain.ts";
import { type PaymentRequirements } from "../x402/messages.ts";
import { offerText, paidText, priceText } from "./page/offer-text.ts";
import { type PageData, wayOf } from "./page-data.ts";

const DATA: PageData = {
  networks: {
    [SOLANA_DEVNET]: { title: "Solana Devnet", blockhash: "/hash" },
    "eip155:84532": { title: "Base Sepolia" },
  },
  tokens: {
    [`eip155:84532 ${REQUIREMENTS.asset.toLowerCase()}`]: { symbol: "USDC", decimals: 6 },
    [`${SOLANA_DEVNET} ${SOLANA_USDC}`]: { symbol: "USDC", decimals: 6 },
  },
};
const NAMED = REQUIREMENTS.extra;
const PERMIT = { ...NAMED, assetTransferMethod: "permit2" };
const UPTO = { scheme: "upto", extra: { ...PERMIT, facilitatorAddress: PAYEE } };
const SOLANA = {
  network: SOLANA_DEVNET,
  asset: SOLANA_USDC,
  payTo: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
  extra: { feePayer: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v" },
};

test.each<[what: string, change: Partial<PaymentRequirements>, way: ReturnType<typeof wayOf>]>([
  ["named token", {}, "eip3009"],
  ["token paid before the response", { extra: { ...NAMED, paymentFlow: "upfront" } }, "eip3009"],
  ["other flow", { extra: { ...NAMED, paymentFlow: "later" } }, undefined],
  ["amount that is not a number", { amount: "1.5" }, undefined],
  ["token without a name", { extra: { version: "2" } }, undefined],
  ["token without a version", { extra: { name: "USDC" } }, undefined],
  ["named method", { extra: { ...NAMED, assetTransferMethod: "eip3009" } }, "eip3009"],
  ["other method", { extra: { ...NAMED, assetTransferMethod: "other" } }, undefined],
  ["payment by Permit2", { extra: PERMIT }, "permit2"],
  ["payment by Permit2 of a token without a name", { extra: { assetTransferMethod: "permit2" } }, "permit2"],
  ["token without an address", { asset: "0x1" }, undefined],
  ["payee without an address", { payTo: "0x1" }, undefined],
  ["payment under upto", UPTO, "permit2"],
  ["payment under upto without a method", { ...UPTO, extra: { facilitatorAddress: PAYER } }, "permit2"],
  ["payment under upto by EIP-3009", { ...UPTO, extra: { ...UPTO.extra, assetTransferMethod: "eip3009" } }, undefined],
  ["payment under upto without a facilitator", { ...UPTO, extra: PERMIT }, undefined],
  [
    "payment under upto to a facilitator without an address",
    { ...UPTO, extra: { ...PERMIT, facilitatorAddress: "0x1" } },
    undefined,
  ],
  ["other scheme", { scheme: "batch-settlement" }, undefined],
  ["chain without a number", { network: "eip155:0" }, undefined],
  ["other chain", { network: "eip155:1" }, "eip3009"],
  ["payment on Solana", SOLANA, "solana"],
  ["payment on Solana with a memo", { ...SOLANA, extra: { ...SOLANA.extra, memo: "a" } }, "solana"],
  ["payment on Solana with a memo that is not a text", { ...SOLANA, extra: { ...SOLANA.extra, memo: 7 } }, undefined],
  ["payment on Solana without a payer of fees", { ...SOLANA, extra: {} }, undefined],
  ["payment on Solana of an unknown token", { ...SOLANA, asset: SOLANA.payTo }, undefined],
  ["payment on Solana under upto", { ...SOLANA, scheme: "upto" }, undefined],
  ["payment on a network without blockhashes", { ...SOLANA, network: "solana:other" }, undefined],
])("the way in which a wallet pays: %s", (_what, change, way) => {
  expect(wayOf({ ...REQUIREMENTS, ...change }, DATA)).toBe(way);
});

test.each<[change: Partial<PaymentRequirements>, price: string, offer: string, paid: string]>([
  [{}, "0.01 USDC", "0.01 USDC on Base Sepolia", "Paid 0.01 USDC"],
  [{ extra: PERMIT }, "0.01 USDC", "0.01 USDC on Base Sepolia, by Permit2", "Paid 0.01 USDC"],
  [UPTO, "up to 0.01 USDC", "up to 0.01 USDC on Base Sepolia", "Paid 0.005 USDC of at most 0.01 USDC"],
  [
    { network: "eip155:1" },
    `10000 units of ${REQUIREMENTS.asset}`,
    `10000 units of ${REQUIREMENTS.asset} on eip155:1`,
    `Paid 10000 units of ${REQUIREMENTS.asset}`,
  ],
])("an offer is named by its token and its network: %#", (change, price, offer, paid) => {
  const own = { ...REQUIREMENTS, ...change };
  expect([priceText(DATA, own), offerText(DATA, own), paidText(DATA, own, "5000")]).toEqual([price, offer, paid]);
  for (const charged of [5_000, "x"]) expect(paidText(DATA, own, charged)).toBe(`Paid ${price}`);
});
