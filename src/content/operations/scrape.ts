import { z } from "@hono/zod-openapi";
import { type PageReader } from "../page/page-reader.ts";
import { type PageRequest } from "../page/page.ts";
import { cutContent, METADATA_EXAMPLE, metadataSchema } from "./metadata.ts";
import { type Answer, postOperation } from "./operation.ts";
import { maxLength, PAGE_FAILURES, pageParameters, pageRequest } from "./page-parameters.ts";

const body = z
  .strictObject({
    ...pageParameters,
    format: z.enum(["html", "markdown", "text", "links"]).default("markdown").openapi({ description: "Output format" }),
    max_length: maxLength,
    evaluate: z.string().min(1).optional().openapi({
      description: "JavaScript expression evaluated on the page; its result takes the place of the content",
      example: "document.title",
    }),
  })
  .openapi("ScrapeRequest");

const answer = z
  .object({ url: z.string(), format: z.string(), content: z.string(), metadata: metadataSchema })
  .openapi("ScrapeResponse");

export const scrape = postOperation(
  {
    name: "scrape",
    path: "/scrape",
    price: "$0.005",
    summary: "Retrieve a page as HTML, Markdown, text or links",
    description:
      "Loads the page in a browser of its own and gives its content. With `evaluate`, the result of that expression " +
      "is the content: text as it is, everything else as JSON. `links` gives one link a line, in the page's order.",
    body,
    example: { url: "https://example.com/", format: "markdown" },
    success: {
      description: "The page's content",
      contentType: "application/json",
      schema: answer,
      example: {
        url: "https://example.com/",
        format: "markdown",
        content: "# Example Domain\n\nThis domain is for use in documentation examples.",
        metadata: METADATA_EXAMPLE,
      },
    },
    failures: [...PAGE_FAILURES, "scrape-failed"],
  },
  async (input, { pages }, signal): Promise<Answer> => {
    const startedAt = performance.now();
    const { url, format, evaluate } = input;
    const request = pageRequest(input, signal);
    const { content, page } =
      evaluate === undefined ? await contentOf(request, format, pages) : await evaluated(request, evaluate, pages);
    return { json: { url, format, ...cutContent(content, input.max_length, page, startedAt) } };
  },
);

type Format = z.output<typeof body>["format"];

async function contentOf(request: PageRequest, format: Format, pages: PageReader) {
  const { extraction, source } = await pages.read(request, { kind: format });
  return { content: extraction.content, page: { source, title: extraction.title } };
}

async function evaluated(request: PageRequest, expression: string, pages: PageReader) {
  return await pages.open(request, async (open) => {
    const content = await open.evaluate(expression);
    return { content, page: { source: await open.snapshot(), title: "" } };
  });
}
