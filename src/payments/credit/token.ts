import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A token: its prefix, the id of its credit, and 32 random bytes. */
const TOKEN = /^tpc_([0-9a-f]{20})_[A-Za-z0-9_-]{43}$/;
const PREFIX = "tpc_";
const ID_BYTES = 10;
const SECRET_BYTES = 32;

/** A new token, which is shown once, and the parts of it that are stored. */
export interface MadeToken {
  readonly token: string;
  readonly id: string;
  readonly hash: string;
}

/** Makes a token. `id`: that of an existing credit. `random` gives that many random bytes. */
export function makeToken(id?: string, random: (bytes: number) => Buffer = randomBytes): MadeToken {
  const own = id ?? random(ID_BYTES).toString("hex");
  const token = `${PREFIX}${own}_${random(SECRET_BYTES).toString("base64url")}`;
  return { token, id: own, hash: hashOf(token) };
}

/** True if the text looks like a token, well-formed or not: no other kind of credential begins like this. */
export function isTokenLike(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** The id of the credit that a token names; undefined if it is not a token. */
export function creditIdOf(token: string): string | undefined {
  return TOKEN.exec(token)?.[1];
}

/** True if a stored hash is that of the token. It takes the same time for all wrong tokens. */
export function hasHash(token: string, hash: string): boolean {
  const [own, stored] = [Buffer.from(hashOf(token)), Buffer.from(hash)];
  return own.length === stored.length && timingSafeEqual(own, stored);
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}
