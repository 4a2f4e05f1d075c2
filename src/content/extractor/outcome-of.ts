import { type Document } from "domhandler";
import { type DocumentContent, linkLines } from "../documents/kinds/content.ts";
import { documentOf } from "../documents/document-of.ts";
import { type FileError } from "../documents/kinds/file-error.ts";
import { type PdfError } from "../documents/pdf.ts";
import { type PageSource } from "../page/page.ts";
import { essenceOf } from "../encoding/decode.ts";
import { toFields } from "../extraction/fields.ts";
import { summaryForms } from "../extraction/summary.ts";
import { parseTree } from "../extraction/tree/tree.ts";
import {
  type Extraction,
  type ExtractionJob,
  type ExtractionOutcome,
  type ExtractionTask,
  type FormsTask,
  type PageForms,
} from "../extraction/tree/extraction.ts";

/** Does the job's task with any document. Runs in a worker, with a deadline. */
export async function outcomeOf(job: ExtractionJob): Promise<ExtractionOutcome> {
  const { source, task } = job;
  const document = await documentOf(source);
  switch (document.is) {
    case "html":
      // Browsers guess undeclared encodings by the frequency of each byte.
      if (document.isGuess && job.mayNeedBrowser) return UNDECLARED_ENCODING;
      // A process that reads files needs this code, half of all, only for some of them.
      return (await import("../extraction/extract.ts")).extract({ ...job, source: document.source });
    case "unsupported":
      return unsupported(source, "is not one that can be read as text");
    case "broken":
      return typeof document.error === "string" ? ERRORS[document.error] : fileError(document.error);
    case "other":
      return await contentOutcome(document.content, task, source);
    default:
      throw new Error(`Cannot make anything of a document that is '${String(document satisfies never)}'`);
  }
}

const UNDECLARED_ENCODING = { outcome: "needs-browser", sign: "undeclared-encoding" } as const;

const ERRORS: Readonly<Record<PdfError, ExtractionOutcome>> = {
  locked: {
    outcome: "not-content",
    reason: "unsupported-type",
    detail: "it is a PDF document that requires a password",
  },
  broken: { outcome: "not-content", reason: "unreadable", detail: "it is not a valid PDF document" },
  unreadable: {
    outcome: "not-content",
    reason: "empty",
    detail: "it is a PDF document whose fonts do not say which characters they have",
  },
  scanned: {
    outcome: "not-content",
    reason: "empty",
    detail: "it is a PDF document without text; its pages may be pictures",
  },
};

function fileError({ reason, message }: FileError): ExtractionOutcome {
  return { outcome: "not-content", reason, detail: message };
}

/** Maximum number of characters of a content type that an error repeats. */
const MAX_TYPE_LENGTH = 80;

function unsupported({ contentType }: PageSource, what: string): ExtractionOutcome {
  const type = essenceOf(contentType).slice(0, MAX_TYPE_LENGTH) || "which its server does not name";
  return { outcome: "not-content", reason: "unsupported-type", detail: `its type, ${type}, ${what}` };
}

/** Does a task with the content of a document that is not a page. */
export async function contentOutcome(
  content: DocumentContent,
  task: ExtractionTask,
  source: PageSource,
): Promise<ExtractionOutcome> {
  if (task.kind === "fields" && content.tree !== undefined)
    return toFields(content.tree, { ...source, engine: "static" }, task);
  if (task.kind === "fields" || task.kind === "tables" || task.kind === "scripts")
    return unsupported(source, "has no elements to select");
  if (task.kind === "schema") {
    const { schemaOutcome } = await schemaCode();
    return schemaOutcome({ tree: treeOf(content), url: source.finalUrl }, content.title, task);
  }
  if (content.isEmpty?.() ?? content.text().trim() === "")
    return { outcome: "not-content", reason: "empty", detail: "it has no content" };
  const isPartial = content.isPartial === true ? { partial: true } : {};
  const isCrawled = task.kind === "index" || task.crawled;
  const about = {
    title: content.title,
    ...content.about,
    ...isPartial,
    ...(isCrawled ? { fields: crawlFieldsOf(content) } : {}),
  };
  const forms = task.forms !== undefined ? { forms: await formsOf(content, task.forms, source) } : {};
  return { outcome: "content", extraction: { content: inFormat(content, task.kind), ...about, ...forms } };
}

/** Needed for few documents. */
async function schemaCode() {
  return await import("../extraction/schema-fields/schema-outcome.ts");
}

function treeOf(content: DocumentContent): Document {
  return content.tree ?? parseTree(content.html());
}

function inFormat(
  content: DocumentContent,
  kind: "html" | "markdown" | "article" | "text" | "links" | "index",
): string {
  switch (kind) {
    case "html":
      return content.html();
    case "markdown":
    case "article":
      return content.markdown();
    case "links":
      return linkLines(content.links());
    case "text":
    case "index":
      return content.text();
    default:
      throw new Error(`Cannot make '${String(kind satisfies never)}' of a document`);
  }
}

/** A document of another type has neither elements to select nor a source in HTML. */
async function formsOf(
  content: DocumentContent,
  { names, attributes, json, withSummaryText: withText }: FormsTask,
  { finalUrl }: PageSource,
): Promise<PageForms> {
  const has = (name: FormsTask["names"][number]) => names.includes(name);
  return {
    meta: {},
    attributes: attributes.map(() => []),
    ...(json === undefined
      ? {}
      : { json: (await schemaCode()).schemaFields({ tree: treeOf(content), url: finalUrl }, json) }),
    ...(has("html") ? { html: content.html() } : {}),
    ...(has("rawHtml") ? { rawHtml: content.html() } : {}),
    ...(has("links") ? { links: content.links() } : {}),
    ...(has("text") ? { text: content.text() } : {}),
    ...(has("summary") ? summaryForms(content.text(), { title: content.title, withText }) : {}),
    ...(has("images") ? { images: [] } : {}),
  };
}

function crawlFieldsOf(content: DocumentContent): NonNullable<Extraction["fields"]> {
  const links = content.links();
  return { canonical: null, robots: "", links: links.map(({ url }) => url), texts: links.map((link) => link.text) };
}
