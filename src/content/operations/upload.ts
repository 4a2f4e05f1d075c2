import { JoinedPieces } from "../../lib/memory/joined-pieces.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { isObject } from "../../lib/is-object.ts";
import { JsonError, readJson } from "../../lib/json-schema/read-json.ts";
import { parsedJson } from "../../lib/parsed-json.ts";

/** Uploads that are in memory at one time. Further ones are refused. @operator */
const MAX_UPLOADS = 16;
/** Milliseconds for the body of an upload to arrive. A slower one is refused. @operator */
const UPLOAD_TIMEOUT_MS = 60_000;
/** Parts of a multipart body. A body with more is refused. @operator */
const MAX_PARTS = 50;

/** A file that a client has sent, and the fields beside it. The fields are not checked. */
export class Upload {
  /** Undefined if it is the field `file` in base64, missing, or empty. */
  readonly file: Uint8Array<ArrayBuffer> | undefined;
  readonly contentType: string;
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(
    file: Uint8Array<ArrayBuffer> | undefined,
    contentType: string,
    fields: Readonly<Record<string, unknown>>,
  ) {
    this.file = file?.length === 0 ? undefined : file;
    this.contentType = contentType;
    this.fields = fields;
  }
}

/** Types by the ends of names, for texts whose bytes do not say what they are. */
const TYPES: Readonly<Record<string, string>> = {
  csv: "text/csv",
  eml: "message/rfc822",
  htm: "text/html",
  html: "text/html",
  json: "application/json",
  md: "text/markdown",
  mbox: "application/mbox",
  tsv: "text/tab-separated-values",
  txt: "text/plain",
  xhtml: "application/xhtml+xml",
  xml: "application/xml",
  yaml: "application/yaml",
};

/** Reads bodies of requests that contain a file: JSON, multipart/form-data or the file itself. */
export class Uploads {
  readonly #maxBytes: number;
  #reading = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Throws if the length that a request announces is too large. */
  checkLength({ headers }: Pick<Request, "headers">): void {
    if (Number(headers.get("content-length") ?? "0") > this.#maxBytes) throw this.#tooLarge();
  }

  /** Reads the body and passes it to `use`, which has to end before another upload takes its place in memory. */
  async with<T>(request: Request, use: (upload: Upload) => Promise<T>): Promise<T> {
    if (this.#reading >= MAX_UPLOADS)
      throw new TurnpikeError("overloaded", "Cannot accept the file: too many files are read at this time");
    this.#reading += 1;
    try {
      return await use(await this.#read(request));
    } finally {
      this.#reading -= 1;
    }
  }

  async #read(request: Request): Promise<Upload> {
    const bytes = await this.#bytes(request);
    const type = request.headers.get("content-type") ?? "";
    if (/^multipart\/form-data\b/i.test(type)) return await formOf(bytes, type);
    if (/^application\/json\b/i.test(type)) {
      return new Upload(undefined, "", fieldsIn(bytes));
    }
    return plainUpload(request, bytes);
  }

  #tooLarge(): TurnpikeError {
    return new TurnpikeError("body-too-large", `Cannot read the body: it has more than ${this.#maxBytes} bytes`);
  }

  async #bytes(request: Request): Promise<Uint8Array<ArrayBuffer>> {
    const { body } = request;
    this.checkLength(request);
    if (body === null) return new Uint8Array();
    const late = AbortSignal.timeout(UPLOAD_TIMEOUT_MS);
    const reader = body.getReader();
    late.addEventListener("abort", () => void reader.cancel(), { once: true });
    const pieces = new JoinedPieces();
    let length = 0;
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      length += read.value.length;
      if (length > this.#maxBytes) {
        await reader.cancel();
        throw this.#tooLarge();
      }
      pieces.add(read.value);
    }
    if (late.aborted) throw new TurnpikeError("bad-request", "Cannot read the body: it did not arrive in time");
    return new Uint8Array(pieces.joined());
  }
}

/** True if the body is the file itself, and the query has the parameters. */
export function isPlainUpload({ headers }: Pick<Request, "headers">): boolean {
  return !/^(?:multipart\/form-data|application\/json)\b/i.test(headers.get("content-type") ?? "");
}

/** A file that is the whole body. */
export function plainUpload({ headers, url }: Request, file: Uint8Array<ArrayBuffer>): Upload {
  return new Upload(file, typeOf(headers.get("content-type") ?? "", ""), valuesOf(new URL(url).searchParams));
}

/** The members of a JSON object. It is parsed as strictly as by a gateway that checks bodies. */
function fieldsIn(bytes: Uint8Array): Record<string, unknown> {
  let why = "";
  try {
    const fields = readJson(bytes);
    if (isObject(fields)) return { ...fields };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    why = `: ${error.message}`;
  }
  throw new TurnpikeError("bad-request", `Cannot read the body: it is not a JSON object in UTF-8${why}`);
}

async function formOf(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<Upload> {
  const boundary = /boundary="?([^";]{1,200})/i.exec(type)?.[1];
  if (boundary === undefined || partsOf(bytes, boundary) > MAX_PARTS)
    throw new TurnpikeError("bad-request", `Cannot read the body: it is not multipart with at most ${MAX_PARTS} parts`);
  const form = await new Response(bytes, { headers: { "content-type": type } }).formData().catch(() => undefined);
  if (form === undefined) throw new TurnpikeError("bad-request", "Cannot read the body: its parts are damaged");
  const file = form.get("file");
  const texts = new URLSearchParams();
  for (const [name, value] of form) if (typeof value === "string" && name !== "file") texts.set(name, value);
  if (!(file instanceof File)) return new Upload(undefined, "", valuesOf(texts));
  return new Upload(new Uint8Array(await file.arrayBuffer()), typeOf(file.type, file.name), valuesOf(texts));
}

function partsOf(bytes: Uint8Array, boundary: string): number {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let count = 0;
  for (let at = body.indexOf(`--${boundary}`); at !== -1 && count <= MAX_PARTS; count += 1)
    at = body.indexOf(`--${boundary}`, at + 1);
  return count;
}

/** The type that a client states; without one, that of the name, or none. */
function typeOf(stated: string, name: string): string {
  const isStated = stated !== "" && !/^application\/(?:octet-stream|x-www-form-urlencoded)\b/i.test(stated);
  return isStated ? stated : (TYPES[/\.([a-z]{2,5})$/i.exec(name)?.[1]?.toLowerCase() ?? ""] ?? "");
}

/** The values of a form: a number or a boolean in place of its text, as in JSON. */
function valuesOf(texts: URLSearchParams): Record<string, unknown> {
  const entries = [...texts].map(([name, text]) => [
    name,
    /^(?:\d{1,15}|true|false)$/.test(text) ? parsedJson(text) : text,
  ]);
  return Object.fromEntries(entries);
}
