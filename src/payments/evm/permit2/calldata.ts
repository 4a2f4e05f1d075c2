import { hexToBytes } from "@noble/hashes/utils.js";
import { type Hex } from "../../x402/address.ts";
import { type Permit2Payment } from "../../x402/messages.ts";
import { type GasPermit } from "../../signatures/gas-permit.ts";
import { type Permit2Authorization } from "../../signatures/permit2-typed-data.ts";
import { encodeCall } from "../node/abi.ts";

const PERMIT = "((address,uint256),uint256,uint256)";
const GAS_PERMIT = "(uint256,uint256,bytes32,bytes32,uint8)";
const EXACT = `${PERMIT},address,(address,uint256),bytes)`;
const UPTO = `${PERMIT},uint256,address,(address,address,uint256),bytes)`;
/** Words of a payer's permit for Permit2, which `settleWithPermit` has before the arguments of `settle`. */
const GAS_PERMIT_WORDS = 5;
type PermitWords = readonly [bigint, bigint, Hex, Hex, bigint];

function encode(
  authorization: Permit2Authorization,
  charge: bigint,
  signature: Uint8Array,
  gasPermit: PermitWords | undefined,
): Hex {
  const { permitted, from, nonce, deadline, witness } = authorization;
  const { facilitator } = witness;
  const values = [
    ...(gasPermit ?? []),
    permitted.token,
    BigInt(permitted.amount),
    BigInt(nonce),
    BigInt(deadline),
    ...(facilitator === undefined ? [from, witness.to] : [charge, from, witness.to, facilitator]),
    BigInt(witness.validAfter),
    signature,
  ];
  const name = gasPermit === undefined ? "settle(" : `settleWithPermit(${GAS_PERMIT},`;
  return encodeCall(name + (facilitator === undefined ? EXACT : UPTO), values);
}

/** The call of a proxy that moves `charge`; under `exact` the whole permitted amount moves. `permit`: allows it to Permit2 first. */
export function settleCall({ payload }: Permit2Payment, charge: bigint, permit?: GasPermit): Hex {
  const signature = hexToBytes(payload.signature.slice(2));
  return encode(payload.permit2Authorization, charge, signature, permit && wordsOf(permit));
}

function wordsOf({ amount, deadline, signature }: GasPermit): PermitWords {
  const [r, s, v] = [signature.slice(2, 66), signature.slice(66, 130), signature.slice(130)];
  return [BigInt(amount), BigInt(deadline), `0x${r}`, `0x${s}`, BigInt(`0x${v}`)];
}

const SELECTOR_CHARACTERS = 10;
const WORD_CHARACTERS = 64;
const NO_PERMIT: PermitWords = [0n, 0n, "0x", "0x", 0n];
/** The position of the charge under `upto`: after token, amount, nonce and deadline. */
const CHARGE_AT = SELECTOR_CHARACTERS + 4 * WORD_CHARACTERS;

/**
 * The amount that a call of the payment's proxy with `input` moved by this payment's authorization. The result is
 * `other` for another authorization, and `unclear` if the call is not `settle`. The signature is not compared, because
 * a valid signature can have several encodings.
 */
export function chargeOf(input: Hex, { payload }: Permit2Payment): bigint | "other" | "unclear" {
  const { permit2Authorization } = payload;
  const isUpto = permit2Authorization.witness.facilitator !== undefined;
  const withPermit = encode(permit2Authorization, 0n, new Uint8Array(), NO_PERMIT);
  const isPermit = input.toLowerCase().startsWith(withPermit.slice(0, SELECTOR_CHARACTERS));
  const cut = (call: string): string =>
    isPermit
      ? call.slice(0, SELECTOR_CHARACTERS) + call.slice(SELECTOR_CHARACTERS + GAS_PERMIT_WORDS * WORD_CHARACTERS)
      : call;
  const said = cut(input.toLowerCase());
  const word = isUpto ? said.slice(CHARGE_AT, CHARGE_AT + WORD_CHARACTERS) : "0";
  if (!/^[0-9a-f]+$/.test(word)) return "unclear";
  const charge = isUpto ? BigInt(`0x${word}`) : BigInt(permit2Authorization.permitted.amount);
  const expected = cut(encode(permit2Authorization, charge, new Uint8Array(), isPermit ? NO_PERMIT : undefined));
  if (!said.startsWith(expected.slice(0, SELECTOR_CHARACTERS))) return "unclear";
  // Without the last word, which is the signature's length.
  return said.startsWith(expected.slice(0, -WORD_CHARACTERS).toLowerCase()) ? charge : "other";
}
