import { createPublicKey, createSecretKey, type KeyObject } from "node:crypto";

/** The supported signature algorithms of JSON Web Tokens (RFC 7518 §3, RFC 8037). `none` is not one of them. */
export const JWT_ALGORITHMS = ["HS256", "HS384", "HS512", "RS256", "PS256", "ES256", "EdDSA"] as const;

export type JwtAlgorithm = (typeof JWT_ALGORITHMS)[number];

/** Bits of the shortest RSA modulus that is accepted (RFC 7518 §3.3). */
const MIN_RSA_BITS = 2048;

/** True for algorithms whose signer and verifier share one secret. */
export function isShared(algorithm: JwtAlgorithm): boolean {
  return algorithm.startsWith("HS");
}

/** The key to verify tokens: `secret` is shared, or a PEM public key. Throws without repeating the secret. */
export function readJwtKey(algorithm: JwtAlgorithm, secret: string): KeyObject {
  if (isShared(algorithm)) {
    // If a public key were used as the secret, anyone could sign with it: the oldest attack on such tokens (RFC 8725
    // §2.1).
    if (secret.includes("-----BEGIN "))
      throw new Error(`${algorithm} requires a shared secret, but this is a key in PEM`);
    return createSecretKey(Buffer.from(secret));
  }
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(secret)) {
    throw new Error(`${algorithm} takes a public key, but this is a private key`);
  }
  let key: KeyObject;
  try {
    key = createPublicKey(secret);
  } catch {
    throw new Error(`${algorithm} requires a public key in PEM, but this is not one`);
  }
  const misfit = misfitOf(algorithm, key);
  if (misfit !== "") throw new Error(misfit);
  return key;
}

/** The reason why a public key cannot verify signatures of the algorithm; empty if it can. */
export function misfitOf(algorithm: JwtAlgorithm, key: KeyObject): string {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  switch (algorithm) {
    case "RS256":
    case "PS256":
      if (type !== "rsa") return `${algorithm} takes an RSA key`;
      return (details?.modulusLength ?? 0) < MIN_RSA_BITS
        ? `${algorithm} takes an RSA key of ${MIN_RSA_BITS} bits or more`
        : "";
    case "ES256":
      return type === "ec" && details?.namedCurve === "prime256v1" ? "" : "ES256 takes a key on the curve P-256";
    case "EdDSA":
      return type === "ed25519" ? "" : "EdDSA takes an Ed25519 key";
    case "HS256":
    case "HS384":
    case "HS512":
      break;
  }
  return `${algorithm} takes a shared secret`;
}
