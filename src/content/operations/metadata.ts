import { array, boolean, int, number, object, oneOf, type Output, record, string } from "../../lib/schema.ts";
import { cut } from "../../lib/text/cut-text.ts";
import { cutTitle } from "../page/cut-title.ts";
import { type PageSource } from "../page/page.ts";

const aiTermsSchema = object({
  signals: record(string(), boolean())
    .optional()
    .describe("Content-Signal of robots.txt: by use, whether it is allowed"),
  tdm_reserved: boolean().optional().describe("Whether text and data mining is reserved (TDMRep)"),
  tdm_policy: string().optional().describe("Address of the policy for text and data mining"),
  license: string().optional().describe("Address of an RSL licence"),
  license_denies: array(string())
    .readonly()
    .optional()
    .describe("Uses that the licence does not grant for free, if it was read"),
}).openapi("AiTerms", { description: "Terms of the site for the use of the page by AI, if it states some" });

export const metadataSchema = object({
  content_length: int().describe("Length of the content in bytes, before it was cut"),
  elapsed_ms: int().describe("Time taken to load and read the page, in milliseconds"),
  truncated: boolean().describe("Whether the content was cut to max_length"),
  status: int()
    .optional()
    .describe("HTTP status of the page's server; a failed page has it only if it failed because of this status"),
  final_url: string().optional().describe("The page's address after redirects"),
  content_type: string().optional().describe("Type of the page's document"),
  title: string().optional().describe("Title of the page"),
  byline: string().optional().describe("Author of the article, if the page names one"),
  published: string().optional().describe("Publication date of the article, if the page has one"),
  language: string().optional().describe("Language of the article, if the page declares it"),
  site_name: string().optional().describe("Name of the site, if the page has it"),
  canonical_url: string().optional().describe("The page's canonical address"),
  image: string().optional().describe("Address of the article's lead picture, if the page names one"),
  confidence: number()
    .min(0)
    .max(1)
    .optional()
    .describe("Confidence that this is the main content and nothing else: the expected F1 score over words"),
  partial: boolean()
    .optional()
    .describe("True if the timeout came before the end of the page, or pages of a long document are missing"),
  ocr: object({ pages: int(), confidence: number().min(0).max(1) })
    .optional()
    .describe("Present if the text was recognised in pictures: their number, and the mean confidence of its words"),
  cached: boolean().optional().describe("True if the page was loaded for an earlier request"),
  age: int().optional().describe("Seconds since the server of a cached page sent or confirmed it"),
  ai_terms: aiTermsSchema.optional(),
  engine: oneOf(["static", "browser"]).optional().describe("Engine that loaded the page"),
}).openapi("Metadata", { description: "Facts about the load of a page" });

/** The metadata in the examples of the API description. */
export const METADATA_EXAMPLE = {
  content_length: 183,
  elapsed_ms: 412,
  truncated: false,
  status: 200,
  final_url: "https://example.com/",
  content_type: "text/html",
  title: "Example Domain",
  engine: "browser",
} as const;

export type Metadata = Output<typeof metadataSchema>;

/** The metadata of a failed page. `status` is the status of its server, if that is the cause. */
export function failedMetadata(elapsedMs: number, status: number | undefined): Metadata {
  return {
    content_length: 0,
    elapsed_ms: elapsedMs,
    truncated: false,
    ...(status === undefined ? {} : { status }),
  };
}

/** Content after the requested cut, and the metadata that reports the cut. */
export interface CutContent {
  readonly content: string;
  readonly metadata: Metadata;
}

/** Cuts the content. `elapsedMs` is a whole number. */
export function cutContent(
  content: string,
  max: number | undefined,
  page: { readonly source: PageSource; readonly title: string },
  elapsedMs: number,
): CutContent {
  const kept = cut(content, max);
  const { source, title } = page;
  const contentType = source.contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return {
    content: kept,
    metadata: {
      content_length: Buffer.byteLength(content),
      elapsed_ms: elapsedMs,
      truncated: kept.length < content.length,
      ...(source.statusCode === undefined ? {} : { status: source.statusCode }),
      final_url: source.finalUrl,
      ...(contentType === "" ? {} : { content_type: contentType }),
      ...(title === "" ? {} : { title: cutTitle(title) }),
      ...(source.terms === undefined ? {} : { ai_terms: source.terms }),
      engine: source.engine,
      ...(source.complete ? {} : { partial: true }),
      ...(source.scan === undefined ? {} : { ocr: { pages: source.scan.pages, confidence: source.scan.confidence } }),
      ...(source.ageMs === undefined ? {} : { cached: true, age: Math.floor(source.ageMs / 1000) }),
    },
  };
}
