import { keccak_256 } from "@noble/hashes/sha3.js";
import { hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { type Hex } from "../../../x402/address.ts";
import { type Eip3009Payment } from "../../../x402/messages.ts";
import { signHash } from "../../../signatures/signature.ts";
import { encodeArguments, encodeCall } from "../../node/abi.ts";
import { type Shop, type TestAccount } from "../../testing/shop.ts";

function hashOf(text: string): Hex {
  return `0x${keccak_256(utf8ToBytes(text)).toHex()}`;
}

/** The payer cancels an authorization (EIP-3009) with a signature of their own. */
export async function cancelAuthorization(
  shop: Shop,
  { privateKey }: TestAccount,
  payment: Eip3009Payment,
): Promise<void> {
  const { from, nonce } = payment.payload.authorization;
  const domain = await shop.chain.call({ to: shop.token.address, data: encodeCall("DOMAIN_SEPARATOR()") });
  const type = hashOf("CancelAuthorization(address authorizer,bytes32 nonce)");
  const message = keccak_256(hexToBytes(encodeArguments([type, from, nonce])));
  const digest = keccak_256(Buffer.concat([Uint8Array.of(0x19, 0x01), hexToBytes(domain.slice(2)), message]));
  const signature = hexToBytes(signHash(digest, privateKey).slice(2));
  const data = encodeCall("cancelAuthorization(address,bytes32,bytes)", [from, nonce, signature]);
  await shop.chain.send({ to: shop.token.address, data });
}
