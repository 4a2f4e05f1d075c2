import {
  array,
  boolean,
  literal,
  object,
  oneOf,
  type Output,
  record,
  strictObject,
  string,
  union,
} from "../../lib/schema.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { cut } from "../../lib/text/cut-text.ts";
import { linkLines } from "../documents/kinds/content.ts";
import { kindOf } from "../documents/kind.ts";
import { decode } from "../encoding/decode.ts";
import { type ExtractionTask, type FormsTask } from "../extraction/tree/extraction.ts";
import { parseSelector } from "../extraction/selectors/parse-selector.ts";
import { brandSchema } from "../page/brand.ts";
import { MAX_CAPTURE_BYTES, type Picture, type PictureRequest } from "../page/capture.ts";
import { type PageRequest, type PageShows, type PageSource } from "../page/page.ts";
import { type ReadPage } from "../page-reader/page-reader.ts";
import { fieldsResult, jsonFormat, jsonResult, schemaTask } from "./extract-fields.ts";
import { notShown } from "./capture-response.ts";
import { MAX_SELECTOR_LENGTH } from "./page-parameters.ts";
import { defaultPrint, documentOf } from "./pdf.ts";
import { DEFAULT_QUALITY, pictureParameters } from "./picture-parameters.ts";
import { text, flag } from "./text.ts";

/** Formats of one request, and selectors of a list. */
const MAX_FORMATS = 12;
const MAX_SELECTORS = 50;

const NAMES = ["markdown", "html", "text", "links", "images", "metadata", "summary", "raw", "branding", "pdf"] as const;

/** The makers of a summary: `sentences` are those of the page. */
const SUMMARISERS = ["sentences", "model"] as const;

/** Formats that only a browser makes. */
export const SHOWN_FORMATS = ["screenshot", "pdf", "branding"] as const;

const screenshotFormat = strictObject({ type: literal("screenshot"), ...pictureParameters }).openapi(
  "ScreenshotFormat",
);

const summaryFormat = strictObject({
  type: literal("summary"),
  by: oneOf(SUMMARISERS).describe("model: a language model, if the service has one and it succeeds"),
}).openapi("SummaryFormat");

const format = union(
  [
    oneOf([...NAMES, "screenshot"]).transform((name) =>
      name === "screenshot" ? screenshotFormat.parse({ type: name }) : { type: name },
    ),
    strictObject({ type: oneOf(NAMES) }).openapi("Format"),
    summaryFormat,
    screenshotFormat,
    jsonFormat,
  ],
  { error: `must be one of ${NAMES.join(", ")} and screenshot, or an object with one or json as type` },
);

/** A selector that is matched without a browser. */
export const readableSelector = text(MAX_SELECTOR_LENGTH, 1).refine(
  (value) => typeof parseSelector(value) !== "string",
  "must be a CSS selector without states and pseudo-elements",
);

const selectors = array(readableSelector).max(MAX_SELECTORS).optional();

/** The parameters that decide which parts of a page are returned in which forms. */
export const formatsParameters = {
  formats: array(format)
    .min(1)
    .max(MAX_FORMATS)
    .optional()
    .openapi({
      description: "Several formats in one visit, as members of `results`; `content` is then empty",
      example: ["markdown", "links", { type: "screenshot", full_page: true }],
    }),
  only_main_content: flag().describe("Only the main content, without navigation and side columns"),
  include_selectors: selectors.describe("CSS selectors of the only elements that are read"),
  exclude_selectors: selectors.describe("CSS selectors of elements that are not read"),
  inline_images: flag().describe("Keep pictures whose data stands in the page as base64; by default they are left out"),
};

const schema = object(formatsParameters);

export type FormatsInput = Output<typeof schema>;

const address = object({ url: string(), text: string() });
const file = object({ content_type: string(), base64: string() });

/** The forms of a page in a response. */
export const resultsSchema = object({
  markdown: string().optional(),
  html: string().optional().describe("The content as HTML with absolute addresses"),
  text: string().optional(),
  links: array(address).readonly().optional(),
  images: array(address).readonly().optional().describe("Pictures with their alternative texts"),
  metadata: record(string(), string()).optional().describe("Texts of `meta` elements by name"),
  summary: string().optional().describe("Sentences that say most of the page"),
  summary_by: oneOf(SUMMARISERS)
    .optional()
    .describe("sentences: they stand in the page; model: they are a language model's"),
  raw: object({ content_type: string(), text: string().optional(), base64: string().optional() })
    .optional()
    .describe("The document as it came; with the browser engine, as it stands after its scripts ran"),
  branding: brandSchema.optional().describe("Colours, fonts and logo that the page shows"),
  json: jsonResult.optional(),
  screenshot: file.extend({ truncated: boolean() }).optional(),
  pdf: file.optional(),
}).openapi("PageFormats", { description: "The requested formats of a page" });

export type Results = Output<typeof resultsSchema>;

/** True if the request asks for more than one whole format, so that a plan is needed. */
export function isPlanned({
  formats,
  only_main_content: isMain,
  include_selectors: include,
  exclude_selectors: exclude,
  inline_images: inlinePictures,
}: FormatsInput): boolean {
  return formats !== undefined || isMain || inlinePictures || (include ?? []).length > 0 || (exclude ?? []).length > 0;
}

/** The forms that a request wants of a page, and how they are made in one visit. */
export class FormatsPlan {
  readonly #input: FormatsInput;
  readonly #names: ReadonlySet<string>;
  readonly #picture: PictureRequest | undefined;

  /** `single` is the format of a request without `formats`. */
  constructor(input: FormatsInput, single: "html" | "markdown" | "text" | "links") {
    this.#input = input;
    const formats = input.formats ?? [{ type: single }];
    this.#names = new Set(formats.map(({ type }): string => type));
    const wanted = formats.find((one) => one.type === "screenshot");
    this.#picture = wanted && { ...wanted, quality: wanted.quality ?? DEFAULT_QUALITY, fullPage: wanted.full_page };
  }

  /** The first format that needs a browser. */
  get needsBrowser(): string | undefined {
    const found = SHOWN_FORMATS.find((name) => this.#names.has(name));
    return found === undefined ? undefined : `formats ${found}`;
  }

  task(crawled: boolean): ExtractionTask {
    const { only_main_content: isMain, include_selectors: include = [], exclude_selectors: exclude = [] } = this.#input;
    const { inline_images: inlinePictures } = this.#input;
    const json = this.#input.formats?.find((one) => one.type === "json");
    const wanted = ["html", "text", "links", "images", "summary"] as const;
    const names: FormsTask["names"] = [
      ...wanted.filter((name) => this.#names.has(name)),
      ...(this.#names.has("raw") ? (["rawHtml"] as const) : []),
    ];
    const forms = {
      names,
      attributes: [],
      include,
      exclude,
      inlinePictures,
      withSummaryText: this.#input.formats?.some((one) => "by" in one && one.by === "model") ?? false,
      json: json && schemaTask(json.schema, json),
    };
    const isWorded = crawled || ["markdown", "text", "summary"].some((name) => this.#names.has(name));
    const kind = isMain && include.length === 0 ? "article" : isWorded ? "markdown" : "html";
    return { kind, crawled, forms };
  }

  /** The request, with the formats that only a browser makes. */
  request(request: PageRequest): PageRequest {
    const print = this.#names.has("pdf") ? defaultPrint() : undefined;
    const brand = this.#names.has("branding");
    const picture = this.#picture;
    if ((print ?? picture) === undefined && !brand) return request;
    const shows: PageShows = { print, brand, ...(picture === undefined ? {} : { picture }) };
    const window = picture && { width: picture.width, height: picture.height, fullPage: picture.fullPage };
    return { ...request, shows, pictures: true, ...(window === undefined ? {} : { window }) };
  }

  /** The forms of a page that was read. Throws if one of them cannot be made of it, or all are too long for a response. */
  results({ extraction, source, shown }: ReadPage): Results {
    const { content, forms } = extraction;
    const { meta = {}, attributes: _attributes, summaryText: _text, summaryBy, rawHtml, json, ...texts } = forms ?? {};
    const wants = (name: string): boolean => this.#names.has(name);
    const results: Results = {
      ...(wants("markdown") ? { markdown: content } : {}),
      ...texts,
      ...(forms?.summary === undefined ? {} : { summary_by: summaryBy ?? "sentences" }),
      ...(json === undefined ? {} : { json: fieldsResult(json) }),
      ...(wants("metadata") ? { metadata: meta } : {}),
      ...(wants("raw") ? { raw: rawOf(source, rawHtml) } : {}),
      ...(shown?.brand === undefined ? {} : { branding: shown.brand }),
      ...(this.#picture === undefined ? {} : { screenshot: this.#screenshot(this.#picture, source, shown?.picture) }),
      ...(wants("pdf") ? { pdf: fileOf("application/pdf", shown?.pdf ?? documentOf(source)) } : {}),
    };
    if (lengthOf(results) > MAX_CAPTURE_BYTES) {
      throw new TurnpikeError(
        "page-failed",
        `Cannot send the page: its formats have more than ${MAX_CAPTURE_BYTES} characters`,
      );
    }
    return results;
  }

  #screenshot({ format: type }: PictureRequest, source: PageSource, made: Picture | undefined): Results["screenshot"] {
    if (made === undefined) throw notShown(source);
    return { ...fileOf(`image/${type}`, made.bytes), truncated: made.truncated };
  }
}

/** The one format of a request without `formats`, as text. */
export function singleOf({ markdown, html, text: plain, links }: Results): string {
  return markdown ?? html ?? plain ?? linkLines([...(links ?? [])]);
}

/** Cuts the texts. `length` is their length in bytes before that. */
export function cutResults(
  results: Results,
  max: number | undefined,
): { results: Results; length: number; truncated: boolean } {
  const { markdown, html, text: plain } = results;
  const texts = Object.entries({ markdown, html, text: plain }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const kept = texts.map(([name, value]) => [name, cut(value, max)] as const);
  return {
    results: { ...results, ...Object.fromEntries(kept) },
    length: texts.reduce((sum, [, value]) => sum + Buffer.byteLength(value), 0),
    truncated: kept.some(([, value], at) => value.length < (texts[at]?.[1].length ?? 0)),
  };
}

function fileOf(contentType: string, bytes: Uint8Array): Output<typeof file> {
  return { content_type: contentType, base64: Buffer.from(bytes).toString("base64") };
}

/** A document that is text in its own encoding is text here too. */
function rawOf({ body, contentType }: PageSource, html: string | undefined): Results["raw"] {
  const type = { content_type: contentType };
  if (typeof body === "string") return { ...type, text: body };
  const kind = kindOf(contentType, body);
  if (kind === "html" && html !== undefined) return { ...type, text: html };
  if (kind === "pdf" || kind === "unsupported") return { ...type, base64: Buffer.from(body).toString("base64") };
  const markup = kind === "xml" || kind === "json" ? kind : "text";
  return { ...type, text: decode(body, contentType, markup).text };
}

function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, member) => sum + lengthOf(member), 0);
}
