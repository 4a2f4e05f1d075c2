/** Makes valid and invalid tokens; it shares no code with the verifier. */
import { constants, createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

export const SECRET = "a shared secret that no attacker can guess in time";
export const RSA = generateKeyPairSync("rsa", { modulusLength: 2048 });
export const EC = generateKeyPairSync("ec", { namedCurve: "P-256" });
export const ED = generateKeyPairSync("ed25519");

/** A public key in the form of configurations. */
export function pem(key: KeyObject): string {
  return key.export({ type: "spki", format: "pem" }).toString();
}

/** A part of a token: JSON in base64url; a text is used unchanged. */
export function part(value: unknown): string {
  return Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
}

type Signer = (signed: Buffer) => Buffer;

const SIGNERS: Readonly<Record<string, Signer>> = {
  HS256: (signed) => createHmac("sha256", SECRET).update(signed).digest(),
  HS384: (signed) => createHmac("sha384", SECRET).update(signed).digest(),
  HS512: (signed) => createHmac("sha512", SECRET).update(signed).digest(),
  RS256: (signed) => sign("sha256", signed, RSA.privateKey),
  PS256: (signed) =>
    sign("sha256", signed, { key: RSA.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
  ES256: (signed) => sign("sha256", signed, { key: EC.privateKey, dsaEncoding: "ieee-p1363" }),
  EdDSA: (signed) => sign(null, signed, ED.privateKey),
};

/** A signed token. `header` is added to `alg`, or replaces it; `signer` replaces the algorithm's own signature. */
export function token(claims: unknown, algorithm = "HS256", header: object = {}, signer?: Signer): string {
  const signed = `${part({ alg: algorithm, typ: "JWT", ...header })}.${part(claims)}`;
  const make = signer ?? SIGNERS[algorithm];
  if (make === undefined) throw new Error(`Cannot sign by ${algorithm}`);
  return `${signed}.${make(Buffer.from(signed)).toString("base64url")}`;
}

/** Signs by HMAC with any secret. */
export function hmac(secret: string, hash = "sha256"): Signer {
  return (signed) => createHmac(hash, secret).update(signed).digest();
}

/** Unix seconds, this number of seconds from now. */
export function inSeconds(seconds: number): number {
  return Math.floor(Date.now() / 1000) + seconds;
}

export function bearer(text: string): Record<string, string> {
  return { authorization: `Bearer ${text}` };
}
