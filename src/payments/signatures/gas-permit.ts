import { z } from "zod";
import { sameAddress } from "../x402/address.ts";
import {
  addressSchema,
  atomicSchema,
  type PaymentPayload,
  type Permit2Payment,
  signatureSchema,
} from "../x402/messages.ts";
import { type EvmNetwork } from "../x402/networks.ts";
import { type Reason } from "../x402/reasons.ts";
import { PERMIT2 } from "../x402/transfer.ts";
import { hashType, hashWords, numberWord, signedHash, word } from "./eip712.ts";
import { type Account, signHash } from "./signature.ts";
import { domainHash } from "./typed-data.ts";

/** The extension by which a payer lets Permit2 move its token by a signature (EIP-2612), and the facilitator pays the gas. */
export const GAS_PERMIT = "eip2612GasSponsoring";

/** The extension in a challenge: the version, and the form of the client's part. */
export const GAS_PERMIT_DECLARATION = {
  info: { description: "The facilitator pays the gas of a permit for Permit2 (EIP-2612)", version: "1" },
  schema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: Object.fromEntries(
      ["from", "asset", "spender", "amount", "nonce", "deadline", "signature", "version"].map((name) => [
        name,
        { type: "string" },
      ]),
    ),
    required: ["from", "asset", "spender", "amount", "nonce", "deadline", "signature", "version"],
  },
};

const PERMIT_TYPE = "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)";
/** The remaining validity that a permit needs so that it can be used in time, in seconds. */
const SETTLEMENT_GUARD_S = 6n;

const permitSchema = z.object({
  from: addressSchema,
  asset: addressSchema,
  spender: addressSchema,
  amount: atomicSchema,
  nonce: atomicSchema,
  /** Unix seconds. */
  deadline: atomicSchema,
  signature: signatureSchema.refine((text) => text.length === 132),
  version: z.literal("1"),
});
const extensionSchema = z.object({ info: permitSchema });

/** A permit of a payer for Permit2, as the extension contains it. */
export type GasPermit = z.infer<typeof permitSchema>;

/** The permit in a payment; undefined without one, as in the seller's own declaration. */
export function gasPermitOf({ extensions }: Pick<PaymentPayload, "extensions">): GasPermit | undefined {
  return extensionSchema.safeParse(extensions?.[GAS_PERMIT]).data?.info;
}

/** Checks that the payment's permit is for its payer, token and amount, and for Permit2. `now`: Unix seconds. */
export function checkGasPermit(payment: Permit2Payment, now: number): Reason | undefined {
  const permit = gasPermitOf(payment);
  if (permit === undefined) return undefined;
  const { from, permitted } = payment.payload.permit2Authorization;
  if (!sameAddress(permit.from, from)) return "eip2612_from_mismatch";
  if (!sameAddress(permit.asset, permitted.token)) return "eip2612_asset_mismatch";
  if (!sameAddress(permit.spender, PERMIT2)) return "eip2612_spender_not_permit2";
  if (BigInt(permit.amount) !== BigInt(permitted.amount)) return "permit2_2612_amount_mismatch";
  return BigInt(permit.deadline) < BigInt(Math.floor(now)) + SETTLEMENT_GUARD_S
    ? "eip2612_deadline_expired"
    : undefined;
}

/** Signs that Permit2 may move `amount`. The domain is that of the token by the signer's own knowledge. */
export function signGasPermit(
  asset: {
    readonly network: EvmNetwork;
    readonly address: `0x${string}`;
    readonly name: string;
    readonly version: string;
  },
  { amount, nonce, deadline }: { readonly amount: string; readonly nonce: bigint; readonly deadline: number },
  account: Account,
): GasPermit {
  const { network, address, name, version } = asset;
  const struct = hashWords([
    hashType(PERMIT_TYPE),
    word(account.address.slice(2)),
    word(PERMIT2.slice(2)),
    numberWord(BigInt(amount)),
    numberWord(nonce),
    numberWord(BigInt(deadline)),
  ]);
  const hash = signedHash(domainHash({ name, version, network, asset: address }), struct);
  return {
    from: account.address,
    asset: address,
    spender: PERMIT2,
    amount,
    nonce: nonce.toString(),
    deadline: String(deadline),
    signature: signHash(hash, account.privateKey),
    version: "1",
  };
}
