import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";

/** The public key of an account (RFC 7517), with its members in the order of their names. */
export interface Jwk {
  readonly crv: string;
  readonly kty: string;
  readonly x: string;
  readonly y: string;
}

/** The key of an account at a directory, which signs all requests to it (RFC 8555 §6.2): ECDSA on P-256. */
export class AccountKey {
  /** The hash of the public key (RFC 7638), with which key authorizations end. */
  readonly thumbprint: string;
  readonly jwk: Jwk;
  readonly #key: KeyObject;

  /** `pem` is PKCS #8. Throws if it is not such a key. */
  constructor(pem: string) {
    this.#key = createPrivateKey(pem);
    const { kty, crv, x, y } = createPublicKey(this.#key).export({ format: "jwk" });
    if (kty !== "EC" || crv !== "P-256" || typeof x !== "string" || typeof y !== "string") {
      throw new Error("Cannot use the account's key: it is not an ECDSA key on P-256");
    }
    // In the order of their names, as the hash requires (RFC 7638 §3.2).
    this.jwk = { crv, kty, x, y };
    this.thumbprint = createHash("sha256").update(JSON.stringify(this.jwk)).digest("base64url");
  }

  /**
   * The body of a request. `account` is the account's URL; undefined: the directory does not know the key yet.
   * `payload` undefined: POST-as-GET.
   */
  sign(url: string, payload: unknown, { nonce, account }: { nonce: string; account: string | undefined }): string {
    const who = account === undefined ? { jwk: this.jwk } : { kid: account };
    const head = encoded(JSON.stringify({ alg: "ES256", nonce, url, ...who }));
    const body = payload === undefined ? "" : encoded(JSON.stringify(payload));
    const signature = sign("sha256", Buffer.from(`${head}.${body}`), { key: this.#key, dsaEncoding: "ieee-p1363" });
    return JSON.stringify({ protected: head, payload: body, signature: signature.toString("base64url") });
  }
}

/** The text in base64url. */
export function encoded(text: string): string {
  return Buffer.from(text).toString("base64url");
}
