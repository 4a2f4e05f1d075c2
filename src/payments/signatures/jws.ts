import { ed25519 } from "@noble/curves/ed25519.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { z } from "zod";
import { parsedJson } from "../../lib/parsed-json.ts";
import { didOfKey, keyOfDid } from "./did-key.ts";

/** The algorithms that x402's extension `offer-receipt` names. */
const JWS_ALGORITHMS = ["EdDSA", "ES256K"] as const;

export type JwsAlgorithm = (typeof JWS_ALGORITHMS)[number];

/** Bytes of the signatures of both algorithms. */
const SIGNATURE_BYTES = 64;

const ALGORITHMS = {
  EdDSA: {
    keyBytes: 32,
    publicKey: (key: Uint8Array) => ed25519.getPublicKey(key),
    sign: (input: Uint8Array, key: Uint8Array) => ed25519.sign(input, key),
    verify: (signature: Uint8Array, input: Uint8Array, key: Uint8Array) => ed25519.verify(signature, input, key),
  },
  ES256K: {
    keyBytes: 33,
    publicKey: (key: Uint8Array) => secp256k1.getPublicKey(key),
    sign: (input: Uint8Array, key: Uint8Array) => secp256k1.sign(input, key, { prehash: true }),
    // RFC 8812 does not ask for the smaller of both forms of a signature.
    verify: (signature: Uint8Array, input: Uint8Array, key: Uint8Array) =>
      secp256k1.verify(signature, input, key, { prehash: true, lowS: false }),
  },
} as const;

const coordinate = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
/** The private part of a key must not be in a header. */
const jwkSchema = z.discriminatedUnion("kty", [
  z.looseObject({ kty: z.literal("OKP"), crv: z.literal("Ed25519"), x: coordinate, d: z.never().optional() }),
  z.looseObject({
    kty: z.literal("EC"),
    crv: z.literal("secp256k1"),
    x: coordinate,
    y: coordinate,
    d: z.never().optional(),
  }),
]);
const headerSchema = z.looseObject({
  alg: z.enum(JWS_ALGORITHMS),
  kid: z.string().max(4096),
  jwk: jwkSchema.optional(),
  // Extensions that this program does not know must be refused (RFC 7515, section 4.1.11).
  crit: z.never().optional(),
});

/** The `did:key` of a private key of 32 bytes. */
export function didOfPrivateKey(algorithm: JwsAlgorithm, privateKey: Uint8Array): string {
  return didOfKey(ALGORITHMS[algorithm].publicKey(privateKey));
}

/** A JWS in compact form. `kid`: the DID URL of the key; empty: its `did:key`. */
export function signJws(
  payload: string,
  { algorithm, privateKey, kid }: { algorithm: JwsAlgorithm; privateKey: Uint8Array; kid: string },
): string {
  const header = { alg: algorithm, kid: kid || didOfPrivateKey(algorithm, privateKey) };
  const input = [JSON.stringify(header), payload].map(base64url).join(".");
  return `${input}.${base64url(ALGORITHMS[algorithm].sign(Buffer.from(input), privateKey))}`;
}

/**
 * The payload of a JWS, and the `did:key` of its signer. The key is the one in its header, in its `kid`, or else
 * `expected`; if it names several, they must be the same. Throws the reason why it is not valid, or cannot be checked.
 */
export function verifyJws(jws: string, expected = "") {
  const [header = "", payload = "", signature = "", ...more] = jws.split(".");
  const parsed = headerSchema.safeParse(jsonIn(header));
  if (more.length > 0 || !parsed.success)
    throw new Error(`its signature is not a JWS by ${JWS_ALGORITHMS.join(" or ")}`);
  const { alg, kid, jwk } = parsed.data;
  const [inHeader, named] = [jwk && keyOfJwk(jwk), keyOfDid(kid.split("#")[0] ?? "")];
  if (inHeader !== undefined && named !== undefined && !Buffer.from(inHeader).equals(named))
    throw new Error("the key in its header is not the one that its kid names");
  const key = inHeader ?? named ?? keyOfDid(expected);
  if (key === undefined) throw new Error(`its key is ${kid}: name the did:key that its document has`);
  const bytes = Buffer.from(signature, "base64url");
  if (!isSignedBy(key, alg, bytes, Buffer.from(`${header}.${payload}`))) throw new Error("its signature is not valid");
  return { payload: jsonIn(payload), signer: didOfKey(key), kid };
}

// oxlint-disable-next-line eslint/max-params -- as `verify` of the algorithms
function isSignedBy(key: Uint8Array, algorithm: JwsAlgorithm, signature: Uint8Array, input: Uint8Array): boolean {
  const { keyBytes, verify } = ALGORITHMS[algorithm];
  if (key.length !== keyBytes || signature.length !== SIGNATURE_BYTES) return false;
  try {
    return verify(signature, input, key);
  } catch {
    // The key is not a point of the curve.
    return false;
  }
}

function keyOfJwk(jwk: z.output<typeof jwkSchema>): Uint8Array {
  const x = Buffer.from(jwk.x, "base64url");
  if (jwk.kty === "OKP") return new Uint8Array(x);
  const y = Buffer.from(jwk.y, "base64url");
  try {
    // It throws unless the point is on the curve.
    return secp256k1.Point.fromBytes(Buffer.concat([Uint8Array.of(4), x, y])).toBytes(true);
  } catch (error) {
    throw new Error("the key in its header is not a key of secp256k1", { cause: error });
  }
}

function jsonIn(part: string): unknown {
  return parsedJson(Buffer.from(part, "base64url").toString("utf8"));
}

function base64url(value: string | Uint8Array): string {
  return Buffer.from(value).toString("base64url");
}
