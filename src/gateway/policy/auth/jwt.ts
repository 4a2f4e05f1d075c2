import { constants, createHmac, type KeyObject, timingSafeEqual, verify } from "node:crypto";
import { type JwtAlgorithm, readJwtKey } from "../../../lib/http/jwt-key.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { bearerToken } from "./bearer.ts";
import { KeySet, type KeySetDeps } from "./jwks.ts";
import { type ClaimError, readClaims } from "./jwt-claims.ts";
import { jsonObject, type JwtToken, member, parseJwt } from "./jwt-token.ts";
import {
  type Admitted,
  MAX_CREDENTIAL_BYTES,
  type Method,
  type MethodConfig,
  type Outcome,
  type Refused,
} from "./method.ts";
import { refusal } from "./refusals.ts";
import { NewestMap } from "../../../lib/memory/newest-map.ts";
import { isWithin } from "../../../lib/time/is-within.ts";

export type JwtConfig = MethodConfig<"jwt">;

/** Verified tokens that are remembered per method. The oldest makes room, and is verified again when used. */
const MAX_REMEMBERED_TOKENS = 4096;
/** Maximum milliseconds for which a verified token is accepted without another verification. */
const MAX_REMEMBERED_MS = 300_000;

type TokenError = ClaimError | "the token cannot be read" | "the token is not signed as required";

interface Remembered {
  readonly admitted: Admitted;
  /** Unix milliseconds. */
  readonly verifiedAt: number;
  readonly expiresAt: number;
}

/** JSON Web Tokens in `Authorization: Bearer`. Throws if the key does not fit the algorithm. */
export function createJwt(config: JwtConfig, deps: KeySetDeps): Method {
  return new Jwt(config, deps);
}

class Jwt implements Method {
  readonly type = "jwt";
  readonly #config: JwtConfig;
  readonly #clock: () => number;
  readonly #key: KeyObject | undefined;
  readonly #keys: KeySet | undefined;
  /** By the token's SHA-256, so that a memory dump of it shows no token. */
  readonly #remembered = new NewestMap<string, Remembered>(MAX_REMEMBERED_TOKENS);
  readonly #refusals = new Map<TokenError, Refused>();
  readonly #missing = refusal("unauthorized", "this path needs a token", ['Bearer realm="api"']);
  readonly #forbidden = refusal("forbidden", "the bearer of this token is not allowed here", []);
  readonly #unavailable = refusal("auth-unavailable", "tokens cannot be verified at the moment", []);

  constructor(config: JwtConfig, deps: KeySetDeps) {
    this.#config = config;
    this.#clock = deps.clock;
    const { algorithm, secret, jwks_url: url } = config;
    if (secret !== undefined) this.#key = readJwtKey(algorithm, secret);
    else if (url !== undefined)
      this.#keys = new KeySet({ url, algorithm, onChange: () => this.#remembered.clear() }, deps);
    else throw new Error("Cannot verify tokens: there is neither a secret nor a jwks_url");
  }

  check({ head }: Exchange): Outcome | Promise<Outcome> {
    const text = bearerToken(head);
    if (text === undefined) return this.#missing;
    if (text.length > MAX_CREDENTIAL_BYTES) return this.#refuse("the token cannot be read");
    const id = Bun.SHA256.hash(text, "base64");
    const remembered = this.#remembered.get(id);
    if (remembered !== undefined) {
      const now = this.#clock();
      const { verifiedAt, expiresAt, admitted } = remembered;
      if (now < expiresAt && isWithin(verifiedAt, MAX_REMEMBERED_MS, now)) return admitted;
      this.#remembered.delete(id);
    }
    const token = parseJwt(text);
    const error = token === undefined ? "the token cannot be read" : this.#headerError(token);
    if (token === undefined || error !== "") return this.#refuse(error === "" ? "the token cannot be read" : error);
    if (this.#key !== undefined) return this.#verify(id, token, this.#key);
    const key = this.#keys?.find(keyIdOf(token));
    return key instanceof Promise ? key.then((found) => this.#verify(id, token, found)) : this.#verify(id, token, key);
  }

  take(): void {
    // The token stays in the request: it is verified, and the upstream may read it.
  }

  close(): void {
    this.#remembered.clear();
    this.#keys?.close();
  }

  /**
   * Checks the header. The configuration chooses the algorithm (RFC 8725 §3.1, §3.2). A token with critical extensions
   * is refused, because none is supported (RFC 7515 §4.1.11). Its references to keys (`jku`, `jwk`, `x5u`) are ignored.
   */
  #headerError({ header }: JwtToken): TokenError | "" {
    if (member(header, "alg") !== this.#config.algorithm || Object.hasOwn(header, "crit")) {
      return "the token is not signed as required";
    }
    const kid = member(header, "kid");
    return kid === undefined || typeof kid === "string" ? "" : "the token cannot be read";
  }

  #verify(id: string, token: JwtToken, key: KeyObject | "unknown" | "unavailable" | undefined): Outcome {
    if (key === "unavailable") return this.#unavailable;
    if (key === undefined || key === "unknown" || !isSigned(token, this.#config.algorithm, key)) {
      return this.#refuse("the token is not signed as required");
    }
    const claims = jsonObject(token.payload);
    if (claims === undefined) return this.#refuse("the token cannot be read");
    const now = this.#clock();
    const bearer = readClaims(claims, this.#config, now / 1000);
    if (typeof bearer === "string") return this.#refuse(bearer);
    const { consumer, fields } = bearer;
    const { consumers } = this.#config;
    if (consumers.length > 0 && !consumers.includes(consumer)) return this.#forbidden;
    const admitted: Admitted = { kind: "admitted", by: this, consumer, fields };
    this.#remembered.set(id, { admitted, verifiedAt: now, expiresAt: bearer.until * 1000 });
    return admitted;
  }

  #refuse(error: TokenError): Refused {
    return this.#refusals.getOrInsertComputed(error, () => {
      const challenge = `Bearer realm="api", error="invalid_token", error_description="${error}"`;
      return refusal("unauthorized", error, [challenge]);
    });
  }
}

function keyIdOf({ header }: JwtToken): string | undefined {
  const kid = member(header, "kid");
  return typeof kid === "string" ? kid : undefined;
}

const HASH_OF = { HS256: "sha256", HS384: "sha384", HS512: "sha512" } as const;

function isSigned({ signed, signature }: JwtToken, algorithm: JwtAlgorithm, key: KeyObject): boolean {
  switch (algorithm) {
    case "HS256":
    case "HS384":
    case "HS512": {
      const digest = createHmac(HASH_OF[algorithm], key).update(signed).digest();
      return digest.length === signature.length && timingSafeEqual(digest, signature);
    }
    case "RS256":
      return verify("sha256", signed, key, signature);
    case "PS256":
      return verify("sha256", signed, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }, signature);
    case "ES256":
      return signature.length === 64 && verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, signature);
    case "EdDSA":
      return verify(null, signed, key, signature);
  }
  return false;
}
