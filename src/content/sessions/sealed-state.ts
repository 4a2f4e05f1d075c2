import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { z } from "zod";
import {
  type BrowsingState,
  cookieSchema,
  leftOutSchema,
  MAX_LEFT_OUT,
  MAX_ORIGINS,
  newState,
  type StoredItems,
} from "../page/browsing-state.ts";

/** Bytes of the cookies of a session, of its localStorage and of its databases, before their encryption. The oldest cookies and origins are dropped beyond it. */
const MAX_COOKIE_BYTES = 256 * 1024;
const MAX_STORAGE_BYTES = 768 * 1024;
const MAX_DATABASE_BYTES = 1024 * 1024;

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const items = z.array(z.tuple([z.string(), z.array(z.tuple([z.string(), z.string()]))]));

const schema = z.object({
  cookies: z.array(cookieSchema),
  storage: items,
  databases: items,
  leftOut: z.array(leftOutSchema),
});

/** A session and its secret, from which the key of its state is derived. The store has only a hash of the secret. */
export interface Opener {
  readonly id: string;
  readonly secret: string;
}

/** Encrypts a state so that only its session can use it. Data beyond the limits is left out. */
export function sealed(state: BrowsingState, opener: Opener, nonce: Uint8Array): Uint8Array {
  const cipher = createCipheriv(CIPHER, keyOf(opener), nonce);
  cipher.setAAD(Buffer.from(opener.id));
  const body = Buffer.concat([cipher.update(bounded(state), "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** Decrypts a state. An empty one is that of a new session. Throws if it is damaged, or belongs to another session. */
export function unsealed(bytes: Uint8Array, opener: Opener): BrowsingState {
  if (bytes.length === 0) return newState();
  const [nonce, tag, body] = [
    bytes.subarray(0, NONCE_BYTES),
    bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES),
    bytes.subarray(NONCE_BYTES + TAG_BYTES),
  ];
  const decipher = createDecipheriv(CIPHER, keyOf(opener), nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(opener.id));
  decipher.setAuthTag(tag);
  const text = Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
  const { cookies, storage, databases, leftOut } = schema.parse(JSON.parse(text));
  return { cookies, storage: new Map(storage), databases: new Map(databases), leftOut };
}

/** The number of bytes of random values for each encryption. */
export const SEAL_NONCE_BYTES = NONCE_BYTES;

function keyOf({ id, secret }: Opener): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", `turnpike session ${id}`, KEY_BYTES));
}

function bounded({ cookies, ...state }: BrowsingState): string {
  const storage = newest([...state.storage].slice(-MAX_ORIGINS), MAX_STORAGE_BYTES);
  const databases = newest([...state.databases].slice(-MAX_ORIGINS), MAX_DATABASE_BYTES);
  const leftOut = [
    ...state.leftOut,
    ...missing(state.storage, storage).map(([origin]) => ({ origin, reason: "size" as const })),
    ...missing(state.databases, databases).flatMap(([origin, all]) =>
      all.map(([database]) => ({ origin, database, reason: "size" as const })),
    ),
  ];
  return JSON.stringify({
    cookies: newest(cookies, MAX_COOKIE_BYTES),
    storage,
    databases,
    leftOut: leftOut.slice(-MAX_LEFT_OUT),
  });
}

type Origins = readonly (readonly [origin: string, items: StoredItems])[];

function missing(all: BrowsingState["storage"], kept: Origins): Origins {
  return [...all].slice(0, all.size - kept.length);
}

/** The last of the values whose JSON has at most this many bytes in all, each with a comma. */
function newest<T>(values: readonly T[], most: number): readonly T[] {
  let bytes = 0;
  const first = values.findLastIndex((value) => {
    bytes += Buffer.byteLength(JSON.stringify(value)) + 1;
    return bytes > most;
  });
  return values.slice(first + 1);
}
