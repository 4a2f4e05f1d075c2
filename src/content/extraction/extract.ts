import { type Document } from "domhandler";
import { type ExtractionJob, type ExtractionOutcome } from "./tree/extraction.ts";
import { withoutMark } from "../page/page.ts";
import { decodeBody, isHtml } from "../encoding/decode.ts";
import { toFields } from "./fields.ts";
import { crawlFields, toIndexPage } from "./index-page.ts";
import { formsOf, keepParts } from "./forms.ts";
import { toHtml } from "./html.ts";
import { toLinks } from "./links.ts";
import { markdownOf } from "./markdown/writer.ts";
import { showLateText, showStreamedParts } from "./late-text.ts";
import { pageTerms } from "./page-terms.ts";
import { pageTitle } from "./tree/page-title.ts";
import { prepare } from "./tree/prune.ts";
import { readArticle } from "./reader/read-article.ts";
import { InlinePictures } from "./inline-pictures.ts";
import { notContent } from "./obstacles/not-content.ts";
import { scriptSigns, signOfScripts } from "./script-signs.ts";
import { sketchOf } from "./sketch.ts";
import { schemaOutcome } from "./schema-fields/schema-outcome.ts";
import { toText } from "./text.ts";
import { readTables } from "./tables.ts";
import { MAX_ELEMENTS, parseTree, TooManyElements } from "./tree/tree.ts";

/** If the expected F1 is lower and the page runs scripts, a browser may find more content. */
const MIN_CONFIDENCE = 0.4;
/** The same for a page that has long texts that it does not show. */
const MIN_CONFIDENCE_WITH_TEXTS = 0.6;

/** Does the job's task. It runs in a worker, since untrusted HTML can cause endless loops in some libraries. */
export function extract(job: ExtractionJob): ExtractionOutcome {
  try {
    return extractFrom(job);
  } catch (error) {
    if (!(error instanceof TooManyElements)) throw error;
    return { outcome: "not-content", reason: "unreadable", detail: `it has more than ${MAX_ELEMENTS} elements` };
  }
}

function extractFrom(job: ExtractionJob): ExtractionOutcome {
  const { source, task, mayNeedBrowser } = job;
  if (!isHtml(source.contentType)) {
    return { outcome: "not-content", reason: "unsupported-type", detail: "its type has no text" };
  }
  const marked = decodeBody(source.body, source.contentType);
  // Only fields of a schema are read with the marks.
  const html = withoutMark(marked, source.sight);
  const plain = html === marked ? job : { ...job, source: { ...source, body: html } };
  const tree = parseTree(task.kind === "schema" ? marked : html);
  if (task.kind === "tables") {
    return { outcome: "content", extraction: { content: "", title: "", fields: readTables(tree, task.tables) } };
  }
  const isMoved = showStreamedParts(tree, html, source.engine);
  if (task.kind === "scripts") {
    const sign = signOfScripts(tree, source, task.scripts);
    return sign === undefined ? { outcome: "content", extraction: NOTHING } : { outcome: "needs-browser", sign };
  }
  const { decisive, evidence, holdsTexts } = mayNeedBrowser ? scriptSigns(tree, source) : {};
  if (decisive !== undefined) return { outcome: "needs-browser", sign: decisive };
  showLateText(tree, html, source.engine);
  const obstacle = notContent(tree, html, source);
  // A browser may get past the obstacle, and scripts may add content to an empty document.
  if (obstacle !== undefined && mayNeedBrowser) return { outcome: "needs-browser", sign: obstacle.reason };
  if (obstacle !== undefined) return { outcome: "not-content", ...obstacle };
  const terms = pageTerms(tree, source.finalUrl);
  const made = shownContent(tree, { html, marked }, plain, isMoved);
  const isStated = made.outcome === "content" && Object.keys(terms).length > 0;
  const outcome = isStated ? { ...made, extraction: { ...made.extraction, terms } } : made;
  if (outcome.outcome !== "content" || evidence === undefined) return outcome;
  const { confidence = 1 } = outcome.extraction;
  const isUnsure = confidence < MIN_CONFIDENCE || (confidence < MIN_CONFIDENCE_WITH_TEXTS && holdsTexts?.() === true);
  const sign = evidence.sign ?? (isUnsure ? "low-confidence" : undefined);
  return { ...outcome, evidence: { ...evidence, sign } };
}

const NOTHING = { content: "", title: "" };

function shownContent(
  tree: Document,
  texts: Pick<Page, "html" | "marked">,
  job: ExtractionJob,
  isMoved: boolean,
): ExtractionOutcome {
  const { task } = job;
  const isKept = task.forms?.inlinePictures === true;
  const inline = isKept ? new InlinePictures(texts.html) : undefined;
  const made = withForms(contentOf(tree, job, { isMoved, inline }), { ...texts, inline }, job);
  if (inline === undefined || made.outcome !== "content") return made;
  return { ...made, extraction: inline.shown(made.extraction) };
}

interface Page {
  readonly html: string;
  /** The same with the marks of a browser. */
  readonly marked: string;
  readonly inline: InlinePictures | undefined;
}

/** The outcome with the further forms of the page that the task asks for. */
function withForms(
  outcome: ExtractionOutcome,
  { html, marked, inline }: Page,
  { task, source }: ExtractionJob,
): ExtractionOutcome {
  if (outcome.outcome !== "content" || task.forms === undefined) return outcome;
  const parse = (withMarks = false): Document => {
    const text = withMarks ? marked : html;
    const tree = parseTree(text);
    showStreamedParts(tree, text, source.engine);
    showLateText(tree, text, source.engine);
    return tree;
  };
  const { finalUrl: url, sight } = source;
  const forms = formsOf({ html, parse, sight, url, isArticle: task.kind === "article", inline }, task.forms);
  return { ...outcome, extraction: { ...outcome.extraction, forms } };
}

function contentOf(
  tree: Document,
  { source, task }: ExtractionJob,
  { isMoved, inline }: Pick<Page, "inline"> & { readonly isMoved: boolean },
): ExtractionOutcome {
  const url = source.finalUrl;
  const crawled = task.crawled === true ? { fields: { ...crawlFields(tree, url), sketch: sketchOf(tree) } } : {};
  if (task.forms !== undefined) keepParts(tree, task.forms);
  inline?.hide(tree);
  if (task.kind === "html") {
    const content = typeof source.body === "string" && !isMoved ? source.body : toHtml(tree);
    return { outcome: "content", extraction: { content, title: pageTitle(tree), ...crawled } };
  }
  if (task.kind === "fields") return toFields(tree, source, task);
  if (task.kind === "schema") return schemaOutcome({ tree, url, sight: source.sight }, pageTitle(tree), task);
  if (task.kind === "index") return { outcome: "content", extraction: toIndexPage(tree, url) };
  if (task.kind === "article") {
    const article = readArticle(tree, url, { comments: task.comments === true });
    return { outcome: "content", extraction: { ...article, ...crawled } };
  }
  if (task.kind === "tables" || task.kind === "scripts") {
    throw new Error(`Cannot make '${task.kind}' of a page's content`);
  }
  const title = pageTitle(tree);
  prepare(tree, url);
  const write = WRITERS[task.kind];
  return { outcome: "content", extraction: { content: write(tree, url), title, ...crawled } };
}

const WRITERS = { markdown: markdownOf, text: (tree: Document) => toText(tree), links: toLinks } as const;
