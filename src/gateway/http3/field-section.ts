import { type FieldSection } from "node:quic";
import { eachField, type Fields } from "../../lib/http/fields.ts";
import { FIELD_ROLES } from "../../lib/http/field-roles.ts";
import { type RequestField, requestField } from "../exchange/request-fields.ts";

/**
 * The engine passes fields as an object. Its order is the order of arrival, except for names that look like array
 * indices.
 */
const INDEX_NAME = /^(?:0|[1-9]\d*)$/;

/** Fields that RFC 9114 §4.2 forbids, and fields that HTTP/3 frames itself. */
const NEVER_SENT: ReadonlySet<string> = new Set([...FIELD_ROLES.connection, "http2-settings", "te", "content-length"]);

/** The engine throws if one of these occurs twice. Only the first one is sent. */
const SINGLE: ReadonlySet<string> = new Set([
  "access-control-allow-credentials",
  "access-control-max-age",
  "access-control-request-method",
  "age",
  "authorization",
  "content-encoding",
  "content-language",
  "content-location",
  "content-md5",
  "content-range",
  "content-type",
  "date",
  "dnt",
  "etag",
  "expires",
  "from",
  "host",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
  "last-modified",
  "location",
  "max-forwards",
  "proxy-authorization",
  "range",
  "referer",
  "retry-after",
  "tk",
  "upgrade-insecure-requests",
  "user-agent",
  "x-content-type-options",
]);

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;

/** Bytes that each field adds to the size of a field section (RFC 9114 §4.2.2). */
const FIELD_OVERHEAD = 32;

/** Field lines of a response over HTTP/3, with the status. A response with more becomes 502. */
const MAX_SENT_FIELDS = 128;
/** Field lines that the gateway adds to an upstream's response: its receipt, those of policies, and the length. */
const ADDED_FIELDS = 24;

/** Fields to send. The object has no prototype, so that a field may have the name `constructor` or `__proto__`. */
export function newFields(): FieldSection {
  // The result of Object.create has no type.
  return Object.create(null) as FieldSection;
}

/** The fields of a head, which begin with its status (RFC 9114 §4.3.2). */
export function newHead(status: number): FieldSection {
  const block = newFields();
  block[":status"] = String(status);
  return block;
}

/** Adds `lines` to the fields to send, with lower-case names (RFC 9114 §4.2) and without hop-by-hop fields. */
export function addFields(block: FieldSection, lines: Fields): void {
  for (const [sent, value] of eachField(lines)) {
    const name = sent.toLowerCase();
    if (NEVER_SENT.has(name) || !TOKEN.test(name)) continue;
    const before = block[name];
    if (before === undefined) block[name] = value;
    else if (SINGLE.has(name)) continue;
    else if (typeof before === "string") block[name] = [before, value];
    else before.push(value);
  }
}

/**
 * Joins the values of repeated fields (RFC 9110 §5.3) if the section has more lines than the engine sends. False: it has
 * too many names.
 */
export function fitSection(block: FieldSection): boolean {
  if (lineCount(block) <= MAX_SENT_FIELDS) return true;
  for (const name in block) {
    const values = block[name];
    if (isJoinable(name) && values !== undefined && typeof values !== "string") block[name] = values.join(", ");
  }
  return lineCount(block) <= MAX_SENT_FIELDS;
}

/** True if a final head with these fields can be sent together with the fields that the gateway adds. */
export function canSend(lines: Fields): boolean {
  const block = newHead(200);
  addFields(block, lines);
  let count = ADDED_FIELDS;
  for (const name in block) count += isJoinable(name) ? 1 : linesOf(block[name]);
  return count <= MAX_SENT_FIELDS;
}

/** RFC 9110 §5.3: the lines of Set-Cookie cannot be joined. */
function isJoinable(name: string): boolean {
  return name !== "set-cookie";
}

function lineCount(block: FieldSection): number {
  let count = 0;
  for (const name in block) count += linesOf(block[name]);
  return count;
}

function linesOf(values: string | readonly string[] | undefined): number {
  return typeof values === "string" ? 1 : (values?.length ?? 0);
}

/** Calls `visit` for each received field, in order. */
function visitFields(block: FieldSection, visit: (name: string, value: string) => void): void {
  let indices: string[] | undefined;
  for (const name in block) {
    if (INDEX_NAME.test(name)) (indices ??= []).push(name);
    else visitValues(name, block[name], visit);
  }
  if (indices !== undefined) for (const name of indices) visitValues(name, block[name], visit);
}

function visitValues(
  name: string,
  values: string | string[] | undefined,
  visit: (name: string, value: string) => void,
): void {
  if (typeof values === "string") visit(name, values);
  else for (const value of values ?? []) visit(name, value);
}

/** Passes the fields of a request to `add`; returns the size of the field section by RFC 9114 §4.2.2. */
export function readFields(block: FieldSection, add: (field: RequestField) => void): number {
  let size = 0;
  visitFields(block, (name, value) => {
    size += name.length + value.length + FIELD_OVERHEAD;
    add(requestField(name, value));
  });
  return size;
}
