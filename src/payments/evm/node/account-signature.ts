import { hexToBytes } from "@noble/hashes/utils.js";
import { recoverSigner } from "../../signatures/recover-signer.ts";
import { type Address, type Hex, sameAddress } from "../../x402/address.ts";
import { encodeCall } from "./abi.ts";
import { type EvmNode } from "./node.ts";
import { callRequest, codeRequest } from "./requests.ts";
import { type RpcError, isRpcError } from "./rpc.ts";

/** The result of an ERC-1271 call for a valid signature: the function's selector as a word. */
const IS_VALID = `0x1626ba7e${"0".repeat(56)}`;

/** Asks a contract whether it has signed `hash` (ERC-1271). `gas` is the most that the check may take. */
export async function isSignedByContract(
  node: EvmNode,
  contract: Address,
  { hash, signature, gas }: { readonly hash: Uint8Array; readonly signature: Hex; readonly gas: bigint },
): Promise<boolean | RpcError> {
  const data = encodeCall("isValidSignature(bytes32,bytes)", [`0x${hash.toHex()}`, hexToBytes(signature.slice(2))]);
  const response = await node.read(callRequest(contract, data, { gas }));
  if (isRpcError(response)) return response.refusal === "reverted" ? false : response;
  return response.slice(0, IS_VALID.length).toLowerCase() === IS_VALID;
}

/** True if `account` has signed `hash`. A contract decides itself, as tokens and Permit2 let it. */
export async function isSignedBy(
  node: EvmNode,
  account: Address,
  signed: { readonly hash: Uint8Array; readonly signature: Hex; readonly gas: bigint },
): Promise<boolean | RpcError> {
  const code = await node.read(codeRequest(account));
  if (isRpcError(code)) return code;
  if (code !== "0x") return await isSignedByContract(node, account, signed);
  const signer = recoverSigner(signed.hash, signed.signature);
  return signer !== undefined && sameAddress(signer, account);
}
