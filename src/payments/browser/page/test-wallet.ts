import { keccak_256 } from "@noble/hashes/sha3.js";
import { hashText, hashWords, numberWord, signedHash, word } from "../../signatures/eip712.ts";
import { hexOf, publicKey, randomScalar, sign } from "./secp256k1.ts";
import { type Provider } from "./evm-wallet.ts";
import { evm } from "./sign-evm.ts";
import { type Wallet } from "./wallet.ts";

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

interface Field {
  readonly name: string;
  readonly type: string;
}

type Value = string | number | { readonly [name: string]: Value };

/** Typed data of EIP-712 whose fields are numbers, addresses, words of 32 bytes, texts and other types. */
interface TypedData {
  readonly types: Readonly<Record<string, readonly Field[]>>;
  readonly primaryType: string;
  readonly domain: Readonly<Record<string, Value>>;
  readonly message: Readonly<Record<string, Value>>;
}

function hashOf({ types, primaryType, domain, message }: TypedData): Uint8Array {
  const fieldsOf = (name: string) => types[name] ?? [];
  const written = (name: string) =>
    `${name}(${fieldsOf(name)
      .map((field) => `${field.type} ${field.name}`)
      .join(",")})`;
  const structHash = (name: string, values: TypedData["message"]): Uint8Array => {
    // The types of its fields follow in the order of their names. None of them has such fields itself.
    const used = fieldsOf(name).flatMap(({ type }) => (type in types ? [type] : []));
    const encoded = fieldsOf(name).map(({ type, name: key }) => {
      const value = values[key] ?? "";
      return typeof value === "object" ? structHash(type, value) : wordOf(type, value);
    });
    return hashWords([hashText([name, ...used.toSorted()].map(written).join("")), ...encoded]);
  };
  return signedHash(structHash("EIP712Domain", domain), structHash(primaryType, message));
}

function wordOf(type: string, value: string | number): Uint8Array {
  if (type === "string") return hashText(String(value));
  return type === "uint256" ? numberWord(BigInt(value)) : word(String(value).slice(2));
}

/** A wallet with a new key and no money, for test mode. It signs without a question. */
export function testWallet(): Wallet {
  const key = randomScalar();
  const address = `0x${hexOf(keccak_256(bytesOf(publicKey(key)))).slice(24)}`;
  let chain = "0x1";
  const provider: Provider = {
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
  };
  return { name: "a test wallet", icon: undefined, ...evm(provider) };
}
