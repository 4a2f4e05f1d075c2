import { z } from "zod";
import { addressOfPrivateKey, signHash } from "./signature.ts";
import { recoverSigner } from "./recover-signer.ts";
import { hashText, hashType, hashWords, numberWord, signedHash } from "./eip712.ts";
import { didOfPrivateKey, type JwsAlgorithm, signJws, verifyJws } from "./jws.ts";

/** The name of the extension in challenges and receipts. */
export const OFFER_RECEIPT = "offer-receipt";

const text = z.string().max(4096);
const time = z.int().nonnegative();

/** An offer of a seller: one set of payment requirements for one URL. Times are Unix seconds. */
const offerSchema = z.strictObject({
  version: z.literal(1),
  resourceUrl: text,
  scheme: text,
  network: text,
  asset: text,
  payTo: text,
  amount: text,
  validUntil: time.default(0),
});
/** That a payment was received for a URL. */
const receiptPayloadSchema = z.strictObject({
  version: z.literal(1),
  network: text,
  resourceUrl: text,
  payer: text,
  issuedAt: time,
  transaction: text.default(""),
});

export type Offer = z.infer<typeof offerSchema>;
export type ReceiptPayload = z.infer<typeof receiptPayloadSchema>;
export type Statement = Offer | ReceiptPayload;

/** A statement and its signature. Under `jws` the signature contains the statement. */
export type Signed =
  | { readonly format: "eip712"; readonly payload: Statement; readonly signature: string }
  | { readonly format: "jws"; readonly signature: string };

/** The key of a seller's statements. It should not be the key of an address that receives money. */
export interface StatementKey {
  readonly format: "eip712" | "jws";
  /** Only for `jws`. */
  readonly algorithm: JwsAlgorithm;
  /** A key of 32 bytes: secp256k1 under `eip712` and ES256K, Ed25519 under EdDSA. */
  readonly privateKey: Uint8Array;
  /** The DID URL of the public key in a JWS. Empty: `did:key`, which contains the key. */
  readonly kid: string;
}

export interface CheckedStatement {
  readonly kind: "offer" | "receipt";
  readonly statement: Statement;
  /** The address of the key, or its `did:key`. */
  readonly signer: string;
  /** The DID URL in a JWS; empty under `eip712`. */
  readonly kid: string;
}

const DOMAIN_TYPE = "EIP712Domain(string name,string version,uint256 chainId)";
const OFFER_TYPE =
  "Offer(uint256 version,string resourceUrl,string scheme,string network,string asset,string payTo,string amount,uint256 validUntil)";
const RECEIPT_TYPE =
  "Receipt(uint256 version,string network,string resourceUrl,string payer,uint256 issuedAt,string transaction)";

/** The chain id of both domains is always 1, and there is no contract. */
function domain(name: string): Uint8Array {
  return hashWords([hashType(DOMAIN_TYPE), hashType(name), hashType("1"), numberWord(1n)]);
}

function number(value: number): Uint8Array {
  return numberWord(BigInt(value));
}

function hashOf(statement: Statement): Uint8Array {
  if ("payTo" in statement) {
    const { version, resourceUrl, scheme, network, asset, payTo, amount, validUntil } = statement;
    const words = [resourceUrl, scheme, network, asset, payTo, amount].map(hashText);
    return signedHash(
      domain("x402 offer"),
      hashWords([hashType(OFFER_TYPE), number(version), ...words, number(validUntil)]),
    );
  }
  const { version, network, resourceUrl, payer, issuedAt, transaction } = statement;
  const words = [number(version), ...[network, resourceUrl, payer].map(hashText), number(issuedAt)];
  return signedHash(domain("x402 receipt"), hashWords([hashType(RECEIPT_TYPE), ...words, hashText(transaction)]));
}

/** Signs a statement. */
export function signStatement(statement: Statement, key: StatementKey): Signed {
  const { format, privateKey } = key;
  if (format === "eip712") return { format, payload: statement, signature: signHash(hashOf(statement), privateKey) };
  return { format, signature: signJws(canonical(statement), key) };
}

/** The address or the `did:key` of a key, as `CheckedStatement.signer`. @internal */
export function signerOf({ format, algorithm, privateKey }: Omit<StatementKey, "kid">): string {
  return format === "eip712" ? addressOfPrivateKey(privateKey) : didOfPrivateKey(algorithm, privateKey);
}

const signedSchema = z.discriminatedUnion("format", [
  z.looseObject({
    format: z.literal("eip712"),
    payload: z.union([offerSchema, receiptPayloadSchema]),
    signature: text,
  }),
  z.looseObject({ format: z.literal("jws"), signature: z.string().max(16_384) }),
]);
const statementSchema = z.union([offerSchema, receiptPayloadSchema]);

/**
 * Checks an offer or receipt. `signer`: the expected `did:key` of a JWS whose `kid` is another DID. Throws the reason why it
 * is not valid, or cannot be checked.
 */
export function checkStatement(item: unknown, signer?: string): CheckedStatement {
  const parsed = signedSchema.safeParse(item);
  if (!parsed.success) throw new Error("it is neither an offer nor a receipt of version 1");
  const checked = parsed.data.format === "eip712" ? recovered(parsed.data) : verified(parsed.data.signature, signer);
  if (signer !== undefined && checked.signer.toLowerCase() !== signer.toLowerCase())
    throw new Error(`it is signed by ${checked.signer}, not by ${signer}`);
  return { ...checked, kind: "payTo" in checked.statement ? "offer" : "receipt" };
}

function recovered({ payload, signature }: { readonly payload: Statement; readonly signature: string }) {
  const address = recoverSigner(hashOf(payload), signature);
  if (address === undefined) throw new Error("its signature is not valid");
  return { statement: payload, signer: address, kid: "" };
}

function verified(jws: string, expected: string | undefined) {
  const { payload, signer, kid } = verifyJws(jws, expected);
  const statement = statementSchema.safeParse(payload);
  if (!statement.success) throw new Error("it is neither an offer nor a receipt of version 1");
  return { statement: statement.data, signer, kid };
}

/** RFC 8785 for objects of texts and whole numbers. An absent transaction is left out. */
function canonical(statement: Statement): string {
  const members = Object.entries(statement).filter(([name, value]) => name !== "transaction" || value !== "");
  return JSON.stringify(statement, members.map(([name]) => name).toSorted());
}
