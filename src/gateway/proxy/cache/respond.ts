/** Responses from the cache: a whole stored response, a range of it, or 304. */
import { type ByteRange, parseRange } from "../../../lib/http/byte-ranges.ts";
import { type Fields, withoutFields } from "../../../lib/http/fields.ts";
import { parseHttpDate } from "../../../lib/http/http-date.ts";
import { namesTag, type RequestConditions } from "../../../lib/http/request-conditions.ts";
import { CannedError } from "../../exchange/local-response.ts";
import { type Exchange, type ResponseHead } from "../../exchange/exchange.ts";
import { type ForwardTarget } from "../target.ts";
import { sendBody } from "./body-reader.ts";
import { type StoredResponse } from "./stored-response.ts";

const UNSATISFIABLE = new CannedError("range-not-satisfiable", "none of the ranges is within the response");

/** Fields that a 304 leaves out, because they describe a body that does not follow (RFC 9110 §15.4.5). */
const ABOUT_BODY: readonly string[] = ["content-type", "content-encoding", "content-language", "content-range"];

interface Asked {
  readonly conditions: RequestConditions;
  /** The fields of the response, with its Age. */
  readonly fields: Fields;
}

/** Responds from a whole stored response. */
export function respondWhole(
  exchange: Exchange,
  stored: StoredResponse,
  { conditions, fields }: Asked,
  respondWithError: ForwardTarget["respondWithError"],
): void {
  const { response, head } = exchange;
  const { status, reason, body } = stored;
  if (respondedUnchanged(exchange, stored, { conditions, fields })) return;
  const isHead = head.method === "HEAD";
  const { range } = conditions;
  if (range !== undefined && status === 200 && !isHead && rangeApplies(conditions.ifRange, stored)) {
    const ranges = parseRange(range, body.length);
    if (ranges === "unsatisfiable") {
      respondWithError(exchange, UNSATISFIABLE, `Content-Range: bytes */${body.length}\r\n`);
      return;
    }
    const [one, ...more] = ranges === "whole" ? [] : ranges;
    if (one !== undefined && more.length === 0) {
      sendRange(exchange, { body, first: 0, size: body.length }, one, fields);
      return;
    }
  }
  response.start({ status, reason, fields, bodyLength: body.length });
  if (isHead || status === 204) response.end("");
  else sendBody(exchange, body, 0, body.length);
}

/** The requested range, if the stored part holds all of it. Undefined if it does not, or if several ranges are requested. */
export function rangeOfPart(part: StoredResponse, conditions: RequestConditions): ByteRange | undefined {
  if (part.extent === undefined || conditions.range === undefined) return undefined;
  if (!rangeApplies(conditions.ifRange, part)) return undefined;
  const { first, size } = part.extent;
  const ranges = parseRange(conditions.range, size);
  if (typeof ranges === "string" || ranges.length !== 1) return undefined;
  const [one] = ranges;
  return one !== undefined && one.from >= first && one.to <= first + part.body.length ? one : undefined;
}

/** Responds with a range that `rangeOfPart` has found. */
export function respondPart(
  exchange: Exchange,
  part: StoredResponse,
  range: ByteRange,
  { conditions, fields }: Asked,
): void {
  if (part.extent === undefined || respondedUnchanged(exchange, part, { conditions, fields })) return;
  sendRange(exchange, { body: part.body, ...part.extent }, range, fields);
}

function sendRange(
  exchange: Exchange,
  { body, first, size }: { readonly body: Uint8Array; readonly first: number; readonly size: number },
  { from, to }: ByteRange,
  fields: Fields,
): void {
  const contentRange = `Content-Range: bytes ${from}-${to - 1}/${size}\r\n`;
  exchange.response.start({ status: 206, reason: "", fields: fields + contentRange, bodyLength: to - from });
  sendBody(exchange, body, from - first, to - first);
}

/** Sends 304 if the client has the response already. True: it was sent. */
function respondedUnchanged({ response }: Exchange, stored: StoredResponse, { conditions, fields }: Asked): boolean {
  if ((stored.status !== 200 && stored.status !== 206) || !isUnchanged(conditions, stored.etag, stored.modifiedAt))
    return false;
  response.start(unchanged(fields));
  response.end("");
  return true;
}

/** True if the client has the response already, by the conditions of its request (RFC 9110 §13.2.2). */
export function isUnchanged(
  { ifNoneMatch, ifModifiedSince }: RequestConditions,
  etag: string | undefined,
  modifiedAt: number | undefined,
): boolean {
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch === "*") return true;
    return etag !== undefined && namesTag(ifNoneMatch, etag.replace(/^W\//, ""), "weak");
  }
  if (ifModifiedSince === undefined || modifiedAt === undefined) return false;
  const since = parseHttpDate(ifModifiedSince);
  return since !== undefined && modifiedAt <= since;
}

/** The head of a 304 with the fields of a stored response, without those that describe its body. */
export function unchanged(fields: Fields): ResponseHead {
  return { status: 304, reason: "", fields: withoutFields(fields, ABOUT_BODY), bodyLength: -1 };
}

/** RFC 9110 §13.1.5: a strong entity tag, or the exact date. */
function rangeApplies(ifRange: string | undefined, { etag, lastModified }: StoredResponse): boolean {
  return ifRange === undefined || (ifRange === etag && !etag.startsWith("W/")) || ifRange === lastModified;
}
