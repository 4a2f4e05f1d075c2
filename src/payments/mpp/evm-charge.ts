import { bytesToHex } from "@noble/hashes/utils.js";
import { z } from "zod";
import { hashText } from "../signatures/eip712.ts";
import { type Address, type Hex, isAddress } from "../x402/address.ts";
import { checksumAddress } from "../x402/address-hash.ts";
import { findAsset } from "../x402/assets.ts";
import { type Eip3009Payment, eip3009PaymentSchema, type PaymentRequirements } from "../x402/messages.ts";
import { chainId, isEvm } from "../x402/networks.ts";
import { PERMIT2 } from "../x402/transfer.ts";
import { isByEip3009 } from "../x402/v1.ts";
import { decodeJson, encodeJson } from "./canonical-json.ts";
import { type PaymentChallenge } from "./challenge.ts";

/** The method and intent of a transfer of tokens on an EVM chain (draft-evm-charge-00). */
export const EVM = "evm";
export const CHARGE = "charge";
/** The only credential type that is accepted: an EIP-3009 authorization, as x402's `exact` scheme has it. */
const AUTHORIZATION = "authorization";

const requestSchema = z.looseObject({
  amount: z.string().regex(/^(?:0|[1-9][0-9]{0,77})$/),
  currency: z.custom<Address>((value) => typeof value === "string" && isAddress(value)),
  recipient: z.custom<Address>((value) => typeof value === "string" && isAddress(value)),
  methodDetails: z.looseObject({
    chainId: z.int().positive(),
    credentialTypes: z.array(z.string()).max(16).optional(),
    splits: z.array(z.unknown()).max(16).optional(),
  }),
});

/** True if requirements can be offered as a charge: they are paid by an EIP-3009 authorization on an EVM chain. */
export function isChargeable(requirements: PaymentRequirements): boolean {
  return isByEip3009(requirements) && isEvm(requirements.network);
}

/** The `request` of a challenge for payment requirements that are chargeable. */
export function chargeRequest({ amount, asset, payTo, network }: PaymentRequirements): string {
  const decimals = findAsset(network, asset)?.decimals;
  return encodeJson({
    amount,
    currency: checksummed(asset),
    recipient: checksummed(payTo),
    methodDetails: {
      chainId: Number(chainId(network)),
      credentialTypes: [AUTHORIZATION],
      permit2Address: PERMIT2,
      ...(decimals === undefined ? {} : { decimals }),
    },
  });
}

/** A charge in a list of prices (draft-payment-discovery-00). Without a fixed price its amount is null. */
export function chargeOffer({ amount, asset }: PaymentRequirements, isFixed: boolean) {
  return { intent: CHARGE, method: EVM, amount: isFixed ? amount : null, currency: checksummed(asset) } as const;
}

/** The charge of a challenge. Undefined if no single EIP-3009 authorization can pay it. */
export function readChargeRequest(request: string): ChargeRequest | undefined {
  const { success, data } = requestSchema.safeParse(decodeJson(request));
  if (!success) return undefined;
  const { amount, currency, recipient, methodDetails } = data;
  if (methodDetails.splits !== undefined || methodDetails.credentialTypes?.includes(AUTHORIZATION) !== true) {
    return undefined;
  }
  return { network: `eip155:${methodDetails.chainId}`, amount, asset: currency, payTo: recipient };
}

/** A charge with the names of x402. */
export type ChargeRequest = Pick<PaymentRequirements, "network" | "amount" | "asset" | "payTo">;

/** The nonce of the only authorization that pays for a challenge. */
export function challengeNonce({ id, realm }: Pick<PaymentChallenge, "id" | "realm">): Hex {
  return `0x${bytesToHex(hashText(id + realm))}`;
}

/** The payer of a charge, as the DID that a credential names. */
export function payerDid({ network }: Pick<ChargeRequest, "network">, address: Address): string {
  return `did:pkh:${network}:${checksumAddress(address)}`;
}

/** The payload of a credential as a payload of x402; undefined if it is another credential type, or malformed. */
export function readAuthorization(payload: Readonly<Record<string, unknown>>): Eip3009Payment["payload"] | undefined {
  const { type, signature, ...authorization } = payload;
  if (type !== AUTHORIZATION) return undefined;
  const { success, data } = eip3009PaymentSchema.shape.payload.safeParse({ signature, authorization });
  return success ? data : undefined;
}

/** A payload of x402 as the payload of a credential. */
export function writeAuthorization({ signature, authorization }: Eip3009Payment["payload"]): Record<string, string> {
  return { type: AUTHORIZATION, signature, ...authorization };
}

function checksummed(address: string): string {
  return isAddress(address) ? checksumAddress(address) : address;
}
