import { keccak_256 } from "@noble/hashes/sha3.js";
import { hashText, hashWords, numberWord, signedHash, word } from "../../signatures/eip712.ts";
import { hexOf, publicKey, randomScalar, sign } from "./secp256k1.ts";
import { type Wallet } from "./wallets.ts";

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

interface Field {
  readonly name: string;
  readonly type: string;
}

/** Typed data of EIP-712 whose fields are numbers, addresses, words of 32 bytes and texts. */
interface TypedData {
  readonly types: Readonly<Record<string, readonly Field[]>>;
  readonly primaryType: string;
  readonly domain: Readonly<Record<string, string | number>>;
  readonly message: Readonly<Record<string, string | number>>;
}

function hashOf({ types, primaryType, domain, message }: TypedData): Uint8Array {
  const structHash = (name: string, values: TypedData["message"]) => {
    const fields = types[name] ?? [];
    const encoded = fields.map((field) => wordOf(field, values[field.name] ?? ""));
    const type = `${name}(${fields.map((field) => `${field.type} ${field.name}`).join(",")})`;
    return hashWords([hashText(type), ...encoded]);
  };
  return signedHash(structHash("EIP712Domain", domain), structHash(primaryType, message));
}

function wordOf({ type }: Field, value: string | number): Uint8Array {
  if (type === "string") return hashText(String(value));
  return type === "uint256" ? numberWord(BigInt(value)) : word(String(value).slice(2));
}

/** A wallet with a new key and no money, for test mode. It signs without a question. */
export function testWallet(): Wallet {
  const key = randomScalar();
  const address = `0x${hexOf(keccak_256(bytesOf(publicKey(key)))).slice(24)}`;
  let chain = "0x1";
  return {
    name: "a test wallet",
    icon: undefined,
    provider: {
      async request({ method, params = [] }) {
        if (method === "eth_requestAccounts") return [address];
        if (method === "eth_chainId") return chain;
        if (method === "wallet_switchEthereumChain") {
          // The page wrote it, as it did the typed data below.
          chain = (params[0] as { chainId: string }).chainId;
          return null;
        }
        return sign(hashOf(JSON.parse(String(params[1]))), key);
      },
    },
  };
}
