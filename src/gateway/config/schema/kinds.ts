import { isAddress, isNetwork } from "../../../lib/net/networks.ts";
import { boolean, int, json, record, strictObject, string, type ZodRawShape } from "./recorded-schema.ts";

/** Milliseconds of the longest timer, 2^31 - 1 (about 24 days); a longer time is refused. */
const MAX_MS = 2_147_483_647;
/** The largest size in bytes, 2^31 - 1; a larger one is refused. The gateway buffers nothing larger. */
const MAX_BYTES = 2_147_483_647;

/** Marks a key that other implementations do not have. The reference shows the mark. */
export function ours(description: string): { description: string; ours: true } {
  return { description, ours: true };
}

/** The way in which a key's value is hidden in responses and logs. `src/gateway/config/secrets.ts` reads it. */
export type SecretKind =
  /** The whole value. */
  | "whole"
  /** The parts of a URL that may contain a key: password, query and long segments of the path. */
  | "url"
  /** The value of a request field, unless fields of this name contain no secrets. */
  | "field"
  /** The value of a response field, if the field's name suggests a secret: clients get the other values. */
  | "responseField"
  /** Nothing, although the key's name suggests a secret. */
  | "none";

/** Marks a key whose value is or contains a secret. */
export function secret(kind: SecretKind = "whole"): { secret: SecretKind } {
  return { secret: kind };
}

/** The role of a file that a key names. `src/gateway/admin/running-config/file-keys.ts` reads it. */
export type FileRole = "file" | "folder" | "log" | "program" | "socket" | "socket-url";

/** Marks a key that names a file or program: the admin interface changes it only within `admin.file_folders`. */
export function names(file: FileRole): { file: FileRole } {
  return { file };
}

/** A time in milliseconds, at least 1. */
export function milliseconds(byDefault: number) {
  return int().min(1).max(MAX_MS).default(byDefault);
}

/** A time in whole seconds, at least 1. */
export function seconds(byDefault: number) {
  return int()
    .min(1)
    .max(Math.floor(MAX_MS / 1000))
    .default(byDefault);
}

/** An integer number of bytes, at least `least`. */
export function bytes(byDefault: number, least = 1) {
  return int().min(least).max(MAX_BYTES).default(byDefault);
}

/** A length in bytes of a body that is streamed. At most 2^53 - 1, up to which integers are exact. */
export function bodyLength() {
  return int().min(0).max(Number.MAX_SAFE_INTEGER);
}

/** An integer from `least` to `most`. */
export function count(byDefault: number, least: number, most: number) {
  return int().min(least).max(most).default(byDefault);
}

/** A section whose keys all have defaults, so that it may be absent. */
export function section<Shape extends ZodRawShape>(shape: Shape) {
  // Each key of the shape has a default.
  return strictObject(shape).prefault({} as never);
}

/** A switch, off by default. */
export function flag(byDefault = false) {
  return boolean().default(byDefault);
}

/** A port to listen on. With 0 the system chooses a free port. */
export const listenPort = int().min(0).max(65_535);

export const connectPort = int().min(1).max(65_535);

export const text = string().min(1, "expected a string that is not empty");

/** Labels of letters, digits, `-` and `_`, with or without a final dot. A last label of digits is an IPv4 address or invalid. */
const HOST_NAME = /^(?=.{1,254}$)(?!.*(?:^|\.)\d+\.?$)[\p{L}\p{N}\p{M}_-]{1,63}(?:\.[\p{L}\p{N}\p{M}_-]{1,63})*\.?$/u;

/** An IP address or host name, without port. The brackets of an IPv6 address are removed. */
export const hostAddress = string()
  .overwrite((address) => (/^\[.*:.*\]$/.test(address) ? address.slice(1, -1) : address))
  .refine(
    (address) => HOST_NAME.test(address) || isAddress(address),
    "expected an IP address or host name without port",
  );

/** Bytes of a Unix socket's path: a socket address of the smallest platform, without the final NUL. */
export const MAX_UNIX_PATH_BYTES = 103;
const SOCKET_URL = /^unix:\/[\x21-\x7e]*$/;

/** False if no socket can have this path. */
function isSocketPath(path: string): boolean {
  return !path.includes("\0") && Buffer.byteLength(path) <= MAX_UNIX_PATH_BYTES;
}

const BAD_SOCKET_PATH = `expected the path of a socket of at most ${MAX_UNIX_PATH_BYTES} bytes`;

/** The path of a Unix socket. `pathOf` returns the path for a value, before its length is checked. */
export function socketPath(pathOf: (value: string) => string = (value) => value) {
  return string()
    .refine((value) => isSocketPath(pathOf(value)), BAD_SOCKET_PATH)
    .meta(names("socket"));
}

/** The path of a file, or an empty string. */
export const filePath = string().meta(names("file"));

/** An empty string, or an absolute http or https URL without user and fragment. */
export const optionalHttpUrl = string()
  .refine((url) => url === "" || isHttpUrl(url), "expected an http:// or https:// URL without user and fragment")
  .meta(secret("url"));

/** A value of `optionalHttpUrl`, or `unix:` and the path of a socket. */
export const optionalFacilitatorUrl = string()
  .refine(
    (url) => url === "" || isHttpUrl(url) || SOCKET_URL.test(url),
    "expected an http:// or https:// URL without user and fragment, or unix:/path/of/a.socket",
  )
  .refine((url) => !SOCKET_URL.test(url) || isSocketPath(url.slice("unix:".length)), BAD_SOCKET_PATH)
  .meta({ ...secret("url"), ...names("socket-url") });

/** An absolute http or https URL without user and fragment. */
export const httpUrl = string()
  .refine(isHttpUrl, "expected an http:// or https:// URL without user and fragment")
  .meta(secret("url"));

function isHttpUrl(value: string): boolean {
  const url = URL.parse(value);
  if (url === null || !/^https?:\/\//i.test(value)) return false;
  return url.username === "" && url.password === "" && !value.includes("#");
}

/** A name that a Host field can have. An entry that is not a possible value would refuse all clients without an error. */
export const hostName = text
  .regex(/^(?:\*\.)?[\w.:~[\]-]+$/, 'expected a host name in ASCII, as in "example.com" or "*.example.com"')
  .toLowerCase();

/** A field name, which is a token (RFC 9110 §5.1). */
export const headerName = string().regex(
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/,
  "expected a header name (letters, digits, !#$%&'*+-.^_`|~)",
);

/** A field name, or an empty text. */
export const optionalHeaderName = string().regex(
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]*$/,
  "expected a header name (letters, digits, !#$%&'*+-.^_`|~), or nothing",
);

/** A field value in latin1 (RFC 9110 §5.5), without characters that would end the field line. */
export const headerValue = string().regex(
  /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/,
  "expected a header value without control characters, outer spaces and characters beyond latin1",
);

/** An IP network in CIDR notation, or an IP address. */
export const cidr = string().refine(isNetwork, 'expected an IP address or a network as in "10.0.0.0/8"');

export const jsonObject = record(string(), json());

/** The name of an environment variable that has a secret. */
export const environmentName = string().regex(
  /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
  "expected the name of an environment variable",
);

/** The name of such a variable, or an empty text. */
export const optionalEnvironmentName = string().regex(
  /^(?:[A-Za-z_][A-Za-z0-9_]{0,127})?$/,
  "expected the name of an environment variable",
);
