import { z } from "@hono/zod-openapi";
import { cutContent, METADATA_EXAMPLE, metadataSchema } from "./metadata.ts";
import { type OperationResult, postOperation } from "./operation.ts";
import { changesParameters, changesSchema, Watch } from "./page-changes.ts";
import { contentParameters, evaluateOf, pageContent } from "./page-content.ts";
import { PAGE_FAILURES, pageParameters, pageRequest, sharingOf, sharingParameters } from "./page-parameters.ts";
import { SESSION_FAILURES, sessionParameters } from "./session-parameters.ts";

const body = z
  .strictObject({
    ...pageParameters,
    ...sessionParameters,
    ...contentParameters,
    ...sharingParameters,
    ...changesParameters,
  })
  .openapi("ScrapeRequest");

const response = z
  .object({
    url: z.string(),
    format: z.string(),
    content: z.string(),
    metadata: metadataSchema,
    changes: changesSchema,
  })
  .openapi("ScrapeResponse");

/** `POST /scrape`: a page as HTML, Markdown, text or links. */
export const scrape = postOperation(
  {
    name: "scrape",
    path: "/scrape",
    price: "$0.005",
    summary: "Retrieve a page as HTML, Markdown, text or links",
    description:
      "Loads the page and returns its content. With `evaluate`, the result of that expression " +
      "is the content: text unchanged, everything else as JSON. `links` returns one link per line, in the page's order.",
    body,
    example: { url: "https://example.com/", format: "markdown" },
    success: {
      description: "The page's content",
      contentType: "application/json",
      schema: response,
      example: {
        url: "https://example.com/",
        format: "markdown",
        content: "# Example Domain\n\nThis domain is for use in documentation examples.",
        metadata: METADATA_EXAMPLE,
      },
    },
    failures: [...PAGE_FAILURES, ...SESSION_FAILURES, "scrape-failed"],
  },
  async (input, { pages, chargeOf, versions }, { signal, payer, elapsedMs }): Promise<OperationResult> => {
    const { url, format, evaluate = "" } = input;
    const request = { ...pageRequest(input, signal, evaluateOf(input)), ...sharingOf(input) };
    const watch = new Watch(input, { versions, payer }, { request, kind: `${format} ${evaluate}` });
    try {
      const { content, page } = await pageContent(request, input, pages);
      const changes = await watch.seen(content, page.source);
      const json = { url, format, ...cutContent(content, input.max_length, page, elapsedMs()), ...changes };
      return { json, charge: chargeOf(page.source) };
    } catch (error) {
      return await watch.removed(error, { url, format }, elapsedMs);
    }
  },
);
