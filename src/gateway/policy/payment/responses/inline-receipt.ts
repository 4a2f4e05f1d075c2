import { changedHead } from "../../../exchange/exchange-state.ts";
import { type Fields, fieldValue, withoutFields } from "../../../../lib/http/fields.ts";
import { type Receipt } from "../../../../payments/x402/messages.ts";
import { ResponseFile } from "./response-file.ts";
import { type PaidResponse } from "./response-store.ts";

/** Bytes of the longest response that gets a receipt in its body: the worker's only thread parses it as a whole. */
const MAX_INLINE_BYTES = 1_048_576;
/** Fields about the exact bytes of a body. They are no longer true after a change. */
const OF_THE_BYTES = ["etag", "content-md5", "digest", "content-digest", "repr-digest", "accept-ranges"];
const MEMBER = "payment";
/** A decoder whose text is written back as the same bytes. */
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The response with the receipt in its body, as the member `payment` of its JSON object (`inline_receipt`). Any other
 * response stays unchanged: not JSON, not an object, with such a member already, partial, compressed, or too long.
 */
export async function withReceipt(response: PaidResponse, receipt: Receipt): Promise<PaidResponse> {
  const { head, size } = response;
  if (size > MAX_INLINE_BYTES || head.status === 206 || !isPlainJson(head.fields)) return response;
  const text = await bodyText(response);
  const close = text.lastIndexOf("}");
  const separator = separatorFor(text);
  if (separator === undefined || close === -1) return response;
  const member = `${separator}${JSON.stringify(MEMBER)}:${JSON.stringify(receipt)}`;
  const bytes = Buffer.from(text.slice(0, close) + member + text.slice(close), "utf8");
  return {
    ...response,
    head: changedHead(head, { fields: withoutFields(head.fields, OF_THE_BYTES), bodyLength: bytes.length }),
    body: [bytes],
    trailers: withoutFields(response.trailers, OF_THE_BYTES),
    size: bytes.length,
  };
}

/** Empty if the body is unreadable or not UTF-8: it has no receipt. Sending it shows a read error again. */
async function bodyText({ body, size }: PaidResponse): Promise<string> {
  try {
    return strict.decode(body instanceof ResponseFile ? await body.read(0, size) : Buffer.concat(body));
  } catch {
    return "";
  }
}

function isPlainJson(fields: Fields): boolean {
  const type = fieldValue(fields, "content-type") ?? "";
  const coding = fieldValue(fields, "content-encoding") ?? "identity";
  return /^application\/json\s*(?:;|$)/i.test(type) && coding.toLowerCase() === "identity";
}

/** The text before a further member of the JSON object `text`; undefined if no member can be added. */
function separatorFor(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    if (Object.hasOwn(value, MEMBER)) return undefined;
    return Object.keys(value).length === 0 ? "" : ",";
  } catch {
    return undefined;
  }
}
