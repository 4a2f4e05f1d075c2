import { hexToBytes } from "@noble/hashes/utils.js";
import { type Hex } from "../../x402/address.ts";
import { type Permit2Payment } from "../../x402/messages.ts";
import { type Permit2Authorization } from "../../signatures/permit2-typed-data.ts";
import { encodeCall } from "../node/abi.ts";

const PERMIT = "((address,uint256),uint256,uint256)";
const SETTLE_EXACT = `settle(${PERMIT},address,(address,uint256),bytes)`;
const SETTLE_UPTO = `settle(${PERMIT},uint256,address,(address,address,uint256),bytes)`;

function encode(authorization: Permit2Authorization, charge: bigint, signature: Uint8Array): Hex {
  const { permitted, from, nonce, deadline, witness } = authorization;
  const permit = [permitted.token, BigInt(permitted.amount), BigInt(nonce), BigInt(deadline)] as const;
  const validAfter = BigInt(witness.validAfter);
  if (witness.facilitator === undefined) {
    return encodeCall(SETTLE_EXACT, [...permit, from, witness.to, validAfter, signature]);
  }
  return encodeCall(SETTLE_UPTO, [...permit, charge, from, witness.to, witness.facilitator, validAfter, signature]);
}

/** The call of a proxy that moves `charge`; under `exact` the whole permitted amount moves. */
export function settleCall({ payload }: Permit2Payment, charge: bigint): Hex {
  return encode(payload.permit2Authorization, charge, hexToBytes(payload.signature.slice(2)));
}

const SELECTOR_CHARACTERS = 10;
const WORD_CHARACTERS = 64;
/** The position of the charge under `upto`: after token, amount, nonce and deadline. */
const CHARGE_AT = SELECTOR_CHARACTERS + 4 * WORD_CHARACTERS;

/**
 * The amount that a call of the payment's proxy with `input` moved by this payment's authorization. The result is
 * `other` for another authorization, and `unclear` if the call is not `settle`. The signature is not compared, because
 * a valid signature can have several encodings.
 */
export function chargeOf(input: Hex, { payload }: Permit2Payment): bigint | "other" | "unclear" {
  const { permit2Authorization } = payload;
  const said = input.toLowerCase();
  const isUpto = permit2Authorization.witness.facilitator !== undefined;
  const word = isUpto ? said.slice(CHARGE_AT, CHARGE_AT + WORD_CHARACTERS) : "0";
  if (!/^[0-9a-f]+$/.test(word)) return "unclear";
  const charge = isUpto ? BigInt(`0x${word}`) : BigInt(permit2Authorization.permitted.amount);
  const expected = encode(permit2Authorization, charge, new Uint8Array());
  if (!said.startsWith(expected.slice(0, SELECTOR_CHARACTERS))) return "unclear";
  // Without the last word, which is the signature's length.
  return said.startsWith(expected.slice(0, -WORD_CHARACTERS).toLowerCase()) ? charge : "other";
}
