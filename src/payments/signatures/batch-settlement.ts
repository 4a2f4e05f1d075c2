import { bytesToHex } from "@noble/hashes/utils.js";
import { NewestMap } from "../../lib/memory/newest-map.ts";
import { type Address, type Hex } from "../x402/address.ts";
import { type ChannelConfig, type Claim } from "../x402/channel-messages.ts";
import { type EvmNetwork } from "../x402/networks.ts";
import { hashType, hashWords, numberWord, signedHash, word } from "./eip712.ts";
import { domainHash } from "./typed-data.ts";

/** The contract that keeps the money of all channels: at the same address on every chain. */
export const BATCH_SETTLEMENT_CONTRACT: Address = "0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003";

const CONFIG_TYPE =
  "ChannelConfig(address payer,address payerAuthorizer,address receiver,address receiverAuthorizer,address token,uint40 withdrawDelay,bytes32 salt)";
const VOUCHER_TYPE = "Voucher(bytes32 channelId,uint128 maxClaimableAmount)";
const REFUND_TYPE = "Refund(bytes32 channelId,uint256 nonce,uint128 amount)";
const CLAIM_ENTRY = "ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)";
const CLAIM_BATCH = `ClaimBatch(ClaimEntry[] claims)${CLAIM_ENTRY}`;

/** Networks whose domain is kept; beyond it the oldest one is hashed again. */
const MAX_DOMAINS = 64;
const domains = new NewestMap<EvmNetwork, Uint8Array>(MAX_DOMAINS);

/** Kept, because each voucher needs it. */
function domainOf(network: EvmNetwork): Uint8Array {
  const known = domains.get(network);
  if (known !== undefined) return known;
  const asset = BATCH_SETTLEMENT_CONTRACT;
  const hash = domainHash({ name: "x402 Batch Settlement", version: "1", network, asset });
  domains.set(network, hash);
  return hash;
}

/** Channels whose id is kept; beyond it the oldest one is hashed again. */
const MAX_IDS = 4096;
const ids = new NewestMap<string, Hex>(MAX_IDS);

/** The id of the channel with this config on one chain, in lower case. Kept, because each voucher needs it. */
export function channelId(network: EvmNetwork, config: ChannelConfig): Hex {
  const { payer, payerAuthorizer, receiver, receiverAuthorizer, token, withdrawDelay, salt } = config;
  const text = [network, payer, payerAuthorizer, receiver, receiverAuthorizer, token, withdrawDelay, salt].join(" ");
  const known = ids.get(text);
  if (known !== undefined) return known;
  const id = hashConfig(network, config);
  ids.set(text, id);
  return id;
}

function hashConfig(network: EvmNetwork, config: ChannelConfig): Hex {
  const { payer, payerAuthorizer, receiver, receiverAuthorizer, token, withdrawDelay, salt } = config;
  const struct = hashWords([
    hashType(CONFIG_TYPE),
    ...[payer, payerAuthorizer, receiver, receiverAuthorizer, token].map((address) => word(address.slice(2))),
    numberWord(BigInt(withdrawDelay)),
    word(salt.slice(2)),
  ]);
  return `0x${bytesToHex(signedHash(domainOf(network), struct))}`;
}

/** The 32 bytes that a payer signs for a voucher. */
export function voucherHash(network: EvmNetwork, id: Hex, maxClaimableAmount: string): Uint8Array {
  const struct = hashWords([hashType(VOUCHER_TYPE), word(id.slice(2)), numberWord(BigInt(maxClaimableAmount))]);
  return signedHash(domainOf(network), struct);
}

/** The 32 bytes that a receiver authorizer signs for a refund of at most `amount`. `nonce`: the channel's own. */
export function refundHash(network: EvmNetwork, id: Hex, nonce: string, amount: string): Uint8Array {
  const struct = hashWords([
    hashType(REFUND_TYPE),
    word(id.slice(2)),
    numberWord(BigInt(nonce)),
    numberWord(BigInt(amount)),
  ]);
  return signedHash(domainOf(network), struct);
}

/** The 32 bytes that a receiver authorizer signs for these claims, in this order. */
export function claimBatchHash(network: EvmNetwork, claims: readonly Claim[]): Uint8Array {
  const entries = claims.map(({ voucher, totalClaimed }) =>
    hashWords([
      hashType(CLAIM_ENTRY),
      word(channelId(network, voucher.channel).slice(2)),
      numberWord(BigInt(voucher.maxClaimableAmount)),
      numberWord(BigInt(totalClaimed)),
    ]),
  );
  return signedHash(domainOf(network), hashWords([hashType(CLAIM_BATCH), hashWords(entries)]));
}
