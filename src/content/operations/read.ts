import { object, strictObject, string } from "../../lib/schema.ts";
import { type Extraction } from "../extraction/tree/extraction.ts";
import { actionsPart, actionsSchema } from "./action-parameters.ts";
import { cutTitle } from "../page/cut-title.ts";
import { cutContent, METADATA_EXAMPLE, metadataSchema } from "./metadata.ts";
import { type OperationResult, postOperation } from "./operation.ts";
import { visitParameters, changesSchema, Watch } from "./page-changes.ts";
import { maxLength, PAGE_FAILURES, pageParameters, pageRequest, sharingOf, PAGE_RULES } from "./page-parameters.ts";
import { SESSION_FAILURES, sessionParameters, SESSION_RULES } from "./session-parameters.ts";
import { flag } from "./text.ts";

const body = strictObject({
  ...pageParameters,
  ...sessionParameters,
  ...visitParameters,
  max_length: maxLength,
  comments: flag().describe("Also return the readers' comments below an article"),
}).openapi("ReadRequest");

export const READ_PARAMETERS: readonly string[] = Object.keys(body.shape);

const response = object({
  url: string(),
  title: string(),
  content: string(),
  metadata: metadataSchema,
  actions: actionsSchema,
  changes: changesSchema,
}).openapi("ReadResponse");

/** `POST /read`: the main article of a page as Markdown. */
export const read = postOperation(
  {
    name: "read",
    path: "/read",
    price: "$0.005",
    summary: "Read the main article of a page",
    description:
      "Loads the page and returns its title and its main content as Markdown, without navigation, advertisements and " +
      "side columns. A page with nothing to read is an error. `GET /r/https://example.com/` returns title and content as plain Markdown.",
    body,
    rules: [...PAGE_RULES, ...SESSION_RULES],
    example: { url: "https://example.com/" },
    success: {
      description: "The main content",
      schema: response,
      example: {
        url: "https://example.com/",
        title: "Example Domain",
        content: "This domain is for use in documentation examples.",
        metadata: METADATA_EXAMPLE,
      },
    },
    failures: [...PAGE_FAILURES, ...SESSION_FAILURES],
  },
  async (input, { pages, chargeOf, versions }, { signal, payer, elapsedMs }): Promise<OperationResult> => {
    const { url, comments } = input;
    const request = { ...pageRequest(input, signal), ...sharingOf(input), asksTerms: input.ai_terms };
    const watch = new Watch(input, { versions, payer }, { request, kind: `article ${comments}` });
    try {
      const { extraction, source, acted } = await pages.read(request, { kind: "article", comments });
      const { content, title } = extraction;
      const changes = await watch.seen(content, source);
      const { metadata, ...cut } = cutContent(content, input.max_length, { source, title }, elapsedMs());
      const all = { ...metadata, ...articleMetadata(extraction) };
      const json = { url, title: cutTitle(title), ...cut, metadata: all, ...actionsPart(acted), ...changes };
      return { json, charge: chargeOf(source) };
    } catch (error) {
      return await watch.removed(error, { url, title: "" }, elapsedMs);
    }
  },
);

/** The page's metadata about the article, and the reader's confidence in its choice. */
export function articleMetadata(extraction: Extraction): Readonly<Record<string, string | number>> {
  const { byline, published, language, siteName, canonical, image, confidence } = extraction;
  const texts = { byline, published, language, site_name: siteName, canonical_url: canonical, image };
  const known = Object.entries(texts).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, cutTitle(value)] as const],
  );
  return { ...Object.fromEntries(known), ...(confidence === undefined ? {} : { confidence }) };
}
