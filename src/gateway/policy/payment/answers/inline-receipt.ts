import { type Fields, fieldValue, withoutFields } from "../../../../lib/fields.ts";
import { type Receipt } from "../../../../payments/x402/messages.ts";
import { AnswerFile, READ_BYTES } from "./answer-file.ts";
import { type Answer } from "./answers.ts";

/** Longest answer that a receipt is put into, in bytes: it is parsed whole, on the worker's one thread. */
const MAX_INLINE_BYTES = 1_048_576;
/** What a field says of bytes that are not those any more. */
const OF_THE_BYTES = ["etag", "content-md5", "digest", "content-digest", "repr-digest", "accept-ranges"];
const MEMBER = "payment";
/** Whose characters are written back as the very bytes that they were. */
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The answer with the receipt in its body, as the member `payment` of the JSON object that it is (`inline_receipt`). Any other
 * answer stays as it is: no JSON, no object, one that has such a member, a part, compressed, or too long.
 */
export async function withReceipt(answer: Answer, receipt: Receipt): Promise<Answer> {
  const { head, size } = answer;
  if (size > MAX_INLINE_BYTES || head.status === 206 || !isPlainJson(head.fields)) return answer;
  const text = await textOf(answer);
  const close = text.lastIndexOf("}");
  const separator = separatorFor(text);
  if (separator === undefined || close === -1) return answer;
  const member = `${separator}${JSON.stringify(MEMBER)}:${JSON.stringify(receipt)}`;
  const bytes = Buffer.from(text.slice(0, close) + member + text.slice(close), "utf8");
  return {
    ...answer,
    head: { ...head, fields: withoutFields(head.fields, OF_THE_BYTES), bodyLength: bytes.length },
    body: [bytes],
    trailers: withoutFields(answer.trailers, OF_THE_BYTES),
    size: bytes.length,
  };
}

/** Empty where it cannot be read, or is no UTF-8: then there is nothing to put a receipt into, and its sending will tell. */
async function textOf({ body, size }: Answer): Promise<string> {
  const pieces: Uint8Array[] = [];
  if (body instanceof AnswerFile) {
    for (let at = 0; at < size; at += pieces.at(-1)?.length ?? size) {
      const piece = await body.read(at, Math.min(READ_BYTES, size - at)).catch(() => undefined);
      if (piece === undefined || piece.length === 0) return "";
      pieces.push(piece);
    }
  } else {
    pieces.push(...body);
  }
  try {
    return strict.decode(Buffer.concat(pieces));
  } catch {
    return "";
  }
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
