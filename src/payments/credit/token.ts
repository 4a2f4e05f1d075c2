import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A token: its prefix, the id of its credit, and 32 random bytes. */
const TOKEN = /^tpc_((?:test)?[0-9a-f]{20})_[A-Za-z0-9_-]{43}$/;
const CONTAINED = /tpc_(?:test)?[0-9a-f]{20}_[A-Za-z0-9_-]{43}/;
const PREFIX = "tpc_";
/** The beginning of the ids of credits that were made in test mode. */
const TEST = "test";
const ID_BYTES = 10;
const SECRET_BYTES = 32;

/** A new token, which is shown once, and the parts of it that are stored. */
export interface MadeToken {
  readonly token: string;
  readonly id: string;
  readonly hash: string;
}

/** Makes the id of a credit. `random` gives that many random bytes. */
export function makeCreditId(isTest: boolean, random: (bytes: number) => Buffer = randomBytes): string {
  return (isTest ? TEST : "") + random(ID_BYTES).toString("hex");
}

/** True for the id of a credit that was made in test mode. It pays only there. */
export function isTestCredit(id: string): boolean {
  return id.startsWith(TEST);
}

/** Makes a token for the credit `id`. `random` gives that many random bytes. */
export function makeToken(id: string, random: (bytes: number) => Buffer = randomBytes): MadeToken {
  const token = `${PREFIX}${id}_${random(SECRET_BYTES).toString("base64url")}`;
  return { token, id, hash: hashOf(token) };
}

/** True if the text looks like a token, well-formed or not: no other kind of credential begins like this. */
export function isTokenLike(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** True if the text contains a token. */
export function containsToken(text: string): boolean {
  return CONTAINED.test(text);
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

/** The request field that names the token of a request to upstreams by its digest. */
export const TOKEN_FIELD = "Turnpike-Token";

/** The field of a free request for the upstream with the balance of its token, in dollars. */
export const BALANCE_FIELD = "Turnpike-Balance";

/** The value of `TOKEN_FIELD`: a hash, but not the stored one, so that it shows and opens nothing. */
export function tokenDigest(token: string): string {
  return createHash("sha256").update(`turnpike-token ${token}`).digest("base64url");
}
