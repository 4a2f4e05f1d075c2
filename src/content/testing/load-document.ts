import { type FetchedDocument, type PageRequest } from "../page/page.ts";
import { fetchDocument } from "../static/fetch-document.ts";
import { pageRequestOf, visiting } from "./visit.ts";

/** Fetches a document without a browser, in a visit of its own. */
export function loadDocument(url: string, more: Partial<PageRequest> = {}): Promise<FetchedDocument> {
  return visiting(pageRequestOf(url, more), (visit) => fetchDocument(visit));
}

export function textOf(document: FetchedDocument): string {
  return Buffer.from(document.body).toString();
}

/** The code and words of the error that it ends in, or "none". */
export async function detailOf(loading: Promise<unknown>): Promise<string> {
  try {
    await loading;
    return "none";
  } catch (error) {
    return error instanceof Error && "code" in error ? `${String(error.code)}: ${error.message}` : String(error);
  }
}

/** Bytes in hexadecimal digits that shrink to half and no further. */
export function noise(length: number): Buffer {
  const hash = new Bun.CryptoHasher("sha256");
  const parts: string[] = [];
  for (let n = 0; n * 64 < length; n += 1) parts.push(hash.copy().update(String(n)).digest("hex"));
  return Buffer.from(parts.join("").slice(0, length));
}
