import { PROXIES } from "../x402/transfer.ts";
import { type Address, isAddress } from "../x402/address.ts";
import { type EvmNetwork } from "../x402/networks.ts";
import { type EvmPayment, type PaymentRequirements } from "../x402/messages.ts";
import { type Permit2Authorization, permit2Hash } from "./permit2-typed-data.ts";
import { type Account, signHash } from "./signature.ts";
import { type Authorization, authorizationHash } from "./typed-data.ts";

export interface UnsignedTransfer {
  readonly requirements: PaymentRequirements;
  /** The token by the signer's own knowledge: a domain from a peer could make the signature valid for another token. */
  readonly asset: {
    readonly network: EvmNetwork;
    readonly address: Address;
    readonly name: string;
    readonly version: string;
  };
  /** The contract that moves the money: the token itself, or Permit2. */
  readonly method: "eip3009" | "permit2";
  /** Unix seconds. */
  readonly validBefore: number;
  /** 32 bytes in hex, without `0x`. */
  readonly nonce: string;
}

/** Signs a transfer of the amount that the requirements ask for. Throws if an address in them is invalid. */
export function signTransfer(transfer: UnsignedTransfer, account: Account): EvmPayment["payload"] {
  return transfer.method === "permit2" ? permit(transfer, account) : authorize(transfer, account);
}

function addressOf(value: unknown, who: string): Address {
  if (typeof value !== "string" || !isAddress(value)) throw new Error(`Cannot pay: the ${who} is not an address`);
  return value;
}

function authorize({ requirements, asset, validBefore, nonce }: UnsignedTransfer, account: Account) {
  const authorization: Authorization = {
    from: account.address,
    to: addressOf(requirements.payTo, "payee"),
    value: requirements.amount,
    validAfter: "0",
    validBefore: String(validBefore),
    nonce: `0x${nonce}`,
  };
  const domain = { name: asset.name, version: asset.version, network: asset.network, asset: asset.address };
  return { signature: signHash(authorizationHash(domain, authorization), account.privateKey), authorization };
}

function permit({ requirements, asset, validBefore, nonce }: UnsignedTransfer, account: Account) {
  const { scheme, amount, extra } = requirements;
  const facilitator = scheme === "upto" ? addressOf(extra["facilitatorAddress"], "facilitator") : undefined;
  const permit2Authorization: Permit2Authorization = {
    permitted: { token: asset.address, amount },
    from: account.address,
    spender: PROXIES[scheme === "upto" ? "upto" : "exact"],
    nonce: BigInt(`0x${nonce}`).toString(),
    deadline: String(validBefore),
    witness: {
      to: addressOf(requirements.payTo, "payee"),
      ...(facilitator === undefined ? {} : { facilitator }),
      validAfter: "0",
    },
  };
  const hash = permit2Hash(asset.network, permit2Authorization);
  return { signature: signHash(hash, account.privateKey), permit2Authorization };
}
