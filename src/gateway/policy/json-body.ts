import { type TurnpikeError } from "../../lib/errors.ts";
import { fieldValues } from "../../lib/http/fields.ts";
import { isJsonType } from "../../lib/http/json-type.ts";
import { type RequestHead } from "../exchange/exchange.ts";
import { CannedError } from "../exchange/local-response.ts";
import { type BodyMemory, type GatherBounds } from "./gathered-body.ts";

/** Maximum bytes of a checked body; `limits.max_body_bytes` can be lower. Longer ones are refused. */
const MAX_CHECKED_BYTES = 1_048_576;

const TOO_LONG = new CannedError("body-too-large", "the body is longer than this route can check");
const NO_ROOM = new CannedError("overloaded", "this server has no memory left for a body that must be checked");
const NOT_JSON = new CannedError(
  "unsupported-media-type",
  "the body must be application/json or another type that ends in +json, in UTF-8",
);
const ENCODED = new CannedError("unsupported-media-type", "the body must not have a Content-Encoding");

/** The bounds of a body that is gathered to be checked. */
export function jsonBounds(maxBodyBytes: number, memory: BodyMemory): GatherBounds {
  return { maxBytes: Math.min(maxBodyBytes, MAX_CHECKED_BYTES), memory, tooLong: TOO_LONG, noRoom: NO_ROOM };
}

/** The error for a body of that type. Undefined if the type can be checked. */
export function jsonTypeError(head: RequestHead): TurnpikeError | undefined {
  const [type, other] = fieldValues(head.fields, "content-type");
  if (type === undefined || (other !== undefined && other !== type) || !isJsonType(type)) return NOT_JSON;
  return codingError(head);
}

/** The error for a body whose bytes are not those of its content. */
export function codingError({ fields }: RequestHead): TurnpikeError | undefined {
  const encodings = fieldValues(fields, "content-encoding");
  return encodings.every((value) => value.trim().toLowerCase() === "identity") ? undefined : ENCODED;
}
