import { z } from "@hono/zod-openapi";
import { type Pages } from "../page-reader/page-reader.ts";
import { type PageRequest, type PageSource } from "../page/page.ts";
import { maxLength } from "./page-parameters.ts";

/** The parameters of operations that return a page's content in a format that the caller selects. */
export const contentParameters = {
  format: z.enum(["html", "markdown", "text", "links"]).default("markdown").openapi({ description: "Output format" }),
  max_length: maxLength,
  evaluate: z.string().min(1).optional().openapi({
    description: "JavaScript expression evaluated on the page; its result takes the place of the content",
    example: "document.title",
  }),
};

const schema = z.object(contentParameters);

export interface PageContent {
  readonly content: string;
  readonly page: { readonly source: PageSource; readonly title: string };
}

/** The parameter that needs a browser, if the request uses it. */
export function evaluateOf({ evaluate }: { readonly evaluate?: string | undefined }): "evaluate" | undefined {
  return evaluate === undefined ? undefined : "evaluate";
}

/** Loads the page and returns its content, or the result of `evaluate`. Fails with a TurnpikeError. */
export async function pageContent(
  request: PageRequest,
  { format, evaluate }: Pick<z.output<typeof schema>, "format" | "evaluate">,
  pages: Pages,
): Promise<PageContent> {
  if (evaluate === undefined) {
    const { extraction, source } = await pages.read(request, { kind: format });
    return { content: extraction.content, page: { source, title: extraction.title } };
  }
  // The script may examine the pictures, for example their sizes, or which of them are broken.
  return await pages.open({ ...request, pictures: true }, async (open) => {
    const content = await open.evaluate(evaluate);
    return { content, page: { source: await open.snapshot(), title: "" } };
  });
}
