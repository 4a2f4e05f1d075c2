import { randomHex } from "../../../lib/text/random-hex.ts";
import { voucherHash } from "../../signatures/batch-settlement.ts";
import { COLLECTORS, depositHash } from "../../signatures/channel-deposit.ts";
import { type Account, signHash } from "../../signatures/signature.ts";
import { type Hex } from "../../x402/address.ts";
import { type EvmAsset } from "../../x402/assets.ts";
import { type Deposit, type DepositAuthorization, type Voucher } from "../../x402/channel-messages.ts";
import { type EvmNetwork } from "../../x402/networks.ts";
import { type Channel } from "./channel-file.ts";

/** Replaced by the signature, which the hash does not contain. */
const UNSIGNED: Hex = `0x${"00".repeat(65)}`;

/** Signs that the receiver may claim up to `maxClaimableAmount` in all from the channel. */
export function signVoucher(
  network: EvmNetwork,
  channelId: Hex,
  maxClaimableAmount: string,
  account: Account,
): Voucher {
  const signature = signHash(voucherHash(network, channelId, maxClaimableAmount), account.privateKey);
  return { channelId, maxClaimableAmount, signature };
}

/** True if this account has signed the voucher. Its signatures of one hash are always the same. */
export function isOwnVoucher(network: EvmNetwork, voucher: Voucher, account: Account): boolean {
  const own = signVoucher(network, voucher.channelId, voucher.maxClaimableAmount, account);
  return own.signature.toLowerCase() === voucher.signature.toLowerCase();
}

/** Signs a deposit of `amount` into the channel, which is valid until `expires` (Unix seconds). */
export function signDeposit(
  { id, network, config }: Channel,
  { asset, method }: { readonly asset: EvmAsset; readonly method: "eip3009" | "permit2" },
  { amount, expires }: { readonly amount: string; readonly expires: number },
  account: Account,
): Deposit["deposit"] {
  const terms = { network, payer: config.payer, asset, channelId: id, amount };
  const signed = (authorization: DepositAuthorization): Hex => {
    const voucher = { channelId: id, maxClaimableAmount: "0", signature: UNSIGNED };
    const deposit: Deposit = { type: "deposit", channelConfig: config, voucher, deposit: { amount, authorization } };
    return signHash(depositHash(terms, deposit), account.privateKey);
  };
  if (method === "permit2") {
    const permit = {
      from: config.payer,
      permitted: { token: asset.address, amount },
      spender: COLLECTORS.permit2,
      nonce: BigInt(`0x${randomHex()}`).toString(),
      deadline: String(expires),
      witness: { channelId: id },
    };
    const signature = signed({ permit2Authorization: { ...permit, signature: UNSIGNED } });
    return { amount, authorization: { permit2Authorization: { ...permit, signature } } };
  }
  const transfer = { validAfter: "0", validBefore: String(expires), salt: `0x${randomHex()}` as const };
  const signature = signed({ erc3009Authorization: { ...transfer, signature: UNSIGNED } });
  return { amount, authorization: { erc3009Authorization: { ...transfer, signature } } };
}
