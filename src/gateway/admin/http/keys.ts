import { createHash, timingSafeEqual } from "node:crypto";
import { type Config } from "../../config/config.ts";
import { MIN_KEY_LENGTH } from "../../config/schema/admin.ts";

export type Access = "full" | "read";

/** Digests of the interface's keys. A comparison takes the same time for every wrong key. */
export interface AdminKeys {
  readonly full: Uint8Array;
  /** Undefined: there is no read-only key. */
  readonly read: Uint8Array | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The keys of a configuration. Throws with the variable's name, never its value, if the variable is missing. */
export function readKeys({ admin }: Pick<Config, "admin">, environment: Environment): AdminKeys {
  const full = admin.api_key_env === "" ? admin.api_key : variable(admin, "api_key_env", environment);
  const read = admin.read_api_key_env === "" ? admin.read_api_key : variable(admin, "read_api_key_env", environment);
  if (full === "") throw new Error("Cannot serve the admin interface: admin.api_key is empty");
  if (full === read) {
    throw new Error("Cannot serve the admin interface: the read-only key equals the operators' key; set another");
  }
  return { full: digest(full), read: read === "" ? undefined : digest(read) };
}

function variable(admin: Config["admin"], key: "api_key_env" | "read_api_key_env", environment: Environment): string {
  const name = admin[key];
  const value = environment[name]?.trim() ?? "";
  if (value === "") throw new Error(`Cannot use admin.${key}: the environment variable ${name} is not set`);
  const least = admin.allow_short_keys ? 1 : MIN_KEY_LENGTH;
  if (/^[\x21-\x7e]{1,1024}$/.test(value) && value.length >= least) return value;
  throw new Error(
    `Cannot use admin.${key}: the environment variable ${name} must hold ${least} to 1024 visible ASCII characters`,
  );
}

/** The access of `key`; undefined if the key is wrong. */
export function accessOf({ full, read }: AdminKeys, key: string): Access | undefined {
  const shown = digest(key);
  const isFull = timingSafeEqual(shown, full);
  const isRead = timingSafeEqual(shown, read ?? full);
  if (isFull) return "full";
  return isRead && read !== undefined ? "read" : undefined;
}

/** True if both have the same full key and the same read key. */
export function sameKeys(one: AdminKeys, other: AdminKeys): boolean {
  const [a, b] = [one, other].map(({ full, read }) => Buffer.concat([full, read ?? new Uint8Array()]));
  return a !== undefined && b !== undefined && a.equals(b);
}

function digest(key: string): Uint8Array {
  return createHash("sha256").update(key).digest();
}
