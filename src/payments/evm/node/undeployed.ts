import { hexToBytes } from "@noble/hashes/utils.js";
import { type Address, type Hex } from "../../x402/address.ts";
import { addressOfWord, encodeCall, wordAt } from "./abi.ts";
import { type EvmNode } from "./node.ts";
import { codeRequest } from "./requests.ts";
import { isRpcError, type RpcError } from "./rpc.ts";

/** The contract that makes several calls in one transaction: at the same address on every chain. */
const MULTICALL3: Address = "0xcA11bde05977b3631167028862bE2a173976CA11";
/** The last bytes of a signature of an account that may not be deployed yet (ERC-6492). */
const MAGIC = "6492".repeat(16);
const WORD_DIGITS = 64;

/** A signature of an account, and the call that deploys the account if it has no code (ERC-6492). */
interface WrappedSignature {
  readonly factory: Address;
  readonly data: Hex;
  readonly signature: Hex;
}

/** A call of a contract. `settlements`: the number of settlements whose gas it may use. */
interface ContractCall {
  readonly to: Address;
  readonly data: Hex;
  readonly settlements?: number;
}

function bytesAt(digits: string, index: number): Hex | undefined {
  const offset = wordAt(`0x${digits}`, index);
  if (offset === undefined || offset > BigInt(digits.length / 2)) return undefined;
  const start = 2 * Number(offset);
  const length = wordAt(`0x${digits.slice(start, start + WORD_DIGITS)}`, 0);
  if (length === undefined || length > BigInt(digits.length / 2)) return undefined;
  const bytes = digits.slice(start + WORD_DIGITS, start + WORD_DIGITS + 2 * Number(length));
  return bytes.length === 2 * Number(length) ? `0x${bytes}` : undefined;
}

/** The parts of a wrapped signature. `plain`: it is not wrapped. Undefined: its content is malformed. */
function unwrap(signature: Hex): WrappedSignature | "plain" | undefined {
  if (!signature.endsWith(MAGIC)) return "plain";
  const digits = signature.slice(2, -MAGIC.length);
  const factory = addressOfWord(`0x${digits.slice(0, WORD_DIGITS)}`);
  const [data, inner] = [bytesAt(digits, 1), bytesAt(digits, 2)];
  return factory === undefined || data === undefined || inner === undefined
    ? undefined
    : { factory, data, signature: inner };
}

/**
 * Makes a call after the deployment of an account, in one transaction: it succeeds only if the call does. Another account
 * may deploy it first, so the deployment itself may fail.
 */
function afterDeployment({ factory, data }: WrappedSignature, call: ContractCall): ContractCall {
  const calls = [
    { kind: "tuple", items: [factory, 1n, hexToBytes(data.slice(2))] },
    { kind: "tuple", items: [call.to, 0n, hexToBytes(call.data.slice(2))] },
  ] as const;
  const encoded = encodeCall("aggregate3((address,bool,bytes)[])", [{ kind: "array", items: calls }]);
  return { to: MULTICALL3, data: encoded, settlements: 2 };
}

/** The call by a payer's signature; after the deployment of the payer's account, if it needs one. */
export interface PlannedCall extends ContractCall {
  /** Without what it is wrapped in. */
  readonly signature: Hex;
  /** True if only the call itself can check the signature. */
  readonly isUndeployed: boolean;
}

/** Plans the call that `callOf` makes of a plain signature. */
export async function planCall(
  node: EvmNode,
  { payer, signature }: { readonly payer: Address; readonly signature: Hex },
  callOf: (signature: Hex) => ContractCall,
): Promise<PlannedCall | RpcError> {
  const wrapped = unwrap(signature);
  if (wrapped === "plain" || wrapped === undefined) return { ...callOf(signature), signature, isUndeployed: false };
  const [code, multicall] = await node.readAll<[Hex, Hex]>(codeRequest(payer), codeRequest(MULTICALL3));
  if (isRpcError(code)) return code;
  if (isRpcError(multicall)) return multicall;
  const { signature: inner } = wrapped;
  if (code !== "0x") return { ...callOf(inner), signature: inner, isUndeployed: false };
  // A call to an address without code succeeds and does nothing.
  if (multicall === "0x") return { error: "failed", cause: "there is no Multicall3 on this chain" };
  return { ...afterDeployment(wrapped, callOf(inner)), signature: inner, isUndeployed: true };
}

/** The factories that may be called to deploy the accounts of payers. */
export class Factories {
  readonly #allowed: ReadonlySet<string>;

  constructor(addresses: readonly string[]) {
    this.#allowed = new Set(addresses.map((address) => address.toLowerCase()));
  }

  /** True if a payer may bring this signature: a plain one, or one that is wrapped with the call of such a factory. */
  allows(signature: Hex): boolean {
    const wrapped = unwrap(signature);
    return wrapped === "plain" || (wrapped !== undefined && this.#allowed.has(wrapped.factory.toLowerCase()));
  }
}
