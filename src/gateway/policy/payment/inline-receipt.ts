import { type Fields, fieldValue, withoutFields } from "../../../lib/fields.ts";
import { type Receipt } from "../../../payments/messages.ts";
import { type Answer } from "./answers.ts";

/** Longest answer that a receipt is put into, in bytes: it is parsed whole, on the worker's one thread. */
const MAX_INLINE_BYTES = 1_048_576;
/** What a field says of bytes that are not those any more. */
const OF_THE_BYTES = ["etag", "content-md5", "digest", "content-digest", "repr-digest", "accept-ranges"];
const MEMBER = "payment";

/**
 * The answer with the receipt in its body, as the member `payment` of the JSON object that it is (`inline_receipt`). Any other
 * answer stays as it is: no JSON, no object, one that has such a member, a part, compressed, or too long.
 */
export function withReceipt(answer: Answer, receipt: Receipt): Answer {
  const { head, body, size } = answer;
  if (!isInMemory(body) || size > MAX_INLINE_BYTES || head.status === 206 || !isPlainJson(head.fields)) return answer;
  const text = Buffer.concat(body).toString("utf8");
  const close = text.lastIndexOf("}");
  const separator = separatorFor(text);
  if (separator === undefined || close === -1) return answer;
  const member = `${separator}${JSON.stringify(MEMBER)}:${JSON.stringify(receipt)}`;
  const bytes = Buffer.from(text.slice(0, close) + member + text.slice(close), "utf8");
  return {
    ...answer,
    head: { ...head, fields: withoutFields(head.fields, OF_THE_BYTES), bodyLength: bytes.length },
    body: [bytes],
  };
}

function isInMemory(body: Answer["body"]): body is readonly Uint8Array[] {
  return Array.isArray(body);
}

function isPlainJson(fields: Fields): boolean {
  const type = fieldValue(fields, "content-type") ?? "";
  const coding = fieldValue(fields, "content-encoding") ?? "identity";
  return /^application\/json\s*(?:;|$)/i.test(type) && coding.toLowerCase() === "identity";
}

/** What stands before a further member of the object that `text` is; undefined where it takes none. */
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
