import { object, strictObject, string } from "../../lib/schema.ts";
import { METADATA_EXAMPLE, metadataSchema } from "./metadata.ts";
import { askingPages, assertPrompts } from "./extract-fields.ts";
import { type OperationResult, postOperation } from "./operation.ts";
import { visitParameters, changesSchema, Watch } from "./page-changes.ts";
import {
  browserNeed,
  comparedKind,
  contentParameters,
  contentPart,
  pageContent,
  CONTENT_RULES,
} from "./page-content.ts";
import { actionsSchema } from "./action-parameters.ts";
import { resultsSchema } from "./page-formats.ts";
import { PAGE_FAILURES, pageParameters, pageRequest, sharingOf, PAGE_RULES } from "./page-parameters.ts";
import { SESSION_FAILURES, sessionParameters, SESSION_RULES } from "./session-parameters.ts";

const body = strictObject({
  ...pageParameters,
  ...sessionParameters,
  ...contentParameters,
  ...visitParameters,
}).openapi("ScrapeRequest");

const response = object({
  url: string(),
  format: string(),
  content: string().describe("The content in `format`; empty with `formats`"),
  results: resultsSchema.optional(),
  actions: actionsSchema,
  metadata: metadataSchema,
  changes: changesSchema,
}).openapi("ScrapeResponse");

/** `POST /scrape`: a page as HTML, Markdown, text or links. */
export const scrape = postOperation(
  {
    name: "scrape",
    path: "/scrape",
    price: "$0.005",
    summary: "Retrieve a page as HTML, Markdown, text or links",
    description:
      "Loads the page and returns its content. With `evaluate`, the result of that expression " +
      "is the content: text unchanged, everything else as JSON. `links` returns one link per line, in the page's order. " +
      "With `formats`, several formats come from one visit: the price is that of the most expensive one, and a share of the others.",
    body,
    rules: [...PAGE_RULES, ...SESSION_RULES, ...CONTENT_RULES],
    example: { url: "https://example.com/", format: "markdown" },
    success: {
      description: "The page's content",
      schema: response,
      example: {
        url: "https://example.com/",
        format: "markdown",
        content: "# Example Domain\n\nThis domain is for use in documentation examples.",
        metadata: METADATA_EXAMPLE,
      },
    },
    failures: [...PAGE_FAILURES, ...SESSION_FAILURES, "scrape-failed", "fields-missing"],
  },
  async (input, services, { signal, payer, elapsedMs }): Promise<OperationResult> => {
    const { chargeOf, versions } = services;
    const { url, format } = input;
    assertPrompts(input.formats, services.resolver);
    const request = {
      ...pageRequest(input, signal, browserNeed(input)),
      ...sharingOf(input),
      asksTerms: input.ai_terms,
    };
    const watch = new Watch(input, { versions, payer }, { request, kind: comparedKind(input) });
    try {
      const read = await pageContent(request, input, askingPages(services));
      const changes = await watch.seen(read.compared, read.page.source);
      const json = { url, format, ...contentPart(read, input.max_length, elapsedMs()), ...changes };
      return { json, charge: chargeOf(read.page.source) };
    } catch (error) {
      return await watch.removed(error, { url, format }, elapsedMs);
    }
  },
);
