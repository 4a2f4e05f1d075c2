import { hexToBytes } from "@noble/hashes/utils.js";
import { type Address, type Hex } from "../../x402/address.ts";
import { type Authorization } from "../../signatures/typed-data.ts";
import { encodeCall } from "../node/abi.ts";

/** USDC 2.2 has both forms; older tokens have only this one. */
const BY_PARTS = "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)";
const BY_BYTES = "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)";
const PLAIN_SIGNATURE_BYTES = 65;

/** The topic of the event of an authorization that was used (EIP-3009), with payer and nonce. */
export const AUTHORIZATION_USED: Hex = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";
/** The topic of the event of an authorization that was canceled (EIP-3009), with payer and nonce. */
export const AUTHORIZATION_CANCELED: Hex = "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81";

/** The call that moves the money. */
export function transferCall(authorization: Authorization, signature: Hex): Hex {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const head = [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce] as const;
  const bytes = hexToBytes(signature.slice(2));
  if (bytes.length !== PLAIN_SIGNATURE_BYTES) return encodeCall(BY_BYTES, [...head, bytes]);
  const digits = signature.slice(2);
  const v = BigInt(bytes[64] ?? 0);
  return encodeCall(BY_PARTS, [...head, v, `0x${digits.slice(0, 64)}`, `0x${digits.slice(64, 128)}`]);
}

/** Reads the balance of an account in the token, in its smallest unit. */
export function balanceCall(owner: Address): Hex {
  return encodeCall("balanceOf(address)", [owner]);
}

/** Reads the state of a nonce. It is not 0 if the nonce was used, or its authorization canceled. */
export function stateCall({ from, nonce }: { readonly from: Address; readonly nonce: Hex }): Hex {
  return encodeCall("authorizationState(address,bytes32)", [from, nonce]);
}

/** Reads the name of the token, which is part of its EIP-712 domain. */
export function nameCall(): Hex {
  return encodeCall("name()");
}

/** Reads the version of the token, which is part of its EIP-712 domain. */
export function versionCall(): Hex {
  return encodeCall("version()");
}
