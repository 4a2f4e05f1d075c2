import { changedHead } from "../exchange/exchange-state.ts";
import { withoutFields } from "../../lib/http/fields.ts";
import { type RequestHead, type ResponseHead } from "../exchange/exchange.ts";
import { type ResponseOutcome } from "./own-abi/outcome.ts";
import { isBodiless } from "./reject.ts";
import { withStaged } from "./staged.ts";

const OK = 200;
const PARTIAL_CONTENT = 206;
const NOT_MODIFIED = 304;

/** Fields that describe the bytes which a filter has replaced: coding, ranges, validators, digests. */
const OF_REPLACED = [
  "accept-ranges",
  "content-digest",
  "content-encoding",
  "content-md5",
  "content-range",
  "digest",
  "etag",
  "last-modified",
  "repr-digest",
  "trailer",
];
/** Fields that describe a body that is not sent. */
const OF_BODY = ["content-encoding", "content-language", "content-range", "content-type", "trailer"];

type Change = Extract<ResponseOutcome, { kind: "change" }>;

export interface Changed {
  readonly head: ResponseHead;
  /** The new body; undefined if the body is unchanged or there is no body. */
  readonly body: Uint8Array | undefined;
  /** True if no part of the original body is sent. */
  readonly dropsBody: boolean;
}

/** True if the original response has a body. */
export function hasBody({ method }: Pick<RequestHead, "method">, { status, bodyLength }: ResponseHead): boolean {
  return bodyLength !== 0 && method !== "HEAD" && !isBodiless(status);
}

/** Builds a response from the original and the filter's changes, with fields that fit its body. */
export function changedResponse(
  request: Pick<RequestHead, "method" | "isGrpc">,
  original: ResponseHead,
  change: Change,
): Changed {
  const status = change.status ?? original.status;
  if (isBodiless(status)) return withoutBody(request, original, { ...change, status });
  // A gRPC response that consists of its head only has no body to replace.
  if (change.body === undefined || original.grpcStatus !== undefined) {
    const isNew = isBodiless(original.status) && request.method !== "HEAD";
    const bodyLength = isNew ? 0 : original.bodyLength;
    return { head: headOf(original, { ...change, status, bodyLength }), body: undefined, dropsBody: false };
  }
  const { body } = change;
  const bodyLength = request.isGrpc ? -1 : body.length;
  const isWhole = change.status === undefined && status === PARTIAL_CONTENT;
  const head = headOf(original, { ...change, status: isWhole ? OK : status, bodyLength }, OF_REPLACED);
  if (request.method === "HEAD") return { head, body: undefined, dropsBody: false };
  return { head, body, dropsBody: true };
}

type NewHead = Pick<ResponseHead, "status" | "fields">;

function withoutBody(request: Pick<RequestHead, "method">, original: ResponseHead, change: NewHead): Changed {
  const { status } = change;
  const isSame = status === original.status;
  const bodyLength = isSame ? original.bodyLength : status === NOT_MODIFIED ? -1 : 0;
  const dropped = isSame || status === NOT_MODIFIED ? [] : OF_BODY;
  const head = headOf(original, { ...change, bodyLength }, dropped);
  return { head, body: undefined, dropsBody: hasBody(request, original) };
}

function headOf(
  original: ResponseHead,
  { status, fields, bodyLength }: NewHead & Pick<ResponseHead, "bodyLength">,
  dropped: readonly string[] = [],
): ResponseHead {
  return changedHead(original, {
    status,
    reason: status === original.status ? original.reason : "",
    fields: withStaged(withoutFields(original.fields, dropped), fields),
    bodyLength,
  });
}
