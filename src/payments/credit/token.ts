import { createHash, randomBytes } from "node:crypto";

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

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}
