import { isEncoded } from "../../../lib/http/is-encoded.ts";
import { TurnpikeError } from "../../../lib/errors.ts";
import { parseJson } from "../../config/formats/json.ts";

/** Media types of request bodies. */
export const JSON_TYPE = "application/json";
export const MERGE_PATCH_TYPE = "application/merge-patch+json";

/** Bytes of a JSON body. A body with a whole configuration may be as long as the configuration file. @operator */
export const MAX_BODY_BYTES = 1024 * 1024;
export const MAX_CONFIG_BYTES = 16 * 1024 * 1024;

/** Throws unless the Content-Type is one of `types`, in UTF-8 or without a charset, and the body is not compressed. */
export function checkType(headers: Headers, types: readonly string[]): void {
  if (isEncoded(headers)) {
    throw new TurnpikeError("unsupported-media-type", "Cannot read the body: it must not have a Content-Encoding");
  }
  const [type = "", ...parameters] = (headers.get("content-type") ?? "")
    .split(";")
    .map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="));
  if (types.includes(type) && (charset === undefined || /^charset="?utf-8"?$/.test(charset))) return;
  throw new TurnpikeError(
    "unsupported-media-type",
    `Cannot read the body: its Content-Type is not ${types.join(" or ")}`,
  );
}

/** The JSON of a body. Throws if it is not JSON, too deep, has a key twice, or one special to JavaScript. */
export function readJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw new TurnpikeError("bad-request", "Cannot read the body: it is empty");
  const parsed = parseJson(decode(bytes));
  if (!parsed.ok) throw new TurnpikeError("bad-request", `Cannot read the body: ${parsed.error}`);
  if (hasMagicKey(parsed.value)) {
    throw new TurnpikeError("bad-request", 'Cannot read the body: "__proto__" is not a key that it may have');
  }
  return parsed.value;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new TurnpikeError("bad-request", "Cannot read the body: it is not UTF-8");
  }
}

/** The parser limits the depth of this recursion. */
function hasMagicKey(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasMagicKey);
  return Object.entries(value).some(([key, member]) => key === "__proto__" || hasMagicKey(member));
}
