import { array, int, number, object, type Output, strictObject, string } from "../../lib/schema.ts";
import { type PageSource } from "../page/page.ts";
import { cutContent, METADATA_EXAMPLE, metadataSchema } from "./metadata.ts";
import { checkBody, invalidParameters, type Operation, stopwatch } from "./operation.ts";
import { contentParameters } from "./page-content.ts";
import { maxLength } from "./page-parameters.ts";
import { matching, flag, whole } from "./text.ts";
import { Upload } from "./upload.ts";
import { articleMetadata } from "./read.ts";

/** Characters of a content type. */
const MAX_TYPE_LENGTH = 200;

const options = {
  content_type: matching(string().max(MAX_TYPE_LENGTH), /^[\x20-\x7e]*$/, "must be visible ASCII characters and spaces")
    .optional()
    .describe("Media type of a text file, such as text/csv; the bytes of other files say what they are"),
  format: contentParameters.format,
  max_length: maxLength,
  words: flag().describe("Also return the words that were recognised in pictures, with their boxes"),
  timeout: whole(1, 120).default(30).describe("Time for reading the file in seconds"),
};

const fields = strictObject(options);

const body = strictObject({
  file: string().min(1).openapi({ format: "byte", description: "The file in base64", example: "SGVsbG8=" }),
  ...options,
}).openapi("ParseRequest");

const word = object({
  page: int().describe("From 1 on"),
  text: string(),
  confidence: number(),
  left: int(),
  top: int(),
  width: int(),
  height: int(),
}).openapi("OcrWord", { description: "A word in a picture, with its box in pixels from the top left corner" });

const response = object({
  format: string(),
  content: string(),
  metadata: metadataSchema,
  words: array(word).readonly().optional(),
}).openapi("ParseResponse");

/** The address of an uploaded file, relative to which no link leads anywhere. */
const NO_ADDRESS = "about:blank";

/** The file as a page that was loaded. */
export function fileSource(bytes: Uint8Array<ArrayBuffer>, contentType: string): PageSource {
  const page = { engine: "static", finalUrl: NO_ADDRESS, statusCode: 200, headers: [], complete: true } as const;
  return { ...page, body: bytes, contentType };
}

/** `POST /parse`: a file of the caller's as HTML, Markdown, text or links. */
export const parse: Operation = {
  name: "parse",
  method: "post",
  path: "/parse",
  price: "$0.005",
  summary: "Read a file as HTML, Markdown, text or links",
  description:
    "Reads an uploaded file: DOCX, XLSX, PPTX, ODT, ODS, ODP, RTF, EPUB, PDF, e-mail, archive, HTML, CSV, JSON or XML; with OCR also a picture. The body is JSON, " +
    "multipart/form-data with the part `file` and the parameters as further parts, or the file itself with the parameters in the query.",
  body,
  isUpload: true,
  example: { file: "UkVBRCBNRQ==", content_type: "text/plain" },
  success: {
    description: "The file's content",
    schema: response,
    example: {
      format: "markdown",
      content: "READ ME",
      metadata: { ...METADATA_EXAMPLE, content_length: 7, content_type: "text/plain", final_url: NO_ADDRESS },
    },
  },
  failures: ["invalid-parameters", "page-type-unsupported", "page-failed", "page-empty", "overloaded", "page-timeout"],
  run: async (given, services, { signal }) => {
    const { file, contentType: stated, input } = given instanceof Upload ? fromUpload(given) : fromJson(given);
    const { files, fileChargeOf, now } = services;
    const elapsedMs = stopwatch(now);
    const contentType = input.content_type ?? stated;
    const source = fileSource(file, contentType);
    const request = { timeoutMs: input.timeout * 1000, signal };
    const { extraction, source: read } = await files.readFile(source, { kind: input.format }, request);
    const { metadata, ...cut } = cutContent(
      extraction.content,
      input.max_length,
      { source: read, title: extraction.title },
      elapsedMs(),
    );
    const { status: _status, final_url: _address, ...about } = metadata;
    const { scan } = extraction;
    const words = input.words && scan !== undefined ? { words: scan.words } : {};
    const all = { ...about, ...articleMetadata(extraction) };
    return { json: { format: input.format, ...cut, metadata: all, ...words }, charge: fileChargeOf(read) };
  },
};

interface Given {
  readonly file: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  readonly input: Output<typeof fields>;
}

function fromUpload({ file, contentType, fields: given }: Upload): Given {
  return file === undefined ? fromJson(given) : { file, contentType, input: checkBody(fields, given) };
}

function fromJson(given: unknown): Given {
  const { file: text, ...input } = checkBody(body, given);
  const file = new Uint8Array(Buffer.from(text, "base64"));
  // The decoder passes over other characters.
  if (file.length === 0 || file.length !== Math.floor((text.replace(/=+$/, "").length * 3) / 4))
    throw invalidParameters([{ path: "file", message: "must be base64" }]);
  return { file, contentType: "", input };
}
