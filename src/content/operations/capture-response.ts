import { TurnpikeError } from "../../lib/errors.ts";
import { type PageRequest, type PageSource } from "../page/page.ts";
import { type OperationResult } from "./operation.ts";

/** Maximum number of characters of an URL in a header field. A longer URL is left out. */
const MAX_URL_LENGTH = 4096;

/** Header fields of binary responses, which have no metadata in their body. */
export const CAPTURE_HEADERS: Readonly<Record<string, string>> = {
  "X-Turnpike-Final-Url": "The page's address after redirects",
  "X-Turnpike-Status": "HTTP status of the page; absent if it is not known",
  "X-Turnpike-Elapsed-Ms": "Time taken to load and capture the page, in milliseconds",
  "X-Turnpike-Engine": "Engine that loaded the page: browser, or static for a document that is passed through",
  "X-Turnpike-Truncated": "true if the page continues below or beside the picture, false otherwise",
  "X-Turnpike-Partial": "true if the timeout came before the end of the page; absent otherwise",
};

/** A picture or a PDF document of a page. `truncated`: the page continues beyond it. */
export interface Captured {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  readonly source: PageSource;
  readonly truncated: boolean;
}

/** The response with the captured bytes. `elapsedMs` is a whole number. */
export function captureResponse(
  { bytes, contentType, source, truncated }: Captured,
  elapsedMs: number,
): OperationResult {
  const { finalUrl, statusCode, engine, complete } = source;
  const headers: Record<string, string> = {
    "X-Turnpike-Elapsed-Ms": String(elapsedMs),
    "X-Turnpike-Engine": engine,
    "X-Turnpike-Truncated": String(truncated),
  };
  // URLs of documents are ASCII, in whatever form they were written. Another URL must not break the field section.
  if (/^[\x21-\x7e]+$/.test(finalUrl) && finalUrl.length <= MAX_URL_LENGTH) headers["X-Turnpike-Final-Url"] = finalUrl;
  if (statusCode !== undefined) headers["X-Turnpike-Status"] = String(statusCode);
  if (!complete) headers["X-Turnpike-Partial"] = "true";
  return { bytes, contentType, headers };
}

/** The request for a page that is shown: by a browser, with its pictures. */
export function shownRequest(request: PageRequest): PageRequest {
  return { ...request, engine: "browser", pictures: true };
}

/** The error of a document that the operation does not support. */
export function notShown({ contentType }: PageSource): TurnpikeError {
  const type = contentType.slice(0, 80).replaceAll(/[^\x20-\x7e]/g, "?");
  const named = type === "" ? "it is a download without a type" : `its type is ${type}`;
  return new TurnpikeError("page-type-unsupported", `Cannot show the page: ${named}, which a browser does not show`);
}
