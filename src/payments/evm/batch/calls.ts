import { hexToBytes } from "@noble/hashes/utils.js";
import { COLLECTORS } from "../../signatures/channel-deposit.ts";
import { type Address, type Hex } from "../../x402/address.ts";
import { type ChannelConfig, type Claim, type Deposit } from "../../x402/channel-messages.ts";
import { type Argument, encodeArguments, encodeCall } from "../node/abi.ts";

const CONFIG = "(address,address,address,address,address,uint40,bytes32)";
const CLAIMS = `((${CONFIG},uint128),bytes,uint128)[]`;

/** The topic of the event of a deposit, with the channel's id. */
export const DEPOSITED: Hex = "0x6c2a09353b5e75e70d0b9778b80a413809bb235d46c211811c474b3346791d89";
/** The topic of the event of a claim, with the channel's id. */
export const CLAIMED: Hex = "0x36bd546bb573e8921fdbfd934bbed62d872796b01792cd240cce27f79dd3eddd";
/** The topic of the event of a payment to a receiver, with receiver and token. */
export const SETTLED: Hex = "0x7337b4386b690fdb8ba66905b92b9d45d33bc6626ee2620c905fb150ec0cc47d";
/** The topic of the event of a refund, with the channel's id. */
export const REFUNDED: Hex = "0xa84286cf8ebc7903a663c77c8d99aa92b600d4c2fcca872a5d4a663db4eb394b";

function bytesOf(hex: Hex): Uint8Array {
  return hexToBytes(hex.slice(2));
}

function configWords(config: ChannelConfig): readonly Argument[] {
  const { payer, payerAuthorizer, receiver, receiverAuthorizer, token, withdrawDelay, salt } = config;
  return [payer, payerAuthorizer, receiver, receiverAuthorizer, token, BigInt(withdrawDelay), salt];
}

function claimRows(claims: readonly Claim[]): Argument {
  const items = claims.map(({ voucher, signature, totalClaimed }) => {
    const head = [...configWords(voucher.channel), BigInt(voucher.maxClaimableAmount)];
    return { kind: "tuple", items: [...head, bytesOf(signature), BigInt(totalClaimed)] } as const;
  });
  return { kind: "array", items };
}

/** Reads balance and claimed total of a channel. */
export function channelCall(id: Hex): Hex {
  return encodeCall("channels(bytes32)", [id]);
}

/** Reads the amount of the pending withdrawal of a channel, and when it was asked for. */
export function withdrawalCall(id: Hex): Hex {
  return encodeCall("pendingWithdrawals(bytes32)", [id]);
}

/** Reads how many refunds a channel has had. */
export function refundNonceCall(id: Hex): Hex {
  return encodeCall("refundNonce(bytes32)", [id]);
}

/** Reads what a receiver has claimed and what it was paid. */
export function receiverCall(receiver: Address, token: Address): Hex {
  return encodeCall("receivers(address,address)", [receiver, token]);
}

/** Moves a deposit into its channel. `signature`: the authorization's signature, without its wrapper. */
export function depositCall({ channelConfig, deposit }: Deposit, signature: Hex): Hex {
  const { amount, authorization } = deposit;
  const isErc3009 = "erc3009Authorization" in authorization;
  let data: string;
  if (isErc3009) {
    const { validAfter, validBefore, salt } = authorization.erc3009Authorization;
    data = encodeArguments([BigInt(validAfter), BigInt(validBefore), salt, bytesOf(signature)]);
  } else {
    const { nonce, deadline } = authorization.permit2Authorization;
    data = encodeArguments([BigInt(nonce), BigInt(deadline), bytesOf(signature), new Uint8Array()]);
  }
  const collector = COLLECTORS[isErc3009 ? "eip3009" : "permit2"];
  const args = [...configWords(channelConfig), BigInt(amount), collector, hexToBytes(data)];
  return encodeCall(`deposit(${CONFIG},uint128,address,bytes)`, args);
}

/** Claims, by a receiver or its authorizer. */
export function claimCall(claims: readonly Claim[]): Hex {
  return encodeCall(`claim(${CLAIMS})`, [claimRows(claims)]);
}

/** Claims, by any account, with the authorizer's signature. */
export function signedClaimCall(claims: readonly Claim[], signature: Hex): Hex {
  return encodeCall(`claimWithSignature(${CLAIMS},bytes)`, [claimRows(claims), bytesOf(signature)]);
}

/** Pays a receiver all that it has claimed. */
export function settleCall(receiver: Address, token: Address): Hex {
  return encodeCall("settle(address,address)", [receiver, token]);
}

export interface SignedRefund {
  readonly amount: string;
  readonly nonce: string;
  /** The signature of the receiver authorizer. */
  readonly signature: Hex;
}

/** Gives money that is not claimed back to the payer. */
export function refundCall(config: ChannelConfig, { amount, nonce, signature }: SignedRefund): Hex {
  const args = [...configWords(config), BigInt(amount), BigInt(nonce), bytesOf(signature)];
  return encodeCall(`refundWithSignature(${CONFIG},uint128,uint256,bytes)`, args);
}

/** Several calls in one: all succeed, or none. */
export function multicall(calls: readonly Hex[]): Hex {
  return encodeCall("multicall(bytes[])", [{ kind: "array", items: calls.map(bytesOf) }]);
}

/** Asks for a withdrawal, by the payer. */
export function initiateWithdrawCall(config: ChannelConfig, amount: bigint): Hex {
  return encodeCall(`initiateWithdraw(${CONFIG},uint128)`, [...configWords(config), amount]);
}

/** Takes a withdrawal after its delay, by the payer. */
export function finalizeWithdrawCall(config: ChannelConfig): Hex {
  return encodeCall(`finalizeWithdraw(${CONFIG})`, configWords(config));
}
