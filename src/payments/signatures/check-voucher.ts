import { sameAddress, isZero } from "../x402/address.ts";
import { type ChannelConfig, type Voucher } from "../x402/channel-messages.ts";
import { type EvmNetwork } from "../x402/networks.ts";
import { voucherHash } from "./batch-settlement.ts";
import { recoverSigner } from "./recover-signer.ts";

/**
 * Checks a voucher's signature. `chain`: the payer signs for itself, and only the chain knows whether the payer is a
 * contract, which then checks the signature (ERC-1271).
 */
export function checkVoucher(
  network: EvmNetwork,
  { payerAuthorizer }: Pick<ChannelConfig, "payerAuthorizer">,
  { channelId: id, maxClaimableAmount, signature }: Voucher,
): "valid" | "invalid" | "chain" {
  if (isZero(payerAuthorizer)) return "chain";
  const signer = recoverSigner(voucherHash(network, id, maxClaimableAmount), signature);
  return signer !== undefined && sameAddress(signer, payerAuthorizer) ? "valid" : "invalid";
}
