import { type PaymentRequired } from "../../../../payments/x402/messages.ts";

/** Placeholder for the URL of the resource in prepared texts. No configuration and no URL contains it. @internal */
export const URL_MARK = "\u0000url\u0000";
/** Placeholder for the id of the request. */
export const ID_MARK = "\u0000id\u0000";

const URL_JSON = JSON.stringify(URL_MARK);
const ID_JSON = JSON.stringify(ID_MARK);

/** JSON that is encoded once, except for the URL and the id of each request. */
export class PreparedJson {
  readonly #parts: readonly string[];

  constructor(value: unknown) {
    // Both marks contain characters that JSON escapes, so no other string can contain them.
    this.#parts = JSON.stringify(value).split(/("\\u0000(?:url|id)\\u0000")/);
  }

  /** `url` is JSON already. */
  write(url: string, id: string): string {
    let text = "";
    for (const part of this.#parts) text += part === URL_JSON ? url : part === ID_JSON ? JSON.stringify(id) : part;
    return text;
  }
}

/**
 * A challenge as a header value. The parts before and after the URL are padded with spaces, which JSON allows, to
 * groups of three bytes. So only the URL is base64-encoded for each request.
 */
export class PreparedHeader {
  readonly #before: string;
  readonly #after: string;

  /** The URL of `required` is URL_MARK. */
  constructor(required: PaymentRequired) {
    const [before = "", after = ""] = JSON.stringify(required).split(URL_JSON);
    this.#before = Buffer.from(filled(before)).toString("base64");
    this.#after = Buffer.from(after).toString("base64");
  }

  /** The length in characters with a URL of `bytes` bytes of JSON. */
  lengthWith(bytes: number): number {
    return this.#before.length + Math.ceil(bytes / 3) * 4 + this.#after.length;
  }

  /** `url` is JSON already. */
  write(url: string): string {
    return this.#before + Buffer.from(filled(url)).toString("base64") + this.#after;
  }
}

function filled(text: string): string {
  return text + " ".repeat((3 - (Buffer.byteLength(text) % 3)) % 3);
}

/** `required` for a resource at URL_MARK. */
export function marked(required: PaymentRequired): PaymentRequired {
  return { ...required, resource: { ...required.resource, url: URL_MARK } };
}
