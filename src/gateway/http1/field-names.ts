import { FIELD_ROLES, FORWARDED_PREFIXES } from "../../lib/http/field-roles.ts";

/** Fields that affect framing, routing or forwarding. All others are passed on unread. */
export const OTHER = 0;
export const HOST = 1;
export const CONNECTION = 2;
export const TRANSFER_ENCODING = 3;
export const CONTENT_LENGTH = 4;
export const TE = 5;
export const UPGRADE = 6;
export const EXPECT = 7;
export const DATE = 8;
export const VIA = 9;
const FORWARDED_FOR = 10;
export const REQUEST_ID = 11;
/** Hop-by-hop, never read. */
export const DROPPED = 12;
/** The gateway sets the field on every request; a response may contain it. */
export const DROPPED_FROM_REQUEST = 13;
/** Passed on; a request may have only one. */
export const CONTENT_TYPE = 14;
/** Passed on only under exactly this name. */
export const METHOD_OVERRIDE = 15;
/** Kept separate from the fields that are passed on. */
export const PAYMENT_SIGNATURE = 16;
export const X_PAYMENT = 17;

const HYPHEN = 0x2d;
/** `_ | 0x20`. */
const UNDERSCORE_SEEN = 0x7f;

/**
 * Returns `id` if the name at `start` is `lowerName`. A name with underscores in place of hyphens is suspicious, because
 * CGI and similar interfaces treat both as one name: it is dropped from requests.
 */
function named(bytes: Uint8Array, start: number, lowerName: Uint8Array, id: number): number {
  let found = id;
  for (let i = 0; i < lowerName.length; i++) {
    const code = (bytes[start + i] ?? 0) | 0x20;
    const wanted = lowerName[i];
    if (code === wanted) continue;
    if (code !== UNDERSCORE_SEEN || wanted !== HYPHEN) return OTHER;
    found = DROPPED_FROM_REQUEST;
  }
  return found;
}

/** The recognised names in lower case, and what their fields are. The first of two entries with the same name counts. */
const NAMES: readonly (readonly [lowerName: string, id: number])[] = [
  ["te", TE],
  ["via", VIA],
  ["host", HOST],
  ["date", DATE],
  ["expect", EXPECT],
  ["upgrade", UPGRADE],
  ["trailer", DROPPED],
  ["x-payment", X_PAYMENT],
  ["connection", CONNECTION],
  ["keep-alive", DROPPED],
  ["content-type", CONTENT_TYPE],
  ["x-request-id", REQUEST_ID],
  ["content-length", CONTENT_LENGTH],
  ["x-forwarded-for", FORWARDED_FOR],
  ["proxy-connection", DROPPED],
  ["transfer-encoding", TRANSFER_ENCODING],
  ["payment-signature", PAYMENT_SIGNATURE],
  ...FIELD_ROLES.proxy.map((name) => [name, DROPPED] as const),
  ...FIELD_ROLES.methodOverride.map((name) => [name, METHOD_OVERRIDE] as const),
  // By these fields, a request could steer upstreams.
  ...[...FIELD_ROLES.forwarded, ...FIELD_ROLES.trusted].map((name) => [name, DROPPED_FROM_REQUEST] as const),
];
const PREFIXES = FORWARDED_PREFIXES.map((prefix) => Buffer.from(prefix));

/** Index of the names of this length with this first letter, in any capitalisation. */
function slotOf(length: number, letter: number): number {
  return (length << 5) | (letter & 0x1f);
}

const BY_SLOT: ({ readonly name: Uint8Array; readonly id: number }[] | undefined)[] = Array.from({
  length: slotOf(64, 0),
});
for (const [name, id] of NAMES)
  (BY_SLOT[slotOf(name.length, name.charCodeAt(0))] ??= []).push({ name: Buffer.from(name), id });
const LETTER_X = 0x78;

/** The kind of the field with this name. Most names that are not recognised share length and first letter with none, and are not compared. */
export function identify(bytes: Uint8Array, start: number, length: number): number {
  const letter = (bytes[start] ?? 0) | 0x20;
  const candidates = BY_SLOT[slotOf(length, letter)];
  if (candidates !== undefined) {
    for (const { name, id } of candidates) {
      const found = named(bytes, start, name, id);
      if (found !== OTHER) return found;
    }
  }
  return letter === LETTER_X ? withPrefix(bytes, start, length) : OTHER;
}

function withPrefix(bytes: Uint8Array, start: number, length: number): number {
  for (const prefix of PREFIXES) {
    if (length > prefix.length && named(bytes, start, prefix, DROPPED_FROM_REQUEST) !== OTHER)
      return DROPPED_FROM_REQUEST;
  }
  return OTHER;
}
