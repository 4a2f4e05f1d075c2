import { type Fields } from "../../lib/http/fields.ts";
import { httpDate } from "../../lib/http/http-date.ts";
import { negotiateCoding } from "../../lib/http/negotiate-coding.ts";
import { type OpenFile } from "./open-file.ts";
import { type Validators } from "../../lib/http/request-conditions.ts";

/** File name endings of precompressed files, with their content codings. At equal weight the first one is preferred. */
export const ENCODINGS = [
  { suffix: ".zst", coding: "zstd" },
  { suffix: ".br", coding: "br" },
  { suffix: ".gz", coding: "gzip" },
] as const;

type Coding = (typeof ENCODINGS)[number]["coding"];

/** One form of a served file: plain, or precompressed. */
export interface Representation extends Validators {
  readonly file: OpenFile;
  readonly mediaType: string;
  /** Fields that a 304 and a 412 need too: ETag, Last-Modified, Vary. */
  readonly validatorFields: Fields;
  /** Content-Encoding and Accept-Ranges, in addition to the validators. */
  readonly commonFields: Fields;
  /** All fields of a complete response. */
  readonly fields: Fields;
}

export interface StaticFile {
  readonly plain: Representation;
  readonly codings: readonly Coding[];
  readonly coded: readonly Representation[];
}

/** Describes a file and its precompressed forms, its `siblings`. If there are any, all forms have `Vary: Accept-Encoding`. */
export function describeFile(
  mediaType: string,
  plain: OpenFile,
  siblings: readonly { readonly coding: Coding; readonly file: OpenFile }[],
): StaticFile {
  const varies = siblings.length > 0;
  return {
    plain: describe(plain, mediaType, undefined, varies),
    codings: siblings.map(({ coding }) => coding),
    coded: siblings.map(({ coding, file }) => describe(file, mediaType, coding, varies)),
  };
}

function describe(file: OpenFile, mediaType: string, coding: Coding | undefined, varies: boolean): Representation {
  // The content coding is part of the tag, so that two forms never share one, whatever their times and sizes (RFC 9110
  // §8.8.3.3).
  const etag = `"${file.version}${coding === undefined ? "" : `-${coding}`}"`;
  const vary = varies ? "Vary: Accept-Encoding\r\n" : "";
  const validatorFields = `ETag: ${etag}\r\nLast-Modified: ${httpDate(file.modifiedAt)}\r\n${vary}`;
  const encoding = coding === undefined ? "" : `Content-Encoding: ${coding}\r\n`;
  const commonFields = `${validatorFields}${encoding}Accept-Ranges: bytes\r\n`;
  return {
    file,
    mediaType,
    etag,
    modifiedAt: file.modifiedAt,
    validatorFields,
    commonFields,
    fields: `Content-Type: ${mediaType}\r\n${commonFields}`,
  };
}

/** The form that the client prefers. */
export function chooseForm(served: StaticFile, acceptEncoding: string | undefined): Representation {
  const coding = negotiateCoding(acceptEncoding ?? "", served.codings);
  if (coding === undefined) return served.plain;
  return served.coded[served.codings.indexOf(coding)] ?? served.plain;
}
