import { TurnpikeError } from "../../lib/errors.ts";
import { isContent, SHOWS_CONTENT } from "../extraction/obstacles/shows-content.ts";
import {
  type Extraction,
  type ExtractionJob,
  type ExtractionOutcome,
  type ExtractionTask,
  type ScriptAddress,
} from "../extraction/tree/extraction.ts";
import { type Extractor } from "../extractor/extractor.ts";
import { type Ocr } from "../ocr/ocr.ts";
import { confirmedBy } from "../page-cache/cacheable.ts";
import { type CachedPage } from "../page-cache/page-cache.ts";
import { type Loaded, type SharedPages } from "../page-cache/shared-pages.ts";
import { Deadline } from "../page/deadline.ts";
import { DownloadError } from "../page/page-errors.ts";
import {
  type ActionResult,
  type FetchedDocument,
  type OpenPage,
  type PageRequest,
  type PageShows,
  type PageSource,
  type Shown,
  withoutSight,
} from "../page/page.ts";
import {
  assertAccepted,
  assertStatus,
  contentOf,
  isNothing,
  notContentError,
  acceptedContent,
  WORDED,
} from "./accepted-content.ts";
import { chooseEngine } from "./engine-choice.ts";
import { type LearnedTemplates } from "./learned-templates.ts";
import { PageFiles } from "./page-files.ts";
import { scriptTexts } from "./page-scripts.ts";
import { isBlank, isHtml, isPdf, sourceOf, sourceOfShown } from "./page-source.ts";
import { hasSchema, mayHide, styleSheets, unreadSheets } from "./page-styles.ts";
import { type AiTerms } from "../page/ai-terms.ts";
import { type BrowserEngine, type Visit } from "../page/visit.ts";
import { type VisitDeps, Visits } from "./visits.ts";

/** The engines, the extractor, and the rules of egress of all visits. */
export interface PageReaderDeps extends VisitDeps {
  readonly browser: BrowserEngine;
  readonly extractor: Extractor;
  readonly learned: LearnedTemplates;
  /** Reads the text of pictures. Undefined: it is not read. */
  readonly ocr?: Ocr | undefined;
  /** Pages that callers share. Undefined: each is loaded for each caller. */
  readonly shared?: SharedPages;
}

/** The result of an extraction, and the page that it was made from. */
export interface ReadPage {
  readonly extraction: Extraction;
  readonly source: PageSource;
  /** Absent if the request has no `shows`, or a browser cannot show the document. */
  readonly shown?: Shown;
  readonly acted?: readonly ReadAction[];
}

/** The result of a step, and the content of the page as Markdown, if the step has read it. */
export interface ReadAction extends Omit<ActionResult, "source"> {
  readonly content?: string;
  /** The page itself, if it is HTML. */
  readonly html?: string;
}

/** A page that is loaded, and what was read in it. */
interface ReadSource {
  readonly source: PageSource;
  readonly task: ExtractionTask;
  readonly outcome: ExtractionOutcome;
}

export type Pages = Pick<PageReader, "read" | "open" | "show">;

/** Loads pages with a suitable engine, and has their content extracted. */
export class PageReader {
  readonly #deps: PageReaderDeps;
  readonly #visits: Visits;
  readonly #files: PageFiles;

  constructor(deps: PageReaderDeps) {
    this.#deps = deps;
    this.#visits = new Visits(deps);
    this.#files = new PageFiles(deps.fetchDocument);
  }

  /** Loads the page and does the task with it. Fails with a TurnpikeError if the page has no content for the task. */
  async read(request: PageRequest, task: ExtractionTask): Promise<ReadPage> {
    return await this.#visits.run(request, async (visit) => {
      const load = (known?: CachedPage) => this.#load(visit, task, known);
      const show = (source: PageSource) => this.#readSource(visit, source, task);
      const { shared } = this.#deps;
      const page = shared === undefined ? (await load()).page : await shared.read(request, task, { show, load });
      const { extraction, source } = page;
      const isAsked = request.asksTerms === true || task.crawled;
      const terms = await this.#termsOf(visit, source, extraction.terms, isAsked);
      return Object.keys(terms).length === 0 ? page : { ...page, source: { ...source, terms } };
    });
  }

  /** Does the task with a file that is not loaded. Fails with a TurnpikeError if it has no content for the task. */
  async readFile(
    source: PageSource,
    task: ExtractionTask,
    { timeoutMs, signal }: Pick<PageRequest, "timeoutMs" | "signal">,
  ): Promise<ReadPage> {
    const deadline = new Deadline(timeoutMs, signal);
    try {
      const job = { source, task, mayNeedBrowser: false };
      const outcome = await this.#extractBy(deadline, job, signal);
      const extraction = contentOf(outcome);
      if (isNothing(extraction, task)) throw notContentError("empty", "it has no text");
      return readPage(extraction, source);
    } finally {
      deadline.clear();
    }
  }

  /** The terms for the use of the page by AI. Throws `page-terms` if the operator honours them, and they deny a use. */
  async #termsOf(visit: Visit, source: PageSource, inPage: AiTerms = {}, asks = false): Promise<AiTerms> {
    const { terms } = this.#deps;
    return terms === undefined
      ? inPage
      : await visit.deadline.race(terms.of(source, inPage, asks, visit.request.signal));
  }

  /** Loads the page. If its server confirms that it is the `known` one, that is read. */
  async #load(visit: Visit, task: ExtractionTask, known?: CachedPage): Promise<Loaded<ReadPage>> {
    const { request } = visit;
    const inBrowser = async (fetched: FetchedDocument | undefined): Promise<Loaded<ReadPage>> => {
      const page = await this.#readInBrowser({ ...visit, fetched }, task);
      return { page, source: withoutSight(page.source), fetched };
    };
    if (request.engine === "browser" || needsBrowser(request)) return await inBrowser(undefined);
    const conditions = known?.conditions ?? [];
    let fetched = await this.#visits.fetch({ ...visit, conditions });
    if (known !== undefined && conditions.length > 0 && fetched.statusCode === 304) {
      const source = confirmedBy(fetched, known.source);
      if (source !== undefined) return { page: await this.#readSource(visit, source, task), source, fetched };
      fetched = await this.#visits.fetch(visit);
    }
    const source = sourceOf(fetched);
    const mayNeedBrowser = request.engine === "auto" && fetched.complete;
    const outcome = await this.#extract(visit, { source, task, mayNeedBrowser });
    if (mayNeedBrowser && outcome.outcome === "content" && isNothing(outcome.extraction, task)) {
      return await inBrowser(fetched);
    }
    const searchScripts = (scripts: readonly ScriptAddress[]) => this.#scriptsChange(visit, source, scripts);
    const choice = await chooseEngine(this.#deps.learned, { request, task, outcome, searchScripts });
    const isOptional = choice.engine === "static" || choice.isOptional;
    const seen = isOptional ? await this.#withStyles(visit, { source, task, outcome }) : { source, outcome };
    const fromDocument = (): Loaded<ReadPage> => {
      const page = readPage(acceptedContent(seen.outcome, { task, source: seen.source, request }), seen.source);
      return { page, source, fetched };
    };
    if (choice.engine === "static" && !(mayNeedBrowser && mayHide(outcome, seen.outcome))) return fromDocument();
    try {
      const loaded = await inBrowser(fetched);
      const { page } = loaded;
      const isCompared = page.source.engine === "browser" && page.source.complete && choice.engine === "browser";
      if (isCompared) choice.compare(page.extraction);
      return loaded;
    } catch (error) {
      // The next caller does not get this document: the browser may show another page by then.
      if (isOptional && error instanceof TurnpikeError) return { ...fromDocument(), fetched: undefined };
      throw error;
    }
  }

  /** Reads fields again with the style sheets of the page, which may hide their values. */
  async #withStyles(visit: Visit, { source, task, outcome }: ReadSource): Promise<Omit<ReadSource, "task">> {
    const unread = unreadSheets(outcome);
    const sheets = unread.length === 0 ? [] : await styleSheets(this.#files, visit, unread);
    if (sheets.length === 0) return { source, outcome };
    const styled = { ...source, sight: { sheets } };
    return { source: styled, outcome: await this.#extract(visit, { source: styled, task, mayNeedBrowser: false }) };
  }

  async #readSource(visit: Visit, loaded: PageSource, task: ExtractionTask): Promise<ReadPage> {
    const outcome = await this.#extract(visit, { source: loaded, task, mayNeedBrowser: false });
    const seen = await this.#withStyles(visit, { source: loaded, task, outcome });
    const { source } = seen;
    return readPage(acceptedContent(seen.outcome, { task, source, request: visit.request }), source);
  }

  /**
   * Opens the page in a browser and passes it to `use`, even if the page shows nothing. Fails with a TurnpikeError if
   * the server sent a challenge or an error page instead.
   */
  async open<T>(request: PageRequest, use: (page: OpenPage) => Promise<T>): Promise<T> {
    return await this.#visits.run(request, (visit) =>
      this.#deps.browser.visit({ ...visit, scripted: true }, async (page) => {
        const source = await page.snapshot();
        await this.#assertContent(visit, source, "may be empty");
        await this.#termsOf(visit, source);
        return await use(page);
      }),
    );
  }

  /**
   * Opens a page in a browser and passes it to `use`, if it shows something. A document that browsers do not show is
   * passed to `other`. Fails with a TurnpikeError if the page has no content.
   */
  async show<T>(
    request: PageRequest,
    use: (page: OpenPage, source: PageSource) => Promise<T>,
    other: (source: PageSource) => T,
  ): Promise<T> {
    return await this.#visits.run(request, async (visit) => {
      const leave = await this.#visits.window(visit);
      try {
        return await this.#deps.browser.visit(visit, async (page) => {
          const source = await this.#sourceOfShown(visit, page);
          await this.#termsOf(visit, source);
          return await use(page, source);
        });
      } catch (error) {
        if (!(error instanceof DownloadError)) throw error;
        const source = sourceOf(await this.#visits.fetch(visit));
        assertStatus(source, request);
        return other(source);
      } finally {
        leave();
      }
    });
  }

  /** Throws if the page has no content or cannot be shown. */
  async #sourceOfShown(visit: Visit, page: OpenPage): Promise<PageSource> {
    const seen = await page.glimpse(SHOWS_CONTENT);
    if (seen !== undefined && isContent(seen)) return seen;
    const source = await sourceOfShown(page);
    if (isPdf(source)) throw new DownloadError("Cannot show the page: it is a PDF document");
    await this.#assertContent(visit, source, "must show something");
    return source;
  }

  /**
   * Throws if the server sent a challenge or an error page instead, if the status is not accepted, or if the page must
   * show something and is empty.
   */
  async #assertContent(visit: Visit, source: PageSource, what: "may be empty" | "must show something"): Promise<void> {
    const { request } = visit;
    if (!isHtml(source.contentType)) {
      assertStatus(source, request);
      if (what === "must show something" && isBlank(source)) throw notContentError("empty", "it has no content");
      return;
    }
    const outcome = await this.#extract(visit, { source, task: { kind: "text" }, mayNeedBrowser: false });
    assertAccepted(outcome, source, request);
    const isEmpty = outcome.outcome === "not-content" && outcome.reason === "empty";
    if (!isEmpty || what === "must show something") contentOf(outcome);
  }

  async #readInBrowser(visit: Visit, task: ExtractionTask): Promise<ReadPage> {
    const mark = task.kind === "fields" ? task.selectors : undefined;
    const leave = await this.#visits.window(visit);
    const shown = await this.#deps.browser
      .visit({ ...visit, settles: isDoneByItself(visit.request) }, async (page) => {
        const source = await page.snapshot({ mark, withFrames: FRAMED.has(task.kind), measures: hasSchema(task) });
        const { shows } = visit.request;
        const { acted } = page;
        return { source, acted, ...(shows === undefined ? {} : { shown: await shownOf(page, shows) }) };
      })
      .catch(async (error: unknown) => {
        // A browser shows no PDF and no attachment, but their bytes can be fetched without one.
        if (!(error instanceof DownloadError)) throw error;
        return { source: sourceOf(visit.fetched ?? (await this.#visits.fetch(visit))), acted: [] };
      })
      .finally(leave);
    const acted = await this.#readActed(visit, shown.acted);
    return { ...shown, acted, ...(await this.#readSource(visit, shown.source, task)) };
  }

  /** Reads the pages that steps have taken. */
  async #readActed(visit: Visit, acted: readonly ActionResult[]): Promise<readonly ReadAction[]> {
    return await Promise.all(
      acted.map(async ({ source, ...result }) => {
        if (source === undefined) return result;
        const outcome = await this.#extract(visit, { source, task: { kind: "markdown" }, mayNeedBrowser: false });
        const { body: html } = source;
        return {
          ...result,
          ...(typeof html === "string" ? { html } : {}),
          content: outcome.outcome === "content" ? outcome.extraction.content : "",
        };
      }),
    );
  }

  async #scriptsChange(visit: Visit, source: PageSource, addresses: readonly ScriptAddress[]): Promise<boolean> {
    const scripts = await scriptTexts(this.#files, visit, addresses);
    if (scripts.length === 0) return false;
    const task = { kind: "scripts", scripts } as const;
    return (await this.#extract(visit, { source, task, mayNeedBrowser: false })).outcome === "needs-browser";
  }

  #extract({ deadline, request }: Visit, job: ExtractionJob): Promise<ExtractionOutcome> {
    return this.#extractBy(deadline, job, request.signal);
  }

  async #extractBy(
    deadline: Deadline,
    job: ExtractionJob,
    signal: AbortSignal | undefined,
  ): Promise<ExtractionOutcome> {
    deadline.doing("reading");
    const { extractor, ocr } = this.#deps;
    const outcome = await deadline.race(extractor.extract(job, deadline.stopped, signal));
    if (ocr?.canRead(job.source, outcome) !== true) return outcome;
    return await ocr.read(job, outcome, { deadline, signal });
  }
}

/**
 * Tasks that include what frames show. A frame's content is part of the page's words and links, but not of its HTML and
 * elements.
 */
const FRAMED: ReadonlySet<ExtractionTask["kind"]> = new Set([...WORDED, "links", "index"]);

/** The styles are read first: a picture of a whole page scrolls through it, and a print changes its layout. */
async function shownOf(page: OpenPage, { picture, print, brand = false }: PageShows): Promise<Shown> {
  const look = brand ? { brand: await page.brand() } : {};
  const seen = picture === undefined ? {} : { picture: await page.picture(picture) };
  return { ...look, ...seen, ...(print === undefined ? {} : { pdf: await page.print(print) }) };
}

/** A document of which parts are missing is not complete. */
function readPage(extraction: Extraction, source: PageSource): ReadPage {
  const { partial, scan } = extraction;
  if (partial !== true && scan === undefined) return { extraction, source };
  return { extraction, source: { ...source, ...(partial === true ? { complete: false } : {}), ...(scan && { scan }) } };
}

/** True if the request asks for something that the static engine cannot do. */
function needsBrowser({ selector, waitMs, waitUntil, stealth, shows, steps }: PageRequest): boolean {
  if ((selector ?? shows ?? steps) !== undefined) return true;
  return waitMs > 0 || waitUntil === "networkidle0" || stealth;
}

/** True if the caller does not say when the page is done. */
function isDoneByItself({ selector, waitMs, waitUntil, steps, shows }: PageRequest): boolean {
  // A page whose clock has stopped can be neither used nor shown.
  return (steps ?? shows) === undefined && waitUntil === "load" && waitMs === 0 && selector === undefined;
}
