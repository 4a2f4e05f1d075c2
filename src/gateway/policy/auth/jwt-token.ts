import { isObject } from "../../../lib/is-object.ts";
/** The parts of a token. They are not trusted until its signature is verified. */
export interface JwtToken {
  readonly header: Readonly<Record<string, unknown>>;
  readonly signed: Buffer;
  readonly signature: Buffer;
  readonly payload: string;
}

/** RFC 7515 §7.1: three parts in base64url, without padding. */
const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Parses a token. Undefined if the text is not a token. */
export function parseJwt(token: string): JwtToken | undefined {
  const match = COMPACT.exec(token);
  if (match === null) return undefined;
  const [, head = "", payload = "", signature = ""] = match;
  const header = jsonObject(head);
  if (header === undefined) return undefined;
  const signed = Buffer.from(token.slice(0, head.length + 1 + payload.length), "latin1");
  return { header, signed, signature: Buffer.from(signature, "base64url"), payload };
}

/** The JSON object in a part. Undefined if the part does not hold one. */
export function jsonObject(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(utf8.decode(Buffer.from(part, "base64url")));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The object's own property. */
export function member(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
