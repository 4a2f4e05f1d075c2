import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import {
  BATCH_SETTLEMENT_CONTRACT,
  channelId,
  claimBatchHash,
  refundHash,
  voucherHash,
} from "../signatures/batch-settlement.ts";
import { COLLECTORS, depositHash } from "../signatures/channel-deposit.ts";
import { type Account, signHash } from "../signatures/signature.ts";
import { type Address, type Hex } from "../x402/address.ts";
import {
  BATCH_SETTLEMENT,
  type ChannelConfig,
  type ChannelRequirements,
  type Claim,
  type Deposit,
  type Voucher,
} from "../x402/channel-messages.ts";
import { type EvmNetwork } from "../x402/networks.ts";
import { type Chain, type TestToken } from "./chain.ts";
import { freshNonce } from "./payment.ts";

const MULTICALL3: Address = "0xcA11bde05977b3631167028862bE2a173976CA11";
/** The account that deploys at an address that depends only on salt and code. Chains for tests have it. */
const CREATE2: Address = "0x4e59b44847b379578588920cA78FbF26c0B4956C";
const SALTS = { contract: 0xe000000005be885cn, collector: 0x1800000007a95284n };
const FILE = join(import.meta.dir, "../../../../shared/data/contracts/x402-batch-settlement.json");
const code = z.custom<Hex>((value) => typeof value === "string" && /^0x[0-9a-f]+$/.test(value));

/** True if the published contracts are on this machine. */
export const hasPublishedChannels = existsSync(FILE);

/**
 * Puts the contracts of channels, Permit2 and Multicall3 at their addresses: substitutes, or the published creation code of
 * the channels' contract and its EIP-3009 collector.
 */
export async function placeChannels(chain: Chain, origin: "own" | "published" = "own"): Promise<void> {
  if (origin === "published") {
    const { batchInit, collInit } = z.object({ batchInit: code, collInit: code }).parse(await Bun.file(FILE).json());
    await deployAt(chain, SALTS.contract, batchInit);
    await deployAt(chain, SALTS.collector, collInit);
  } else {
    await chain.place("BatchSettlement", BATCH_SETTLEMENT_CONTRACT);
    await chain.place("Erc3009Collector", COLLECTORS.eip3009);
  }
  await chain.place("Permit2Collector", COLLECTORS.permit2);
  await chain.place("Permit2", "0x000000000022D473030F116dDEE9F6B43aC78BA3");
  await chain.place("Multicall3", MULTICALL3);
}

async function deployAt(chain: Chain, salt: bigint, creation: Hex): Promise<void> {
  await chain.send({ to: CREATE2, data: `0x${salt.toString(16).padStart(64, "0")}${creation.slice(2)}` });
}

/** The requirements of a seller whose key `authorizer` permits claims and refunds. */
export function channelRequirements(
  token: Pick<TestToken, "address" | "name" | "version">,
  network: EvmNetwork,
  seller: { readonly payTo: Address; readonly authorizer: Address; readonly amount?: string },
): ChannelRequirements {
  return {
    scheme: BATCH_SETTLEMENT,
    network,
    amount: seller.amount ?? "1000",
    asset: token.address,
    payTo: seller.payTo,
    maxTimeoutSeconds: 60,
    extra: {
      receiverAuthorizer: seller.authorizer,
      withdrawDelay: 900,
      name: token.name,
      version: token.version,
    },
  };
}

/** A channel of `payer`, by the requirements of a seller. A fresh salt makes it a new one. */
export function channelConfig(
  { payTo, asset, extra }: ChannelRequirements,
  payer: Address,
  change: Partial<ChannelConfig> = {},
): ChannelConfig {
  return {
    payer,
    payerAuthorizer: payer,
    // Requirements of tests have addresses.
    receiver: payTo as Address,
    receiverAuthorizer: extra["receiverAuthorizer"] as Address,
    token: asset as Address,
    withdrawDelay: Number(extra["withdrawDelay"]),
    salt: freshNonce(),
    ...change,
  };
}

export function signedVoucher(network: EvmNetwork, config: ChannelConfig, most: bigint, signer: Account): Voucher {
  const id = channelId(network, config);
  const maxClaimableAmount = String(most);
  const signature = signHash(voucherHash(network, id, maxClaimableAmount), signer.privateKey);
  return { channelId: id, maxClaimableAmount, signature };
}

/** A deposit of `amount` by EIP-3009 with a voucher over `most`. `now`: Unix seconds. */
export function signedDeposit(
  { network, asset, extra, maxTimeoutSeconds }: ChannelRequirements,
  config: ChannelConfig,
  { amount, most, signer, now }: { amount: bigint; most: bigint; signer: Account; now: number },
): Deposit {
  const known = network as EvmNetwork;
  const voucher = signedVoucher(known, config, most, signer);
  const unsigned: Deposit = {
    type: "deposit",
    channelConfig: config,
    voucher,
    deposit: {
      amount: String(amount),
      authorization: {
        erc3009Authorization: {
          validAfter: "0",
          validBefore: String(now + maxTimeoutSeconds),
          salt: freshNonce(),
          signature: `0x${"00".repeat(65)}`,
        },
      },
    },
  };
  const terms = {
    network: known,
    payer: config.payer,
    asset: { address: asset as Address, name: String(extra["name"]), version: String(extra["version"]) },
    channelId: voucher.channelId,
    amount: String(amount),
  };
  const signature = signHash(depositHash(terms, unsigned), signer.privateKey);
  const { authorization } = unsigned.deposit;
  if (!("erc3009Authorization" in authorization)) throw new Error("Cannot sign: not a deposit by EIP-3009");
  const erc3009Authorization = { ...authorization.erc3009Authorization, signature };
  return { ...unsigned, deposit: { ...unsigned.deposit, authorization: { erc3009Authorization } } };
}

export function claimOf(config: ChannelConfig, { maxClaimableAmount, signature }: Voucher, total: bigint): Claim {
  return { voucher: { channel: config, maxClaimableAmount }, signature, totalClaimed: String(total) };
}

/** The receiver authorizer's signatures of an order. */
export function signedClaims(network: EvmNetwork, claims: readonly Claim[], authorizer: Account): Hex {
  return signHash(claimBatchHash(network, claims), authorizer.privateKey);
}

export function signedRefund(
  network: EvmNetwork,
  config: ChannelConfig,
  { nonce, amount }: { nonce: bigint; amount: bigint },
  authorizer: Account,
): Hex {
  const id = channelId(network, config);
  return signHash(refundHash(network, id, String(nonce), String(amount)), authorizer.privateKey);
}
