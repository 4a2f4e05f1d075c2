import { z } from "@hono/zod-openapi";
import { type Extraction } from "../extraction/tree/extraction.ts";
import { type Pages, type ReadAction } from "../page-reader/page-reader.ts";
import { type PageRequest, type PageSource } from "../page/page.ts";
import { actionsPart } from "./action-parameters.ts";
import { cutContent } from "./metadata.ts";
import { type FieldRule, limits, members, required, when } from "./field-rules.ts";
import {
  cutResults,
  type FormatsInput,
  FormatsPlan,
  formatsParameters,
  SHOWN_FORMATS,
  isPlanned,
  type Results,
  singleOf,
} from "./page-formats.ts";
import { maxLength } from "./page-parameters.ts";

/** The parameters of operations that return a page's content in a format that the caller selects. */
export const contentParameters = {
  format: z.enum(["html", "markdown", "text", "links"]).default("markdown").describe("Output format"),
  max_length: maxLength,
  evaluate: z.string().min(1).optional().openapi({
    description: "JavaScript expression evaluated on the page; its result takes the place of the content",
    example: "document.title",
  }),
  ...formatsParameters,
};

/** The formats that only a browser makes. */
const SHOWN = { enum: [...SHOWN_FORMATS] };

export const CONTENT_RULES: readonly FieldRule[] = [
  limits("evaluate", {
    formats: false,
    only_main_content: { const: false },
    inline_images: { const: false },
    include_selectors: { maxItems: 0 },
    exclude_selectors: { maxItems: 0 },
  }),
  when(
    "engine",
    "static",
    members({
      evaluate: false,
      formats: { items: { not: { anyOf: [SHOWN, { type: "object", ...required("type", SHOWN) }] } } },
    }),
  ),
];

const schema = z.object(contentParameters);

export interface PageContent {
  /** Empty with `formats`. */
  readonly content: string;
  readonly page: { readonly source: PageSource; readonly title: string };
  /** The text by which versions of the page are compared. */
  readonly compared: string;
  /** The requested formats, if the request has `formats`. */
  readonly results?: Results;
  readonly acted?: readonly ReadAction[] | undefined;
  readonly fields?: Extraction["fields"];
}

type Input = z.output<typeof schema>;

/** The parameter that needs a browser, if the request uses it. */
export function browserNeed(input: Pick<Input, "evaluate" | "format"> & FormatsInput): string | undefined {
  return input.evaluate === undefined ? new FormatsPlan(input, input.format).needsBrowser : "evaluate";
}

/** The content by which versions are compared, without which a page may have another one. */
export function comparedKind({
  format,
  evaluate = "",
  ...input
}: Pick<Input, "format" | "evaluate"> & FormatsInput): string {
  if (!isPlanned(input)) return `${format} ${evaluate}`;
  const { formats, only_main_content: isMain, include_selectors: include, exclude_selectors: exclude } = input;
  const parts = [formats === undefined ? format : "formats", isMain, include, exclude];
  return `forms ${JSON.stringify(input.inline_images ? [...parts, "inline_images"] : parts)}`;
}

/** Loads the page and returns its content, or the result of `evaluate`. Fails with a TurnpikeError. */
export async function pageContent(
  request: PageRequest,
  input: Pick<Input, "format" | "evaluate"> & FormatsInput,
  pages: Pages,
  crawled = false,
): Promise<PageContent> {
  const { format, evaluate } = input;
  if (evaluate !== undefined) return await evaluated(request, evaluate, pages);
  if (!isPlanned(input)) {
    const { extraction, source, acted } = await pages.read(request, { kind: format, ...(crawled ? { crawled } : {}) });
    const { content, title, fields } = extraction;
    return { content, compared: content, page: { source, title }, acted, fields };
  }
  const plan = new FormatsPlan(input, format);
  const read = await pages.read(plan.request(request), plan.task(crawled));
  const results = plan.results(read);
  const { content: compared, title, fields } = read.extraction;
  const page = { source: read.source, title };
  const { acted } = read;
  if (input.formats !== undefined) return { content: "", compared, page, results, acted, fields };
  const content = singleOf(results);
  return { content, compared: content, page, acted, fields };
}

async function evaluated(request: PageRequest, script: string, pages: Pages): Promise<PageContent> {
  // The script may examine the pictures, for example their sizes, or which of them are broken.
  return await pages.open({ ...request, pictures: true }, async (open) => {
    const content = await open.evaluate(script);
    return { content, compared: content, page: { source: await open.snapshot(), title: "" }, acted: open.acted };
  });
}

/** The parts of a response about the content of a page: `content` or `results`, cut as requested, and `metadata`. */
export function contentPart(
  { content, page, results, acted }: PageContent,
  max: number | undefined,
  elapsedMs: number,
) {
  const whole = { ...cutContent(content, max, page, elapsedMs), ...actionsPart(acted) };
  if (results === undefined) return whole;
  const { results: kept, length, truncated } = cutResults(results, max);
  return { ...whole, metadata: { ...whole.metadata, content_length: length, truncated }, results: kept };
}
